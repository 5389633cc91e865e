import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import { capacityLimits, requestLimits } from '../../model/limits.ts';
import { decodeItem, readItemBytes } from '../../model/stored/stored-item.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import { fetchedItemBytes } from '../../physics/units.ts';
import type { Entry, Reader, Store } from '../../storage/store.ts';
import type { Table } from '../tables/table-record.ts';
import { stale } from '../writes/write-item.ts';
import { type EntrySink, type EvaluatedPage, type PagePlan, readPage } from './read-range.ts';

/** A page of a local index that lacks requested attributes. Its entries have the index's keys and the table's items. */
export interface FetchedPage extends EvaluatedPage {
  /** The sizes of the fetched items. Each item is charged by itself. */
  readonly fetchedBytes: readonly number[];
}

/** The most entries a page can hold: each fetched item counts for at least one read unit of bytes. */
const entriesMax = requestLimits.pageBytesMax / capacityLimits.readUnitBytes;

/** The number of items fetched in one call. Items may be large, so it is small. */
const itemsAtOnce = 32;

/**
 * Reads a page of a local index and the table's items behind it. Both come from one state of the store, so no entry is
 * without its item. The page ends at 1 MB of index entries and fetched items, where each item is rounded up to whole
 * read units (documented: Developer Guide, LSI).
 */
export async function readFetchedPage(
  store: Store,
  table: Table,
  plan: PagePlan,
  h16: Hash16,
): Promise<FetchedPage | typeof stale> {
  const snapshot = await store.snapshot();
  try {
    const limit = Math.min(plan.limit ?? entriesMax, entriesMax);
    const entries: Entry[] = [];
    const sink = {
      take(entry: Entry) {
        entries.push(entry);
        return undefined;
      },
    };
    const page = await readPage(snapshot, table, { ...plan, limit, sink }, !store.exclusive);
    if (page === stale) return stale;
    return await withItems(snapshot, table, entries, page.stopped, h16, plan.sink);
  } finally {
    await snapshot.close();
  }
}

async function withItems(
  reader: Reader,
  table: Table,
  found: readonly Entry[],
  stopped: boolean,
  h16: Hash16,
  sink: EntrySink,
): Promise<FetchedPage> {
  const fetchedBytes: number[] = [];
  const first = found[0];
  let last: Entry | undefined;
  let bytes = 0;
  let weight = 0;
  for (let at = 0; at < found.length; at += itemsAtOnce) {
    const entries = found.slice(at, at + itemsAtOnce);
    const keys = entries.map(({ value }) =>
      tableKey(table.prefix, primaryKeyOf(table.schema, decodeItem(value)), h16),
    );
    const items = await reader.getMany(keys);
    for (const [i, item] of items.entries()) {
      if (item === undefined) throw new Error(`an index of table ${table.name} has an entry without an item`);
      const itemBytes = readItemBytes(item);
      const { key, value } = entries[i]!;
      const entryBytes = readItemBytes(value);
      last = { key, value: item };
      const waiting = sink.take(last);
      if (waiting !== undefined) await waiting;
      fetchedBytes.push(itemBytes);
      bytes += entryBytes;
      weight += entryBytes + fetchedItemBytes(itemBytes);
      if (weight >= requestLimits.pageBytesMax) {
        return { count: fetchedBytes.length, fetchedBytes, bytes, first, last, stopped: true };
      }
    }
  }
  return { count: fetchedBytes.length, fetchedBytes, bytes, first, last, stopped };
}
