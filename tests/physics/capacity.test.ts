import { rm } from 'node:fs/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { partitionsKind } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { tableKey } from '../../src/model/keys/keys.ts';
import { placeOf } from '../../src/physics/place.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { opened, putAtRates, resourceOf, startMs, tableWith } from './load.ts';

const TableName = 'Tracking';
const put = (pk: string, more: Record<string, { S: string }> = {}) =>
  new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: '1' }, ...more } });
const provisioned = (ReadCapacityUnits: number, WriteCapacityUnits: number) => ({
  BillingMode: 'PROVISIONED' as const,
  ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits },
});

const byStatus = (WriteCapacityUnits: number) => ({
  AttributeDefinitions: [
    ...tableWith().AttributeDefinitions!,
    { AttributeName: 'status', AttributeType: 'S' as const },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-status',
      KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'ALL' as const },
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits },
    },
  ],
});

describe('provisioned throughput', () => {
  it('goes to the partition that needs it: 400 units, three partitions at 50 and one at 150', async () => {
    const { db, client, clock } = await opened(tableWith(provisioned(100, 3_900)), { physics: 'enforce' });
    await client.send(new UpdateTableCommand({ TableName, ...provisioned(100, 400) }));
    clock.advanceMs(5_000);
    await client.send(put('first'));
    const resource = resourceOf(db);
    expect([resource.map.count, resource.write.rate]).toEqual([4, 400]);
    // Nothing of the burst is left, so that only what comes in each second can be given.
    resource.write.balance = 0.5;
    const keys = keysOfPartitions(db, 4);
    const rates = [50, 50, 50, 150];
    clock.advanceMs(10);
    const { done, refused } = await putAtRates(
      { client, clock },
      10,
      rates.map((rate, i) => ({ rate, keyOf: () => keys[i]! })),
    );
    expect([done, [...refused]]).toEqual([3_000, []]);
    await db.close();
  });

  it('is refused once its burst of 300 seconds is spent', async () => {
    const { db, client, clock } = await opened(tableWith(provisioned(5, 2)), { physics: 'enforce' });
    const { done, refused } = await putAtRates({ client, clock }, 1, [{ rate: 700, keyOf: () => 'a' }]);
    expect(done).toBeGreaterThanOrEqual(600);
    expect(done).toBeLessThanOrEqual(604);
    const [error] = refused.get('a')!;
    expect(error).toBeInstanceOf(ProvisionedThroughputExceededException);
    expect(error).toMatchObject({
      message:
        'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.',
      ThrottlingReasons: [
        {
          reason: 'TableWriteProvisionedThroughputExceeded',
          resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Tracking',
        },
      ],
    });
    await db.close();
  });

  it('of an index holds up the writes of its table', async () => {
    const { db, client, clock } = await opened(tableWith({ ...provisioned(5, 1_000), ...byStatus(1) }), {
      physics: 'enforce',
    });
    let done = 0;
    let error: unknown;
    for (; error === undefined; done++) {
      const written = client.send(put(`S#${done}`, { status: { S: 'open' } }));
      await written.catch((trouble: unknown) => {
        error = trouble;
      });
    }
    expect(done).toBeGreaterThan(300);
    expect(done).toBeLessThan(310);
    expect(error).toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      ThrottlingReasons: [
        {
          reason: 'IndexWriteProvisionedThroughputExceeded',
          resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Tracking/index/by-status',
        },
      ],
    });
    // Nothing was written, items outside the index are welcome, and reasons of transactions and batches say the same.
    const Key = { pk: { S: `S#${done - 1}` }, sk: { S: '1' } };
    expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined();
    await client.send(put('outside'));
    const Item = { ...Key, status: { S: 'open' } };
    const transact = new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item } }] });
    const cancelled = await client.send(transact).catch((trouble: unknown) => trouble);
    expect(cancelled).toBeInstanceOf(TransactionCanceledException);
    expect((cancelled as TransactionCanceledException).CancellationReasons![0]!.Code).toBe(
      'ProvisionedThroughputExceeded',
    );
    const requests = [{ PutRequest: { Item } }, { PutRequest: { Item: { ...Key, pk: { S: 'more' } } } }];
    const batch = await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
    expect(batch.UnprocessedItems).toEqual({ [TableName]: [requests[0]] });
    // A look that was decided counts once.
    expect(db.engine.capacity.model.verdicts()).toMatchObject([{ indexName: 'by-status', count: 3 }]);
    const Update = { IndexName: 'by-status', ...provisioned(5, 100) };
    await client.send(
      new UpdateTableCommand({
        TableName,
        GlobalSecondaryIndexUpdates: [
          { Update: { IndexName: 'by-status', ProvisionedThroughput: Update.ProvisionedThroughput } },
        ],
      }),
    );
    clock.advanceMs(5_000);
    await client.send(put('again', { status: { S: 'open' } }));
    await db.close();
  });

  it('of an index is judged in shadow too, and what AWS would have refused is not charged', async () => {
    const { db, client } = await opened(tableWith({ ...provisioned(5, 1_000), ...byStatus(1) }), {});
    for (let i = 0; i < 400; i++) await client.send(put(`S#${i}`, { status: { S: 'open' } }));
    const [verdict] = db.engine.capacity.model.verdicts();
    expect(verdict).toMatchObject({ indexName: 'by-status', key: 'open', enforced: false });
    expect(verdict!.count).toBeGreaterThan(30);
    const { main, index } = { main: resourceOf(db), index: resourceOf(db, 'by-status') };
    expect(main.writeUnits).toBe(400 - verdict!.count);
    expect(index.writeUnits).toBe(main.writeUnits);
    await db.close();
  });
});

describe('a batch', () => {
  it('gives back what was throttled, and fails when everything was', async () => {
    const { db, client, clock } = await opened(tableWith(provisioned(1, 5)), { physics: 'enforce' });
    await client.send(put('a'));
    const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } });
    const batch = (...names: string[]) =>
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: names.map(key) } } });
    resourceOf(db).read.balance = 0;
    const failed = await client.send(batch('a', 'b')).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      ThrottlingReasons: [{ reason: 'TableReadProvisionedThroughputExceeded' }],
    });
    clock.advanceMs(1_000);
    const { Responses, UnprocessedKeys } = await client.send(batch('a', 'b'));
    expect([Responses![TableName]!.length, UnprocessedKeys]).toEqual([1, {}]);
    await db.close();
  });
});

describe('the partition map', () => {
  const scanned = async (db: Stator) => {
    const Scan = new ScanCommand({ TableName, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
    return (await db.client().send(Scan)).ConsumedCapacity!.CapacityUnits;
  };

  it('is what a Scan is charged by, and grows with warm throughput', async () => {
    const { db, client, clock } = await opened(tableWith(), {});
    await client.send(put('a'));
    expect(await scanned(db)).toBe(4);
    const WarmThroughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 };
    await client.send(new UpdateTableCommand({ TableName, WarmThroughput }));
    await client.send(put('a'));
    clock.advanceMs(7 * 60_000);
    await client.send(put('b'));
    expect(await scanned(db)).toBe(8);
    const fork = db.fork();
    expect(await scanned(fork)).toBe(8);
    await fork.close();
    db.restore(db.fork());
    expect(await scanned(db)).toBe(8);
    await db.close();
  });

  it('doubles half an hour after an on-demand peak that used all of it', async () => {
    const { db, client, clock } = await opened(tableWith(), {});
    await client.send(put('a'));
    expect(await scanned(db)).toBe(4);
    const { model } = db.engine.capacity;
    const resource = resourceOf(db);
    const key = new Uint8Array(27);
    // 3,800 write units a second for two minutes, evenly over the hash space: too many for requests of their own.
    for (let second = 0; second < 120; second++) {
      for (let i = 0; i < 4; i++)
        model.charge(resource, 'write', (i + 0.5) * 2 ** 51, key, 27, 950, clock.nowMs());
      clock.advanceMs(1_000);
    }
    clock.advanceMs(31 * 60_000);
    await client.send(put('a'));
    expect(await scanned(db)).toBe(8);
    await db.close();
  });

  it('is kept over a restart, and made anew for an older data directory', async () => {
    const directory = await newDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const clock = new VirtualClock(startMs);
    const open = () => Stator.open({ store: { directory, durability: 'relaxed' }, clock });
    let db = await open();
    const WarmThroughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 16_000 };
    await db.client().send(new CreateTableCommand(tableWith()));
    await db.client().send(put('a'));
    await db.client().send(new UpdateTableCommand({ TableName, WarmThroughput }));
    await db.client().send(put('a'));
    clock.advanceMs(7 * 60_000);
    await db.client().send(put('b'));
    expect(await scanned(db)).toBe(16);
    const numbers = idsOf(db);
    expect(numbers).not.toEqual(inOrder);
    await db.close();
    db = await open();
    await db.client().send(put('a'));
    expect([await scanned(db), idsOf(db)]).toEqual([16, numbers]);
    expect(await db.check()).toMatchObject({ clean: true });
    await db.close();
    const store = await openLmdbStore({ directory });
    await store.deleteRange(Uint8Array.of(partitionsKind), Uint8Array.of(partitionsKind + 1));
    await store.close();
    db = await open();
    await db.client().send(put('a'));
    // The table remembers the warm throughput it was given, so that it has as many partitions, under new numbers.
    expect(await scanned(db)).toBe(16);
    expect(idsOf(db)).toEqual(inOrder);
    await db.close();
  });
});

const inOrder = Array.from({ length: 16 }, (_, i) => i + 1);

/** The numbers of the partitions, in the order of the hash space: cuts give new ones. */
function idsOf(db: Stator): number[] {
  const { map } = resourceOf(db);
  return Array.from({ length: map.count }, (_, i) => map.idAt(i));
}

/** A partition key in each partition of the table. */
function keysOfPartitions(db: Stator, count: number): string[] {
  const { h16 } = db.engine;
  const { map } = resourceOf(db);
  const keys: (string | undefined)[] = Array.from({ length: count }, () => undefined);
  for (let i = 0; keys.includes(undefined); i++) {
    const name = `K#${i}`;
    const table = db.engine.catalogue.known({ account: '000000000000', region: 'us-east-1' }, TableName)!;
    const key = tableKey(table.prefix, { hash: { S: name }, range: { S: '1' } }, h16);
    keys[map.find(placeOf(key, 11), key, 27)] ??= name;
  }
  return keys as string[];
}
