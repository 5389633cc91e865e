import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { historyKey, historyPlace } from '../../src/engine/history/history-keys.ts';
import { entryPrefix } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { tableKey } from '../../src/model/keys/keys.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Mutation, Store } from '../../src/storage/store.ts';
import { newDirectory } from '../storage/directories.ts';
import { EntriesRead } from './entries-read.ts';

const TableName = 'orders';
const scope = { account: '000000000000', region: 'us-east-1' };
const start = Date.UTC(2026, 10, 18, 10);
const living = 400;
const images = 40_000;

/** What a step may read: four pages of 500 entries, and a few for each page to come forward. */
const stepEntriesMax = 2_100;

describe('40,000 old images that are not wanted', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const stores: [name: string, open: () => Promise<Store>][] = [
    ['memory', async () => new MemoryStore()],
    [
      'lmdb',
      async () => {
        const directory = await newDirectory();
        cleanUps.push(() => rm(directory, { recursive: true, force: true }));
        return openLmdbStore({ directory, durability: 'relaxed' });
      },
    ],
  ];
  const histories: [name: string, ofItem: (n: number) => number, bound: number][] = [
    // An item's images are left by seeking.
    ['of living items', (n) => n % living, 8 * living],
    ['of deleted items among living ones', (n) => living + n, 2 * images + 8 * living],
    ['of one item', () => 0, 8 * living],
  ];

  for (const [storeName, open] of stores)
    for (const [name, ofItem, bound] of histories)
      it(`cost a backup, restore and view little, ${name}, on ${storeName}`, async () => {
        const counted = new EntriesRead(await open());
        const clock = new VirtualClock(start);
        const db = await Stator.open({ store: counted.store, clock });
        cleanUps.push(() => db.close());
        await fill(db, clock, ofItem);
        const at = clock.nowMs();
        clock.advanceMs(10_000);
        await db.settled();

        counted.take();
        counted.snapshots = 0;
        const { BackupDetails } = await db.createBackup({ TableName, BackupName: 'whole' });
        expect(counted.take().all).toBeLessThan(4 * stepEntriesMax);
        await db.settled();
        const ended = counted.take();
        expect(ended.mostInStep).toBeLessThan(stepEntriesMax);
        expect(ended.all).toBeLessThan(bound);
        const { BackupDescription } = await db.describeBackup({ BackupArn: BackupDetails.BackupArn });
        expect(BackupDescription.SourceTableDetails.ItemCount).toBe(living);

        counted.take();
        await db.restoreTableToPointInTime({
          SourceTableName: TableName,
          TargetTableName: 'restored',
          RestoreDateTime: at / 1000,
        });
        await db.settled();
        const restored = counted.take();
        expect(restored.mostInStep).toBeLessThan(6 * 510);
        expect(restored.all).toBeLessThan(bound);
        expect(await db.scan({ TableName: 'restored', Select: 'COUNT' })).toMatchObject({ Count: living });

        counted.take();
        expect(await db.at(at).scan({ TableName, Select: 'COUNT' })).toMatchObject({ Count: living });
        expect(counted.take().all).toBeLessThan(bound);

        for await (const change of db.changes(TableName, { from: at, to: at + 5_000 }))
          expect.fail(JSON.stringify(change));
        expect(counted.take().all).toBeLessThan(bound);
        // Nothing holds a read transaction, however long it takes.
        expect(counted.snapshots).toBe(0);
      });
});

it('reads no more than the newest versions of an item', async () => {
  const counted = new EntriesRead(new MemoryStore());
  const clock = new VirtualClock(start);
  const db = await Stator.open({ store: counted.store, clock });
  await fill(db, clock, () => 0);
  counted.take();
  clock.advanceMs(1_000);
  expect(await db.versions(TableName, { pk: { S: '0' } })).toHaveLength(1_000);
  expect(counted.take().all).toBeLessThan(1_100);
  await db.close();
});

/** Writes items, and beside them old images that ended since, which is quicker than to make them by writes. */
async function fill(db: Stator, clock: VirtualClock, ofItem: (n: number) => number): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  clock.advanceMs(1_000);
  for (let first = 0; first < living; first += 25)
    await db.batchWriteItem({
      RequestItems: {
        [TableName]: Array.from({ length: 25 }, (_, i) => ({
          PutRequest: { Item: { pk: { S: `${first + i}` } } },
        })),
      },
    });
  clock.advanceMs(3_600_000);
  const { store, catalogue, h16 } = db.engine;
  const { storageId, history, order } = (await catalogue.record(scope, TableName))!;
  const place = historyPlace(storageId, history!.slot);
  const prefix = entryPrefix(storageId, 0);
  const itemKey = (n: number) => tableKey(prefix, { hash: { S: `${n}` }, range: undefined }, h16);
  const value = (await store.get(itemKey(0)))!;
  for (let from = 0; from < images; from += 1_000) {
    const mutations = Array.from({ length: 1_000 }, (_, i): Mutation => {
      const n = from + i;
      const end = { era: order!.era, micros: (start + 3_000_000) * 1000 + n };
      return { kind: 'put', key: historyKey(place, history!.period, itemKey(ofItem(n)), end), value };
    });
    await store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  }
}
