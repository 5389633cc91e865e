import { fitsIndex } from '../../model/keys/key-checks.ts';
import { type Hash16, indexKey, itemHash } from '../../model/keys/keys.ts';
import { ItemEncoder } from '../../model/stored/item-encoder.ts';
import { decodeItem, hasSameJson, type ItemHeader, readHeader } from '../../model/stored/stored-item.ts';
import {
  indexKeyValues,
  type KeyAttribute,
  primaryKeyOf,
  projectForIndex,
} from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalItems, equalValues } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { indexWriteUnits } from '../../physics/units.ts';
import type { Mutation } from '../../storage/store.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';

/** The change of one index by a write, and its price. */
export interface IndexChange {
  readonly index: TableIndex;
  /** The old and the new entry, if they exist. */
  readonly before: IndexEntry | undefined;
  readonly after: IndexEntry | undefined;
  readonly mutations: readonly Mutation[];
  readonly units: number;
  /** The growth of the index's entries in bytes. */
  readonly growth: number;
}

/** An item before or after a write, with its size and its stored form. */
export interface Image {
  readonly item: Item;
  readonly bytes: number;
  /** The stored item. An index that projects all attributes stores the same bytes. */
  readonly stored: Uint8Array;
}

export interface IndexSettings {
  /** The header of the new item. Its entries get the same header with their own sizes. */
  readonly header: ItemHeader;
  readonly h16: Hash16;
  readonly encoder: ItemEncoder;
  /** Whether the old item has its entry in the index that is being filled, if there is such an index. */
  readonly isFilled: boolean;
  /** Whether the new item is known to differ from the old one. */
  readonly isOther: boolean;
}

/** The changes of all indexes when an item is replaced. Unchanged indexes are left out. */
export function indexChanges(
  table: Table,
  before: Image | undefined,
  after: Image | undefined,
  settings: IndexSettings,
): readonly IndexChange[] {
  const image = after ?? before;
  if (table.indexes.length === 0 || image === undefined) return noChanges;
  const { h16 } = settings;
  const suffix = itemHash(primaryKeyOf(table.schema, image.item), h16);
  const changes: IndexChange[] = [];
  for (const index of table.indexes) {
    const known = index === table.filling && !settings.isFilled ? undefined : before;
    const old = known && entryOf(table, index, known, entryKey(index, known.item, suffix, h16));
    const key =
      old !== undefined && after !== undefined && hasSameKey(index, old.item, after.item)
        ? old.key
        : after && entryKey(index, after.item, suffix, h16);
    const change = changeOf(index, old, after && entryOf(table, index, after, key), settings);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

const noChanges: readonly IndexChange[] = [];

function hasSameKey({ schema }: TableIndex, before: Item, after: Item): boolean {
  if (before === after) return true;
  const isSame = ({ name }: KeyAttribute) => {
    const value = after.get(name);
    return value !== undefined && equalValues(before.get(name)!, value);
  };
  return schema.hash.every(isSame) && schema.range.every(isSame);
}

/** The key of the entry of an item. Undefined if the item does not belong in the index. */
export function indexEntryKey(
  table: Table,
  index: TableIndex,
  item: Item,
  h16: Hash16,
): Uint8Array | undefined {
  return entryKey(index, item, itemHash(primaryKeyOf(table.schema, item), h16), h16);
}

function entryKey(index: TableIndex, item: Item, suffix: Uint8Array, h16: Hash16): Uint8Array | undefined {
  if (!fitsIndex(index.schema, item)) return undefined;
  return indexKey(index.prefix, indexKeyValues(index.schema, item)!, suffix, h16);
}

/** The entry of an item that an index being filled lacks. Undefined if the item does not belong in the index. */
export function newEntry(
  table: Table,
  index: TableIndex,
  stored: Uint8Array,
  h16: Hash16,
): { readonly key: Uint8Array; readonly units: number; readonly mutations: readonly Mutation[] } | undefined {
  const header = readHeader(stored);
  const item = decodeItem(stored);
  const key = indexEntryKey(table, index, item, h16);
  const entry = entryOf(table, index, { item, bytes: header.itemBytes, stored }, key);
  const encoder = new ItemEncoder();
  if (entry === undefined) return undefined;
  const { units, mutations } = changeOf(index, undefined, entry, { header, encoder, isOther: true })!;
  return { key: entry.key, units, mutations };
}

export interface IndexEntry {
  readonly key: Uint8Array;
  readonly item: Item;
  readonly bytes: number;
  /** The stored form, if it is that of the whole item. */
  readonly stored: Uint8Array | undefined;
}

function entryOf(
  table: Table,
  index: TableIndex,
  image: Image,
  key: Uint8Array | undefined,
): IndexEntry | undefined {
  if (key === undefined) return undefined;
  if (index.schema.projection.type === 'ALL')
    return { key, item: image.item, bytes: image.bytes, stored: image.stored };
  const item = projectForIndex(table.schema, index.schema, image.item);
  return { key, item, bytes: itemSize(item), stored: undefined };
}

function isSame(before: IndexEntry, after: IndexEntry, isOther: boolean): boolean {
  return before.stored !== undefined && after.stored !== undefined
    ? !isOther && hasSameJson(before.stored, after.stored)
    : equalItems(before.item, after.item);
}

/** Computes the change and the price of one index. */
function changeOf(
  index: TableIndex,
  before: IndexEntry | undefined,
  after: IndexEntry | undefined,
  { header, encoder, isOther }: Pick<IndexSettings, 'header' | 'encoder' | 'isOther'>,
): IndexChange | undefined {
  if (before === undefined && after === undefined) return undefined;
  const put = (entry: IndexEntry): Mutation => ({
    kind: 'put',
    key: entry.key,
    value: entry.stored ?? encoder.encode(entry.item, { ...header, itemBytes: entry.bytes }),
  });
  if (before === undefined || after === undefined) {
    const entry = (before ?? after)!;
    const sign = after === undefined ? -1 : 1;
    return {
      index,
      before,
      after,
      units: unitsOf(before, after, false),
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
  if (before.key === after.key || equalBytes(before.key, after.key)) {
    if (isSame(before, after, isOther)) return undefined;
    return {
      index,
      before,
      after,
      units: unitsOf(before, after, true),
      growth,
      mutations: [put(after), ...resize],
    };
  }
  return {
    index,
    before,
    after,
    units: unitsOf(before, after, false),
    growth,
    mutations: [{ kind: 'delete', key: before.key }, put(after), ...resize],
  };
}

/** The price of an entry that is not the same afterwards. */
function unitsOf(before: IndexEntry | undefined, after: IndexEntry | undefined, sameKey: boolean): number {
  return indexWriteUnits({ before: before?.bytes, after: after?.bytes, sameKey, sameProjection: false });
}
