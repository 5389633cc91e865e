import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { type ChildServer, startServer } from './child-server.ts';
import { loadUntil, requestOf } from './server-load.ts';

const TableName = 'load';
const IndexName = 'by-owner';
const items = 6_000;

describe('a server that is killed while it fills an index under load', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  const seeds = testSeeds('kill while filling');
  it.each(seeds)('goes on after its restart and ends with a whole database, %i', async (seed) => {
    const random = seededRandom(seed);
    let interrupted = 0;
    for (let round = 0; round < rounds(3); round++) {
      const directory = await newDirectory();
      directories.push(directory);
      await prepare(directory);
      let server = await startServer({ directory });
      await loadUntil(server, writesOf(random), async () => {
        await requestOf(server, 'UpdateTable', creation);
        // The first thousand items are filled before the answer, the others after it, a hundred at a time.
        const target = 1_000 + 100 * random.below(40);
        while ((await indexCount(server)) < target && !(await isActive(server)));
        await server.kill();
      });
      if (await wasInterrupted(directory)) interrupted++;
      server = await startServer({ directory });
      await loadUntil(server, writesOf(random), async () => {
        while (!(await isActive(server)));
      });
      await server.kill();
      const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
      expect(await db.check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
      const { Table } = await db.describeTable({ TableName });
      const index = Table!.GlobalSecondaryIndexes![0]!;
      expect([index.IndexStatus, index.ItemCount]).toEqual(['ACTIVE', Table!.ItemCount]);
      await db.close();
    }
    // On a machine that is much faster at filling than at killing there would be nothing to see.
    expect(interrupted).toBeGreaterThan(0);
  });
});

const creation = {
  TableName,
  AttributeDefinitions: [{ AttributeName: 'owner', AttributeType: 'S' }],
  GlobalSecondaryIndexUpdates: [
    {
      Create: {
        IndexName,
        KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    },
  ],
};

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
          PutRequest: { Item: { pk: { S: `${first + i}` }, owner: { S: `${(first + i) % 50}` } } },
        })),
      },
    });
  await db.close();
}

function writesOf(random: SeededRandom) {
  return () => {
    const pk = { S: `${random.below(items + 500)}` };
    const Item = { pk, owner: { S: `${random.below(50)}` }, at: { N: `${random.below(1_000)}` } };
    return random.chance(0.8)
      ? { operation: 'PutItem', input: { TableName, Item } }
      : { operation: 'DeleteItem', input: { TableName, Key: { pk } } };
  };
}

async function index(server: ChildServer) {
  const { Table } = JSON.parse(await requestOf(server, 'DescribeTable', { TableName })) as {
    Table: { GlobalSecondaryIndexes?: { IndexStatus: string; ItemCount: number }[] };
  };
  return Table.GlobalSecondaryIndexes?.[0];
}

async function indexCount(server: ChildServer): Promise<number> {
  return (await index(server))?.ItemCount ?? 0;
}

async function isActive(server: ChildServer): Promise<boolean> {
  return (await index(server))?.IndexStatus === 'ACTIVE';
}

/** Looks at what the kill left: the database is closed again before its work in the background gets far. */
async function wasInterrupted(directory: string): Promise<boolean> {
  const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
  const { length } = await db.engine.indexFiller.underway();
  await db.close();
  return length > 0;
}
