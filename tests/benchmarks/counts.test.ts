import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CaseName, cases } from '../../benchmarks/http/cases.ts';
import { fillPlainly, wholeRequest } from '../../benchmarks/http/in-process.ts';
import { Orders, tableDefinition } from '../../benchmarks/http/items.ts';
import { Stator } from '../../src/stator.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { CountingStore, type StoreCounts } from './counting-store.ts';

/**
 * What an operation asks of its Store, for the very requests that the benchmarks measure. Time differs from machine
 * to machine; these numbers do not, and one that grows makes every operation of its kind slower.
 */
describe('an operation on a table with one global index', () => {
  const orders = new Orders(100, 1);
  const counting = new CountingStore(new MemoryStore());
  let db: Stator;

  beforeEach(async () => {
    db = await Stator.open({ store: counting.store });
    await db.createTable(tableDefinition as unknown as Parameters<Stator['createTable']>[0]);
    await fillPlainly(db, orders);
    // The look at jobs that were under way when the database was opened.
    await db.settled();
    // The first request finds the table; it is the later ones that matter.
    await wholeRequest(db, 'GetItem', cases.get.input(orders, 0, 0));
    counting.take();
  });

  // The Store is shared and stays; its tables go.
  afterEach(async () => {
    await db.deleteTable({ TableName: tableDefinition.TableName });
    await db.engine.settled();
  });

  const noMutations = { put: 0, delete: 0, append: 0, add: 0 };
  const read = (calls: Record<string, number>): StoreCounts => ({
    calls,
    unitReads: 0,
    mutations: noMutations,
  });
  /** The item is read; it and its entry in the index are written. */
  const written: StoreCounts = {
    calls: { transact: 1 },
    unitReads: 1,
    mutations: { ...noMutations, put: 2 },
  };

  it.each<[CaseName, StoreCounts]>([
    ['get', read({ get: 1 })],
    ['query', read({ range: 1 })],
    ['index', read({ range: 1 })],
    ['filter', read({ range: 1 })],
    ['batch-get', read({ getMany: 1 })],
    ['put', written],
    ['update', written],
  ])('%s', async (name, counts) => {
    const { operation, input } = cases[name];
    await wholeRequest(db, operation, input(orders, 7, 1));
    expect(counting.take()).toEqual(counts);
  });

  it('writes a batch in one call, and reads and writes no more than its items need', async () => {
    const puts = Array.from({ length: 25 }, (_, index) => ({ PutRequest: { Item: orders.item(index, 1) } }));
    await wholeRequest(db, 'BatchWriteItem', { RequestItems: { [tableDefinition.TableName]: puts } });
    expect(counting.take()).toEqual({
      calls: { transactMany: 1 },
      unitReads: 25,
      mutations: { ...noMutations, put: 50 },
    });
  });

  it('writes nothing to the index when the item stays what it was', async () => {
    await wholeRequest(db, 'PutItem', cases.put.input(orders, 7, 0));
    expect(counting.take().mutations).toEqual({ ...noMutations, put: 1 });
  });

  it.each<CaseName>(['get', 'query', 'index', 'batch-get', 'put', 'update'])(
    'parses no stored item for %s',
    async (name) => {
      const { operation, input } = cases[name];
      const parse = vi.spyOn(JSON, 'parse');
      try {
        await wholeRequest(db, operation, input(orders, 7, 1));
        // What is kept of expressions is copied by it, once.
        expect(parse.mock.calls.filter(([text]) => text.startsWith('{'))).toEqual([]);
      } finally {
        parse.mockRestore();
      }
    },
  );
});
