import { describe, expect, it } from 'vitest';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { pureStore } from '../../../tests/storage/pure-store.ts';
import { newHash16 } from '../../hash16.ts';
import { DynamoError } from '../../model/errors.ts';
import { indexKey, itemHash, partitionHash, tableKey } from '../../model/keys/keys.ts';
import { decodeItem, readHeader } from '../../model/stored/stored-item.ts';
import type {
  AttributeDefinition,
  KeySchemaElement,
  LocalIndexDescription,
  Projection,
} from '../../model/tables/table-description.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { seededChance } from '../../runtime/chance.ts';
import { VirtualClock } from '../../runtime/clock.ts';
import { runtimeOf } from '../../runtime/machine/runtime-of.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import { Engine } from '../engine.ts';
import { openRoad } from '../road.ts';
import { collectionCounter, type SlotCounters, tableRange } from '../store-keys.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import type { Table } from '../tables/table-record.ts';

const hash16 = newHash16();
const scope = { account: '000000000000', region: 'us-east-1' };
const tableName = 'indexed';
const storageId = '0123456789abcdef';
const keyNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const otherNames = ['x', 'y', 'z'];

describe('index entries', () => {
  const seeds = testSeeds('index entries');
  it.each(seeds)('are at any time what the items of the table make of them, %i', async (seed) => {
    for (let round = 0; round < rounds(20); round++) await randomTable(seededRandom(seed + round));
  });
});

async function randomTable(random: SeededRandom): Promise<void> {
  const store = pureStore(new MemoryStore());
  const engine = new Engine({
    store,
    runtime: runtimeOf(new VirtualClock(1_000_000), seededChance(1), true),
    h16: hash16,
    physics: 'shadow',
    log: () => {},
  });
  const description = randomDescription(random);
  const indexes = [...description.lsis, ...description.gsis];
  await engine.catalogue.change(scope, tableName, () => ({
    put: {
      format: 2,
      description,
      storageId,
      epoch: 1,
      slots: Object.fromEntries(indexes.map(({ indexName }, i) => [indexName, i + 1])),
      nextSlot: indexes.length + 1,
      tags: {},
      phases: {},
    },
  }));
  const table = await engine.table(scope, tableName);
  if (table instanceof DynamoError) throw new Error(table.message);

  const items = new Map<string, Item>();
  for (let step = 0; step < 30; step++) {
    const item = randomItem(random, table, description.attributeDefinitions);
    const key = new Map(keyOf(table).map(({ name }) => [name, item.get(name)!]));
    const isDeletion = random.chance(0.3);
    const next = { item: isDeletion ? undefined : item };
    const outcome = await engine.writeItem(openRoad, { scope, tableName }, () => ({ key, next: () => next }));
    if (outcome instanceof DynamoError) throw new Error(outcome.message);
    const id = JSON.stringify([...key]);
    if (isDeletion) items.delete(id);
    else items.set(id, item);
    await expectStored(store, table, [...items.values()]);
  }
}

interface Slot {
  readonly counters: SlotCounters;
  readonly entries: Map<string, Item>;
}

/** Computes all index entries from the items alone, naively, and compares them with the store. */
async function expectStored(store: MemoryStore, table: Table, items: readonly Item[]): Promise<void> {
  const slots: Slot[] = [{ counters: table.counters, entries: new Map() }];
  const collections = new Map<string, { counter: Uint8Array; bytes: number }>();
  for (const item of items)
    slots[0]!.entries.set(hex(tableKey(table.prefix, primaryKey(table, item), hash16)), item);
  for (const { prefix, schema, counters } of table.indexes) {
    const entries = new Map<string, Item>();
    for (const item of items) {
      const attributes = [...schema.hash, ...schema.range];
      const isKey = ({ name, type }: KeyAttribute) =>
        type in (item.get(name) ?? {}) && !isEmptyString(item.get(name)!);
      if (!attributes.every(isKey)) continue;
      const names = new Set([...keyOf(table), ...attributes].map(({ name }) => name));
      if (schema.projection.type === 'INCLUDE') for (const name of schema.projection.names) names.add(name);
      const held = [...item].filter(([name]) => schema.projection.type === 'ALL' || names.has(name));
      const values = (of: readonly KeyAttribute[]) => of.map(({ name }) => item.get(name)! as { S: string });
      const place = {
        hash: values(schema.hash),
        range: values(schema.range),
      };
      const suffix = itemHash(primaryKey(table, item), hash16);
      entries.set(hex(indexKey(prefix, place, suffix, hash16)), new Map(held));
    }
    slots.push({ counters, entries });
  }
  const expected = new Map(slots.flatMap(({ entries }) => [...entries]));
  const found = store.range({ ...tableRange(storageId), limit: 100_000 }).entries;
  expect(found.map(({ key }) => hex(key))).toEqual([...expected.keys()].toSorted());
  for (const { key, value } of found) {
    const item = expected.get(hex(key))!;
    expect(decodeItem(value)).toEqual(item);
    expect(readHeader(value).itemBytes).toBe(itemSize(item));
  }
  for (const { counters, entries } of slots) {
    const bytes = [...entries.values()].reduce((sum, item) => sum + itemSize(item), 0);
    expect(store.counters([counters.count, counters.bytes])).toEqual([entries.size, bytes]);
  }
  if (table.schema.localIndexes.length === 0) return;
  for (const item of items) {
    const key = tableKey(table.prefix, primaryKey(table, item), hash16);
    const hash = partitionHash(key, table.prefix.length);
    collections.set(hex(hash), { counter: collectionCounter(table.prefix, hash), bytes: 0 });
  }
  for (const [i, { entries }] of slots.entries()) {
    if (i > 0 && table.indexes[i - 1]!.kind === 'global') continue;
    // Local indexes have the table's partition key, so the hash is at the same offset.
    for (const [key, item] of entries) {
      const bytes = Uint8Array.from(Buffer.from(key, 'hex'));
      collections.get(hex(partitionHash(bytes, table.prefix.length)))!.bytes += itemSize(item);
    }
  }
  for (const { counter, bytes } of collections.values()) expect(store.counters([counter])).toEqual([bytes]);
}

function keyOf({ schema }: Table): KeyAttribute[] {
  return schema.range === undefined ? [schema.hash] : [schema.hash, schema.range];
}

function primaryKey(table: Table, item: Item) {
  const [hash, range] = keyOf(table).map(({ name }) => item.get(name)! as { S: string });
  return { hash: hash!, range };
}

function randomDescription(random: SeededRandom): TableDescription {
  const types = keyNames.map(
    (AttributeName): AttributeDefinition => ({ AttributeName, AttributeType: random.pick(['S', 'N', 'B']) }),
  );
  const hash = (AttributeName: string): KeySchemaElement => ({ AttributeName, KeyType: 'HASH' });
  const range = (AttributeName: string): KeySchemaElement => ({ AttributeName, KeyType: 'RANGE' });
  const hasRange = random.chance(0.7);
  const some = (least: number, most: number, from: string[]) =>
    Array.from({ length: least + random.below(most - least + 1) }, () =>
      from.splice(random.below(from.length), 1),
    ).flat();
  const projection = (): Projection => {
    const ProjectionType = random.pick(['ALL', 'KEYS_ONLY', 'INCLUDE'] as const);
    return ProjectionType === 'INCLUDE'
      ? { ProjectionType, NonKeyAttributes: [random.pick(otherNames), random.pick(keyNames)] }
      : { ProjectionType };
  };
  const lsis: LocalIndexDescription[] = Array.from({ length: hasRange ? random.below(4) : 0 }, (_, i) => ({
    indexName: `local-${i}`,
    keySchema: [hash('a'), range(random.pick(keyNames.slice(1)))],
    projection: projection(),
  }));
  const units = { ReadCapacityUnits: 0, WriteCapacityUnits: 0, decreasesThatDay: 0 };
  const warmThroughput = { ReadUnitsPerSecond: 1, WriteUnitsPerSecond: 1 };
  return {
    tableName,
    tableId: 'id',
    createdAt: 0,
    keySchema: hasRange ? [hash('a'), range('b')] : [hash('a')],
    attributeDefinitions: types,
    billing: { mode: 'PAY_PER_REQUEST', throughput: units, switchedToOnDemandAt: [] },
    warmThroughput,
    lsis,
    gsis: Array.from({ length: random.below(4) }, (_, i) => {
      const names = [...keyNames];
      const keySchema = [...some(1, 4, names).map(hash), ...some(0, 4, names).map(range)];
      return {
        indexName: `global-${i}`,
        keySchema,
        projection: projection(),
        throughput: units,
        warmThroughput,
      };
    }),
    deletionProtection: false,
    tableClass: 'STANDARD',
    tableClassChangedAt: [],
    sseChangedAt: [],
  };
}

/** Draws from few values, so that items share keys, some entries stay in place, and some move. */
function randomItem(random: SeededRandom, table: Table, definitions: readonly AttributeDefinition[]): Item {
  const keys = keyOf(table).map(({ name }) => name);
  const item = new Map<string, AttributeValue>();
  for (const { AttributeName: name, AttributeType: type } of definitions) {
    if (!keys.includes(name) && random.chance(0.15)) continue;
    // An item that is older than its index may have any value in a key attribute of the index.
    item.set(name, !keys.includes(name) && random.chance(0.03) ? { BOOL: true } : keyValue(random, type));
  }
  for (const name of otherNames) if (random.chance(0.5)) item.set(name, { S: 'x'.repeat(random.below(3)) });
  if (random.chance(0.3)) item.set('z', { SS: ['p', 'q'].slice(random.below(2)) });
  return item;
}

function keyValue(random: SeededRandom, type: 'S' | 'N' | 'B'): AttributeValue {
  if (type === 'N') return { N: random.pick(['0', '-1.5', '100']) };
  if (type === 'B') return { B: random.pick(['AA==', 'AAA=', '/w==']) };
  // Four sort attributes of a kilobyte do not fit in the key of an entry, so the key is cut.
  return { S: random.pick(['s', 't', '', `${'long'.repeat(255)}1`, `${'long'.repeat(255)}2`]) };
}

function isEmptyString(value: AttributeValue): boolean {
  return 'S' in value && value.S === '';
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
