import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { type ChildServer, startServer } from '../engine/child-server.ts';
import { loadUntil, requestOf } from '../engine/server-load.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';

const TableName = 'load';
const items = 12_000;

describe('a server that is killed in the middle of a backup or a restore, under load', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  it.each(testSeeds('kill while backing up'))('goes on after its restart, %i', async (seed) => {
    const random = seededRandom(seed);
    let interrupted = 0;
    for (let round = 0; round < rounds(2); round++) {
      const directory = await newDirectory();
      directories.push(directory);
      await prepare(directory);
      // Only new items are written meanwhile, so that what the backup must hold is known.
      let server = await startServer({ directory });
      let arn = '';
      await loadUntil(server, writesOf(random), async () => {
        const answer = await requestOf(server, 'CreateBackup', { TableName, BackupName: 'under-load' });
        arn = (JSON.parse(answer) as { BackupDetails: { BackupArn: string } }).BackupDetails.BackupArn;
        await server.kill();
      });
      if ((await jobsLeft(directory)) > 0) interrupted++;
      server = await startServer({ directory });
      await loadUntil(server, writesOf(random), async () => {
        while (!(await isAvailable(server, arn)));
        await requestOf(server, 'RestoreTableFromBackup', { TargetTableName: 'restored', BackupArn: arn });
        await server.kill();
      });
      if ((await jobsLeft(directory)) > 0) interrupted++;
      const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
      await db.settled();
      const { Table } = await db.describeTable({ TableName: 'restored' });
      expect(Table.TableStatus).toBe('ACTIVE');
      const old = await versionsIn(db, 'restored');
      // Every item of before is there as it was before: none of the later writes.
      expect(old.filter(({ n }) => n < items)).toHaveLength(items);
      expect(old.filter(({ n, v }) => n < items && v !== 'old' && v !== 'early')).toEqual([]);
      expect(await db.check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
      expect(await db.engine.past.backups.jobs.list()).toEqual([]);
      expect(Table.ItemCount).toBe(old.length);
      await db.close();
    }
    expect(interrupted).toBeGreaterThan(0);
  });
});

async function prepare(directory: string): Promise<void> {
  const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  for (let first = 0; first < items; first += 25)
    await db.batchWriteItem({
      RequestItems: {
        [TableName]: Array.from({ length: 25 }, (_, i) => ({
          PutRequest: { Item: { pk: { S: `${first + i}` }, v: { S: 'old' } } },
        })),
      },
    });
  await db.close();
}

/** Writes of items that were not there before, and conditional puts that keep the old value. */
function writesOf(random: SeededRandom) {
  return () => {
    const pk = { S: `${items + random.below(2_000)}` };
    return random.chance(0.7)
      ? { operation: 'PutItem', input: { TableName, Item: { pk, v: { S: 'new' } } } }
      : {
          operation: 'PutItem',
          input: { TableName, Item: { pk: { S: `${random.below(items)}` }, v: { S: 'early' } } },
        };
  };
}

async function isAvailable(server: ChildServer, BackupArn: string): Promise<boolean> {
  return (await requestOf(server, 'DescribeBackup', { BackupArn })).includes('"AVAILABLE"');
}

/** Looks at what the kill left: the database is closed again before its work in the background gets far. */
async function jobsLeft(directory: string): Promise<number> {
  const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
  const { length } = await db.engine.past.backups.jobs.list();
  await db.close();
  return length;
}

async function versionsIn(db: Stator, name: string): Promise<{ n: number; v: string }[]> {
  const found: { n: number; v: string }[] = [];
  let key: object | undefined;
  do {
    const page = await db.scan({ TableName: name, ...(key && { ExclusiveStartKey: key as never }) });
    for (const { pk, v } of page.Items ?? [])
      found.push({ n: Number((pk as { S: string }).S), v: (v as { S: string }).S });
    key = page.LastEvaluatedKey;
  } while (key !== undefined);
  return found;
}
