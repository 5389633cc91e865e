import { afterEach } from 'vitest';
import { checkDatabase } from '../../src/engine/check/check-database.ts';
import type { CheckReport } from '../../src/engine/check/check-report.ts';
import { expiryEntryKey } from '../../src/engine/expiry/expiry-entries.ts';
import { decodeRecord, prepareTable, type Table } from '../../src/engine/tables/table-record.ts';
import { newHash16 } from '../../src/hash16.ts';
import { type AttributeMap, Stator, VirtualClock } from '../../src/index.ts';
import { indexKey, itemHash, tableKey } from '../../src/model/keys/keys.ts';
import { decodeItem, type ItemHeader, readHeader } from '../../src/model/stored/stored-item.ts';
import { indexKeyValues, primaryKeyOf } from '../../src/model/tables/table-schema.ts';
import type { Item } from '../../src/model/values/attribute-value.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Mutation, Store } from '../../src/storage/store.ts';

export const TableName = 'Orders';
export const scope = { account: '000000000000', region: 'us-east-1' };
export const place = { ...scope, table: TableName };

/** What ends with a test. */
export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Local indexes, global ones of every projection, and one whose key has four RANGE attributes, which may be cut. */
export const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: ['pk', 'sk', 'kind', 'a', 'b', 'c', 'd'].map((AttributeName) => ({
    AttributeName,
    AttributeType: AttributeName === 'sk' ? ('N' as const) : ('S' as const),
  })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'local',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' as const },
        { AttributeName: 'kind', KeyType: 'RANGE' as const },
      ],
      Projection: { ProjectionType: 'ALL' as const },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'all',
      KeySchema: [{ AttributeName: 'kind', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'ALL' as const },
    },
    {
      IndexName: 'keys',
      KeySchema: [
        { AttributeName: 'kind', KeyType: 'HASH' as const },
        { AttributeName: 'sk', KeyType: 'RANGE' as const },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    },
    {
      IndexName: 'some',
      KeySchema: [
        { AttributeName: 'kind', KeyType: 'HASH' as const },
        ...['a', 'b', 'c', 'd'].map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' as const })),
      ],
      Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: ['note'] },
    },
  ],
};

export function itemOf(pk: string, sk: number, more: AttributeMap = {}): AttributeMap {
  const letters = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { S: `${name}${sk}` }]));
  return { pk: { S: pk }, sk: { N: String(sk) }, kind: { S: `k${sk % 2}` }, ...letters, ...more };
}

/** A database with something of everything. */
export async function filled(store: Store): Promise<Stator> {
  const db = await Stator.open({ store, seed: 7, clock: new VirtualClock(1_700_000_000_000) });
  cleanups.push(() => db.close());
  await db.createTable(definition);
  await db.updateTimeToLive({
    TableName,
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' },
  });
  for (let sk = 0; sk < 4; sk++) {
    await db.putItem({ TableName, Item: itemOf('x', sk, { note: { S: 'first' } }) });
    // Written twice: entries that do not change keep the header of the first write.
    await db.putItem({
      TableName,
      Item: itemOf('x', sk, { note: { S: 'first' }, extra: { NS: ['3', '20', '1'] } }),
    });
  }
  const long = { S: 'z'.repeat(1000) };
  await db.putItem({ TableName, Item: itemOf('y', 1, { a: long, b: long, c: long, d: { S: '1' } }) });
  await db.putItem({ TableName, Item: itemOf('y', 2, { a: long, b: long, c: long, d: { S: '2' } }) });
  await db.putItem({
    TableName,
    Item: {
      pk: { S: 'bare' },
      sk: { N: '-1.5' },
      doc: { M: { l: { L: [{ NULL: true }] } } },
      until: { N: '1800000000' },
    },
  });
  await db.putItem({ TableName, Item: itemOf('gone', 1) });
  await db.deleteItem({ TableName, Key: { pk: { S: 'gone' }, sk: { N: '1' } } });
  await db.createTable({ ...definition, TableName: 'Dropped' });
  await db.putItem({ TableName: 'Dropped', Item: itemOf('x', 1) });
  await db.deleteTable({ TableName: 'Dropped' });
  await db.engine.settled();
  return db;
}

/** The check as the command does it: nobody else is there. */
export function checked(store: Store, standsStill = true): Promise<CheckReport> {
  let now = 0;
  return checkDatabase(store, newHash16(), { nowMs: () => now++, pause: async () => {}, standsStill });
}

/** A database and the keys in its store, for damage to be done. */
export interface Patient {
  readonly store: MemoryStore;
  readonly table: Table;
  readonly recordKey: Uint8Array;
  item(pk: string, sk: number): { key: Uint8Array; value: Uint8Array; item: Item; header: ItemHeader };
  entry(
    index: string,
    pk: string,
    sk: number,
  ): { key: Uint8Array; value: Uint8Array; item: Item; header: ItemHeader };
  /** The key of an item's entry among the expiries. */
  expiry(pk: string, sk: number, second: number): Uint8Array;
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
  add(counter: Uint8Array, delta: number): void;
}

export async function patient(): Promise<Patient> {
  const store = new MemoryStore();
  await filled(store);
  const h16 = newHash16();
  const recordKey = store.range({ from: Uint8Array.of(1), to: Uint8Array.of(2), limit: 1 }).entries[0]!.key;
  const table = prepareTable(scope, decodeRecord(store.get(recordKey)!));
  const mutate = (mutation: Mutation) =>
    store.transact({ reads: [], decide: () => ({ result: undefined, mutations: [mutation] }) });
  const read = (key: Uint8Array) => {
    const value = store.get(key);
    if (value === undefined) throw new Error('there is nothing to damage');
    return { key, value, item: decodeItem(value), header: readHeader(value) };
  };
  const item = (pk: string, sk: number) => {
    const key = new Map([
      ['pk', { S: pk }],
      ['sk', { N: String(sk) }],
    ] as [string, { S: string }][]);
    return read(tableKey(table.prefix, primaryKeyOf(table.schema, key), h16));
  };
  return {
    store,
    table,
    recordKey,
    item,
    entry(name, pk, sk) {
      const index = table.indexes.find(({ schema }) => schema.name === name)!;
      const of = item(pk, sk).item;
      const suffix = itemHash(primaryKeyOf(table.schema, of), h16);
      return read(indexKey(index.prefix, indexKeyValues(index.schema, of)!, suffix, h16));
    },
    expiry: (pk, sk, second) => expiryEntryKey(table.expiry!, second, item(pk, sk).key, h16),
    put: (key, value) => mutate({ kind: 'put', key, value }),
    remove: (key) => mutate({ kind: 'delete', key }),
    add: (counter, delta) => mutate({ kind: 'add', counter, delta }),
  };
}

/** Takes an entry away as if it had never been counted. */
export function removeEntry(ill: Patient, index: string, pk: string, sk: number): void {
  const { key, header } = ill.entry(index, pk, sk);
  const { counters } = ill.table.indexes.find(({ schema }) => schema.name === index)!;
  ill.remove(key);
  ill.add(counters.count, -1);
  ill.add(counters.bytes, -header.itemBytes);
}
