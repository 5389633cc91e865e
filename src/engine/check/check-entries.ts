import type { Hash16 } from '../../model/keys/keys.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { itemSize } from '../../model/values/item-size.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';
import type { Sized } from './check-items.ts';
import type { CheckResults } from './check-report.ts';
import { valuesOf } from './lookups.ts';
import { ownEntryKey, ownKey } from './own-keys.ts';
import { placeOf, shownBytes, shownError, shownItem, shownKey } from './shown.ts';
import { readForm } from './stored-form.ts';

/**
 * Looks for the item of each entry of an index, in one state. Whether an entry says of its item what it should is
 * judged from the item's side. Answers each entry that could be decoded, and undefined for the others.
 */
export async function checkEntries(
  reader: Reader,
  table: Table,
  index: TableIndex,
  entries: readonly Entry[],
  h16: Hash16,
  results: CheckResults,
): Promise<(Sized | undefined)[]> {
  const placed: { readonly entry: Sized; readonly itemKey: Uint8Array }[] = [];
  const sized = entries.map(({ key, value }) => {
    const form = readForm(value);
    if (form instanceof Error) {
      results.add({
        kind: 'entry-unreadable',
        ...placeOf(table, index),
        storeKey: toHex(key),
        expected: 'an index entry',
        found: `${shownError(form)}: ${shownBytes(value)}`,
      });
      return undefined;
    }
    const entry: Sized = { key, bytes: itemSize(form.item), ...form };
    const itemKey = ownKey(table, form.item, h16);
    if (itemKey === undefined) addOrphan(table, index, entry, 'the key attributes of an item', results);
    else placed.push({ entry, itemKey });
    return entry;
  });
  const itemKeys = placed.map(({ itemKey }) => itemKey);
  for await (const found of valuesOf(reader, itemKeys)) {
    for (const { at, value } of found) {
      const { entry } = placed[at]!;
      const expected = expectedInstead(table, index, entry, value, h16);
      if (expected !== undefined) addOrphan(table, index, entry, expected, results);
    }
  }
  return sized;
}

/** What ought to be there in the place of an entry, given its item; undefined when the entry is where it belongs. */
function expectedInstead(
  table: Table,
  index: TableIndex,
  entry: Sized,
  value: Uint8Array | undefined,
  h16: Hash16,
): string | undefined {
  if (value === undefined) return 'an item with this key';
  const item = readForm(value);
  if (item instanceof Error) return undefined;
  const own = ownEntryKey(table, index, item.item, h16);
  if (own === undefined) return 'no entry of this item';
  return equalBytes(own, entry.key) ? undefined : `the entry under ${toHex(own)} only`;
}

function addOrphan(
  table: Table,
  index: TableIndex,
  entry: Sized,
  expected: string,
  results: CheckResults,
): void {
  results.add({
    kind: 'entry-orphan',
    ...placeOf(table, index),
    key: shownKey(table, entry.item),
    storeKey: toHex(entry.key),
    expected,
    found: `the entry ${shownItem(entry.item)}`,
  });
}
