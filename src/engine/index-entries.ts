import type { Item } from '../model/attribute-value.ts';
import { equalItems } from '../model/attribute-value.ts';
import { itemSize } from '../model/item-size.ts';
import { type Hash16, indexKey } from '../model/keys.ts';
import { encodeItem, type ItemHeader } from '../model/stored-item.ts';
import { indexKeyValues, projectForIndex } from '../model/table-schema.ts';
import { writeUnits } from '../physics/units.ts';
import type { Mutation } from '../storage/store.ts';
import type { Table, TableIndex } from './table-record.ts';

/** What a write does to one index, and what the service charges for it. */
export interface IndexChange {
  readonly index: TableIndex;
  readonly mutations: readonly Mutation[];
  readonly units: number;
  /** By how many bytes the index's entries grow. */
  readonly growth: number;
}

/** An item before or after a write, with what is known of it already. */
export interface Image {
  readonly item: Item;
  readonly bytes: number;
  /** The item as it is stored; an index that projects all attributes stores the same. */
  readonly stored: Uint8Array;
}

/** The changes of all indexes when an item is replaced; indexes that it does not touch are left out. */
export function indexChanges(
  table: Table,
  before: Image | undefined,
  after: Image | undefined,
  header: ItemHeader,
  h16: Hash16,
): IndexChange[] {
  const changes: IndexChange[] = [];
  for (const index of table.indexes) {
    const change = changeOf(
      index,
      entryOf(table, index, before, h16),
      entryOf(table, index, after, h16),
      header,
    );
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

interface IndexEntry {
  readonly key: Uint8Array;
  readonly item: Item;
  readonly bytes: number;
  /** What is stored, where it is the item itself. */
  readonly stored: Uint8Array | undefined;
}

function entryOf(
  table: Table,
  index: TableIndex,
  image: Image | undefined,
  h16: Hash16,
): IndexEntry | undefined {
  const values = image && indexKeyValues(table.schema, index.schema, image.item);
  if (image === undefined || values === undefined) return undefined;
  const key = indexKey(index.prefix, values, h16);
  if (index.schema.projection.type === 'ALL') return { key, ...image };
  const item = projectForIndex(table.schema, index.schema, image.item);
  return { key, item, bytes: itemSize(item), stored: undefined };
}

/**
 * An entry that stays what it was costs nothing, one that appears, goes or changes in place costs one write, and one
 * that moves to another key costs two, each rounded by itself.
 */
function changeOf(
  index: TableIndex,
  before: IndexEntry | undefined,
  after: IndexEntry | undefined,
  header: ItemHeader,
): IndexChange | undefined {
  if (before === undefined && after === undefined) return undefined;
  const put = (entry: IndexEntry): Mutation => ({
    kind: 'put',
    key: entry.key,
    value: entry.stored ?? encodeItem(entry.item, { ...header, itemBytes: entry.bytes }),
  });
  if (before === undefined || after === undefined) {
    const entry = (before ?? after)!;
    const sign = after === undefined ? -1 : 1;
    return {
      index,
      units: writeUnits(entry.bytes),
      growth: sign * entry.bytes,
      mutations: [
        after === undefined ? { kind: 'delete', key: entry.key } : put(after),
        { kind: 'add', counter: index.counters.count, delta: sign },
        { kind: 'add', counter: index.counters.bytes, delta: sign * entry.bytes },
      ],
    };
  }
  const growth = after.bytes - before.bytes;
  const resize: Mutation[] =
    growth === 0 ? [] : [{ kind: 'add', counter: index.counters.bytes, delta: growth }];
  if (sameBytes(before.key, after.key)) {
    if (equalItems(before.item, after.item)) return undefined;
    return {
      index,
      units: Math.max(writeUnits(before.bytes), writeUnits(after.bytes)),
      growth,
      mutations: [put(after), ...resize],
    };
  }
  return {
    index,
    units: writeUnits(before.bytes) + writeUnits(after.bytes),
    growth,
    mutations: [{ kind: 'delete', key: before.key }, put(after), ...resize],
  };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
