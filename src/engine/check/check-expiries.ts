import type { Hash16 } from '../../model/keys/keys.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { expiryEntryKey, expirySecond, secondOfEntry, type TableExpiry } from '../expiry/expiry-entries.ts';
import type { Table } from '../tables/table-record.ts';
import type { Sized } from './check-items.ts';
import type { CheckResults } from './check-report.ts';
import { valuesOf } from './lookups.ts';
import { placeOf, shownBytes, shownKey } from './shown.ts';
import { readForm } from './stored-form.ts';

/** Looks for the expiry of each item that has one, in one state; expiries that are still being filled may be missing. */
export async function checkItemExpiries(
  reader: Reader,
  table: Table,
  items: readonly Sized[],
  h16: Hash16,
  results: CheckResults,
): Promise<void> {
  const { expiry } = table;
  if (expiry === undefined) return;
  const expected = items.flatMap((of) => {
    const key = ownExpiryKey(expiry, of, h16);
    return key === undefined ? [] : [{ of, key }];
  });
  const keys = expected.map(({ key }) => key);
  for await (const found of valuesOf(reader, keys)) {
    for (const { at, value } of found) {
      const { of, key } = expected[at]!;
      if (value === undefined ? !expiry.isFilled : equalBytes(value, of.key)) continue;
      results.add({
        kind: value === undefined ? 'expiry-missing' : 'expiry-value',
        ...placeOf(table),
        key: shownKey(table, of.item),
        storeKey: toHex(key),
        expected: `the item's key ${toHex(of.key)}`,
        found: value === undefined ? 'nothing' : shownBytes(value),
      });
    }
  }
}

/** Looks for the item of each expiry, in one state. */
export async function checkExpiries(
  reader: Reader,
  table: Table,
  expiry: TableExpiry,
  entries: readonly Entry[],
  h16: Hash16,
  results: CheckResults,
): Promise<void> {
  const itemKeys = entries.map(({ value }) => value);
  for await (const found of valuesOf(reader, itemKeys)) {
    for (const { at, value } of found) {
      const { key } = entries[at]!;
      const expected = expectedInstead(expiry, entries[at]!, value, h16);
      if (expected === undefined) continue;
      results.add({
        kind: 'expiry-orphan',
        ...placeOf(table),
        storeKey: toHex(key),
        expected,
        found: `one at ${secondOfEntry(key) ?? 'no'} s for ${toHex(entries[at]!.value)}`,
      });
    }
  }
}

/** What ought to be there in the place of an expiry, given its item; undefined when it is where it belongs. */
function expectedInstead(
  expiry: TableExpiry,
  { key, value: itemKey }: Entry,
  stored: Uint8Array | undefined,
  h16: Hash16,
): string | undefined {
  if (stored === undefined) return 'an item with this key';
  const form = readForm(stored);
  // Told of where the items are walked.
  if (form instanceof Error) return undefined;
  const own = ownExpiryKey(expiry, { key: itemKey, item: form.item }, h16);
  if (own === undefined) return 'no expiry of this item';
  return equalBytes(own, key) ? undefined : `the one under ${toHex(own)} only`;
}

function ownExpiryKey(
  expiry: TableExpiry,
  { key, item }: Pick<Sized, 'key' | 'item'>,
  h16: Hash16,
): Uint8Array | undefined {
  const second = expirySecond(expiry, item);
  return second === undefined ? undefined : expiryEntryKey(expiry, second, key, h16);
}
