import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { runChild } from '../run-child.ts';
import { rounds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { allKeys, entryKeys } from './store-content.ts';

const TableName = 'dropped';
const items = rounds(20_000, 10);

describe('a table that is dropped', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  async function filledDirectory(): Promise<string> {
    const directory = await newDirectory();
    directories.push(directory);
    const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
    await createTable(db);
    let next = 0;
    const write = async () => {
      while (next < items) await db.putItem({ TableName, Item: itemOf(next++) });
    };
    await Promise.all(Array.from({ length: 100 }, write));
    await db.close();
    return directory;
  }

  it('by a process that is killed half-way is gone after the next start, its name free at once', async () => {
    const directory = await filledDirectory();
    const child = runChild(new URL('./children/table-deleter.ts', import.meta.url), [directory, TableName]);
    await child.until((line) => line === 'removing');
    child.process.kill('SIGKILL');
    expect((await child.ended).signal).toBe('SIGKILL');

    const store = await openLmdbStore({ directory });
    const half = (await entryKeys(store)).length;
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(items * 2);
    await store.close();

    const db = await Stator.open({ store: { directory } });
    expect((await db.listTables({})).TableNames).toEqual([]);
    await createTable(db);
    await db.putItem({ TableName, Item: itemOf(1) });
    expect((await db.getItem({ TableName, Key: { pk: { S: '2' } } })).Item).toBeUndefined();
    await db.engine.settled();
    // One item and its index entry, one record, one epoch, and the partitions of the table and of its index.
    expect(await entryKeys(db.engine.store)).toHaveLength(2);
    expect(await allKeys(db.engine.store)).toHaveLength(6);
    expect((await db.describeTable({ TableName })).Table).toMatchObject({ ItemCount: 1 });
    await db.deleteTable({ TableName });
    await db.engine.settled();
    expect(await allKeys(db.engine.store)).toEqual([]);
    await db.close();
  });

  it('leaves nothing behind when a setting is changed while it is being deleted', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 10, 20));
    const db = Stator.inMemory({ physics: 'enforce', clock, seed: 1 });
    await createTable(db);
    clock.advanceMs(30_000);
    await db.deleteTable({ TableName });
    await db.engine.settled();
    const change = db.updateContributorInsights({ TableName, ContributorInsightsAction: 'ENABLE' });
    await expect(change).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    // Its record stays until the deletion is over.
    expect((await allKeys(db.engine.store)).map((key) => key.slice(0, 2))).toEqual(['01']);
    await db.close();
  });

  it('by a database that is closed at once is gone after the next start', async () => {
    const directory = await filledDirectory();
    const first = await Stator.open({ store: { directory } });
    await first.deleteTable({ TableName });
    await first.close();
    const second = await Stator.open({ store: { directory } });
    await second.engine.settled();
    expect(await allKeys(second.engine.store)).toEqual([]);
    await second.close();
  });
});

async function createTable(db: Stator): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'group', AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-group',
        KeySchema: [{ AttributeName: 'group', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
}

function itemOf(i: number) {
  return { pk: { S: String(i) }, group: { N: String(i % 7) } };
}
