import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFollowed, pagesOf } from '../../benchmarks/change-log/streams.ts';
import { plainTable } from '../../benchmarks/growth/collection.ts';
import { fillPlainly, type PlainItem, wholeRequest } from '../../benchmarks/http/in-process.ts';
import { Orders, tableDefinition, tableName } from '../../benchmarks/http/items.ts';
import { Stator } from '../../src/stator.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { CountingStore } from './counting-store.ts';
import { expectMeasured, measureSmall } from './measure-small.ts';

/** Benchmarks of streams and of expiry, tiny: what is checked is that they do what they say. */
describe('the benchmark', () => {
  it('followed: every put to the followed table has its record, and none to the other', async () => {
    const report = await measureSmall('followed');
    const [inProcess, ...overHttp] = report.tables;
    expect(inProcess!.rows.map(([store, , table]) => [store, table])).toEqual([
      ['memory', 'Orders'],
      ['memory', 'FollowedOrders'],
      ['lmdb, durable', 'Orders'],
      ['lmdb, durable', 'FollowedOrders'],
    ]);
    for (const [, , table, , puts, records] of inProcess!.rows) {
      expect(Number(puts)).toBeGreaterThanOrEqual(100);
      expect(records).toBe(table === 'Orders' ? '0' : puts);
    }
    expect(overHttp.map(({ rows }) => rows.length)).toEqual([2, 2]);
    expectMeasured(report, 4);
  });

  it('followed: does the parts that it is asked for, and says which there are', async () => {
    const { findings } = await measureSmall('followed', 'in-process');
    expect(findings).toHaveLength(2);
    await expect(measureSmall('followed', 'nothing')).rejects.toThrow('There are in-process, http');
  });

  it('records: both ways read every record that was written', async () => {
    const report = await measureSmall('records');
    expect(report.tables[0]!.rows.map(([store, way, , records]) => [store, way, records])).toEqual([
      ['memory', 'the operation, JSON as bytes', '2000'],
      ['memory', 'plain method', '2000'],
      ['lmdb', 'the operation, JSON as bytes', '2000'],
      ['lmdb', 'plain method', '2000'],
    ]);
    // Of the same bytes on every machine, but for the digits of their times.
    expect(new Set(report.tables[0]!.rows.map(([, , , , bytes]) => bytes))).toEqual(new Set(['493']));
    expectMeasured(report, 4);
  });

  it('idle-stream: servers with and without a stream hold the same items', async () => {
    const report = await measureSmall('idle-stream');
    expect(report.hash).toMatch(/^[0-9a-f]{8}$/);
    expect(report.tables.map(({ rows }) => rows.length)).toEqual([4, 2]);
    expectMeasured({ findings: report.findings.slice(0, 4) }, 4);
    // Times of an idle process may well be nothing.
    for (const { what, value } of report.findings.slice(4)) expect(value, what).toBeGreaterThanOrEqual(0);
  });

  it('sweep: everything that has expired is gone', async () => {
    const report = await measureSmall('sweep');
    expect(report.tables[0]!.rows.map(([name, deleted]) => [name, deleted])).toEqual([
      ['stator', '500'],
      ['stator-lmdb', '500'],
    ]);
    expectMeasured(report, 2);
  });
});

/** What streams ask of a Store. Time differs from machine to machine; these numbers do not. */
describe('a stream', () => {
  const orders = new Orders(100, 1);
  const counting = new CountingStore(new MemoryStore());
  const noMutations = { put: 0, delete: 0, append: 0, add: 0 };
  let db: Stator;
  let arn: string;

  beforeEach(async () => {
    db = await Stator.open({ store: counting.store });
  });

  // The Store is shared and stays; its tables go.
  afterEach(async () => {
    for (const name of (await db.listTables()).TableNames ?? []) await db.deleteTable({ TableName: name });
    await db.settled();
  });

  describe('of the table', () => {
    beforeEach(async () => {
      arn = await createFollowed(db, tableDefinition);
      await fillPlainly(db, orders);
      // The look at jobs that were under way when the database was opened.
      await db.settled();
      counting.take();
    });

    const put = (version: number) =>
      wholeRequest(db, 'PutItem', { TableName: tableName, Item: orders.item(7, version) });

    it('costs a put one record, in the same call', async () => {
      await put(1);
      expect(counting.take()).toEqual({
        calls: { transact: 1 },
        unitReads: 1,
        mutations: { ...noMutations, put: 2, append: 1 },
      });
    });

    it('costs a put nothing that changes nothing', async () => {
      await put(0);
      expect(counting.take()).toEqual({
        calls: { transact: 1 },
        unitReads: 1,
        mutations: { ...noMutations, put: 1 },
      });
    });

    it('costs a deletion one record, in the same call', async () => {
      await wholeRequest(db, 'DeleteItem', { TableName: tableName, Key: orders.key(7) });
      expect(counting.take()).toEqual({
        calls: { transact: 1 },
        unitReads: 1,
        // Items and bytes, of the table and of its index.
        mutations: { ...noMutations, delete: 2, add: 4, append: 1 },
      });
    });

    it('costs a batch a record for each item, in the same call', async () => {
      const puts = Array.from({ length: 25 }, (_, index) => ({
        PutRequest: { Item: orders.item(index, 1) },
      }));
      await wholeRequest(db, 'BatchWriteItem', { RequestItems: { [tableName]: puts } });
      expect(counting.take()).toEqual({
        calls: { transactMany: 1 },
        unitReads: 25,
        mutations: { ...noMutations, put: 50, append: 25 },
      });
    });
  });

  describe('with pages to read', () => {
    /** Of one shard: where to begin, for a page of so many records. */
    const iteratorOf = async (records: number): Promise<string> => {
      arn = await createFollowed(db, plainTable);
      for (let index = 0; index < records; index++)
        await db.putItem({ TableName: tableName, Item: { pk: { S: 'ONE' }, sk: { S: String(index) } } });
      for await (const page of pagesOf(db, arn)) return page.iterator;
      throw new Error('There are no records');
    };

    it.each([
      // The first portion of the log, the second and, where the page is not full yet, a look behind the last record.
      [1, 2],
      [32, 2],
      [33, 3],
      [999, 3],
      [1_000, 2],
    ])('reads a page of %i in few calls', async (records, readLog) => {
      const ShardIterator = await iteratorOf(records);
      counting.take();
      const { Records: read } = await db.getRecords({ ShardIterator });
      expect(read).toHaveLength(records);
      // The stream before and after, and its shards before and after.
      expect(counting.take()).toEqual({ calls: { get: 4, readLog }, unitReads: 0, mutations: noMutations });
    });

    it('parses no more JSON for many records than for one', async () => {
      const parses: number[] = [];
      for (const records of [1, 1_000]) {
        const ShardIterator = await iteratorOf(records);
        const parse = vi.spyOn(JSON, 'parse');
        try {
          await db.getRecords({ ShardIterator });
          parses.push(parse.mock.calls.length);
        } finally {
          parse.mockRestore();
        }
        await db.deleteTable({ TableName: tableName });
      }
      // The iterator, the stream and its shards twice each, and the answer if it is long.
      expect(parses).toEqual([5, 6]);
    });
  });

  it('of another table costs a put nothing, and nothing at all happens without requests', async () => {
    const idle = await createFollowed(db, { ...plainTable, TableName: 'Idle' });
    const Item: PlainItem = { pk: { S: 'ONE' }, sk: { S: 'x' } };
    await db.putItem({ TableName: 'Idle', Item });
    await db.createTable(tableDefinition as unknown as Parameters<Stator['createTable']>[0]);
    await fillPlainly(db, orders);
    await db.settled();
    counting.take();
    await wholeRequest(db, 'PutItem', { TableName: tableName, Item: orders.item(7, 1) });
    expect(counting.take()).toEqual({
      calls: { transact: 1 },
      unitReads: 1,
      mutations: { ...noMutations, put: 2 },
    });
    await db.settled();
    expect(counting.take()).toEqual({ calls: {}, unitReads: 0, mutations: noMutations });
    let records = 0;
    for await (const page of pagesOf(db, idle)) records += page.records.length;
    expect(records).toBe(1);
  });
});
