import { equalValues, type Item } from '../model/attribute-value.ts';
import type { DynamoError } from '../model/errors.ts';
import { itemSize } from '../model/item-size.ts';
import { type Hash16, tableKey } from '../model/keys.ts';
import {
  decodeItem,
  encodeItem,
  type ItemHeader,
  nextVersion,
  nextWriteTime,
  readHeader,
} from '../model/stored-item.ts';
import { keyAttributes, primaryKeyOf } from '../model/table-schema.ts';
import { itemWriteUnits } from '../physics/units.ts';
import type { Decision, Mutation, Unit } from '../storage/store.ts';
import { type IndexChange, indexChanges } from './index-entries.ts';
import { sameEpoch, type Table } from './table-record.ts';

/** The one shape of every change to an item: what is there goes in, what shall be there comes out. */
export interface ItemWrite {
  /** The key attributes, checked. */
  readonly key: Item;
  /** Pure: may be called more than once, with what it was given before or with something newer. */
  next(before: Item | undefined): { readonly item: Item | undefined } | DynamoError;
}

export interface WriteOutcome {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly capacity: WriteCapacity;
}

/** Units by arm; an index that was not written to has none. */
export interface WriteCapacity {
  readonly table: number;
  readonly indexes: readonly {
    readonly name: string;
    readonly kind: 'local' | 'global';
    readonly units: number;
  }[];
}

/** The table is not the one the write was planned for: it was changed or dropped meanwhile. */
export const stale = Symbol('stale table');

/** The unit that does a write: it reads the table's epoch and the item, and commits item, indexes and counters. */
export function writeUnit(
  table: Table,
  write: ItemWrite,
  nowMicros: number,
  h16: Hash16,
): Unit<WriteOutcome | DynamoError | typeof stale> {
  const key = tableKey(table.prefix, primaryKeyOf(table.schema, write.key), h16);
  return {
    reads: [table.epochKey, key],
    guess: [table.epoch, undefined],
    decide: ({ values: [epoch, found] }) => {
      if (!sameEpoch(epoch, table.epoch)) return { result: stale, mutations: [] };
      return decideWrite(table, write, key, found, nowMicros, h16);
    },
  };
}

function decideWrite(
  table: Table,
  write: ItemWrite,
  key: Uint8Array,
  found: Uint8Array | undefined,
  nowMicros: number,
  h16: Hash16,
): Decision<WriteOutcome | DynamoError> {
  const before = found === undefined ? undefined : decodeItem(found);
  if (before !== undefined) assertSameKey(table, before, write.key);
  const next = write.next(before);
  if (!('item' in next)) return { result: next, mutations: [] };
  const after = next.item;
  const previous = found === undefined ? undefined : readHeader(found);
  const beforeBytes = previous?.itemBytes;
  const afterBytes = after === undefined ? undefined : itemSize(after);
  const header: ItemHeader = {
    encrypted: false,
    tombstone: false,
    itemBytes: afterBytes ?? 0,
    writtenMicros: nextWriteTime(previous, nowMicros),
    region: 0,
    version: nextVersion(previous),
  };
  const changes = indexChanges(table, before, after, header, h16);
  const mutations: Mutation[] = [];
  if (after !== undefined) mutations.push({ kind: 'put', key, value: encodeItem(after, header) });
  else if (before !== undefined) mutations.push({ kind: 'delete', key });
  const count = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
  if (count !== 0) mutations.push({ kind: 'add', counter: table.counters.count, delta: count });
  const growth = (afterBytes ?? 0) - (beforeBytes ?? 0);
  if (growth !== 0) mutations.push({ kind: 'add', counter: table.counters.bytes, delta: growth });
  for (const change of changes) mutations.push(...change.mutations);
  return {
    result: { before, after, capacity: capacityOf(itemWriteUnits(beforeBytes, afterBytes), changes) },
    mutations,
  };
}

function capacityOf(table: number, changes: readonly IndexChange[]): WriteCapacity {
  return {
    table,
    indexes: changes.map(({ index, units }) => ({ name: index.schema.name, kind: index.kind, units })),
  };
}

/** Two partition keys with one hash: so improbable that it is a bug or a damaged store, and never an overwrite. */
function assertSameKey(table: Table, found: Item, asked: Item): void {
  for (const { name } of keyAttributes(table.schema))
    if (!equalValues(found.get(name)!, asked.get(name)!))
      throw new Error(`an item of table ${table.name} lies under the key of another`);
}
