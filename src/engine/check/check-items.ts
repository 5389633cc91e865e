import type { Hash16 } from '../../model/keys/keys.ts';
import { encodeItem, type ItemHeader, itemJson } from '../../model/stored/stored-item.ts';
import { projectForIndex } from '../../model/tables/table-schema.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { compareStamps, stampOf } from '../history/stamp.ts';
import { recordKey } from '../store-keys.ts';
import {
  decodeRecord,
  prepareTable,
  type Table,
  type TableIndex,
  type TableRecord,
} from '../tables/table-record.ts';
import { checkItemExpiries } from './check-expiries.ts';
import type { CheckResults, Finding } from './check-report.ts';
import { valuesOf } from './lookups.ts';
import { ownEntryKey, ownKey } from './own-keys.ts';
import { mayLackEntries } from './partial-index.ts';
import { placeOf, shownBytes, shownError, shownItem, shownKey, shownText } from './shown.ts';
import { isCanonical, readForm, type StoredForm } from './stored-form.ts';

/** An item or entry that was decoded, with its true size. */
export interface Sized extends StoredForm {
  readonly key: Uint8Array;
  readonly bytes: number;
}

interface CheckedItem extends Sized {
  readonly stored: Uint8Array;
  readonly isCanonical: boolean;
}

/**
 * Judges items by themselves, and the entries that they ought to have in all indexes, in one state. Answers each item
 * that could be decoded, and undefined for the others.
 */
export async function checkItems(
  reader: Reader,
  table: Table,
  entries: readonly Entry[],
  h16: Hash16,
  results: CheckResults,
): Promise<(Sized | undefined)[]> {
  const items: (Sized | undefined)[] = [];
  const expected: ExpectedEntry[] = [];
  const placed: CheckedItem[] = [];
  let latestEra = table.era;
  for (const { key, value } of entries) {
    const form = readForm(value);
    if (form instanceof Error) {
      results.add({
        kind: 'item-unreadable',
        ...placeOf(table),
        storeKey: toHex(key),
        expected: 'an item',
        found: `${shownError(form)}: ${shownBytes(value)}`,
      });
      items.push(undefined);
      continue;
    }
    const item: CheckedItem = {
      key,
      stored: value,
      bytes: itemSize(form.item),
      isCanonical: isCanonical(value, form),
      ...form,
    };
    items.push(item);
    const own = ownKey(table, form.item, h16);
    if (item.header.era > latestEra) latestEra = await eraIn(reader, table);
    for (const finding of findingsOf(table, item, own, latestEra)) results.add(finding);
    // The entries of an item that is not at its place are those of no item.
    if (own === undefined || !equalBytes(own, key)) continue;
    placed.push(item);
    expected.push(...expectedEntries(table, item, h16));
  }
  await checkExpected(reader, table, expected, results);
  await checkItemExpiries(reader, table, placed, h16, results);
  return items;
}

/** The table's era in this state, which may be a later one than that of the record that the check began with. */
async function eraIn(reader: Reader, table: Table): Promise<number> {
  const stored = await reader.get(recordKey(table.scope, table.name));
  const record = stored && readableRecord(stored);
  // A record that is gone or damaged is a finding of its own.
  if (record?.storageId !== table.record.storageId) return Number.POSITIVE_INFINITY;
  return prepareTable(table.scope, record).era;
}

function readableRecord(stored: Uint8Array): TableRecord | undefined {
  try {
    return decodeRecord(stored);
  } catch {
    return undefined;
  }
}

function findingsOf(
  table: Table,
  item: CheckedItem,
  own: Uint8Array | undefined,
  latestEra: number,
): Finding[] {
  const { header } = item;
  // Made only when something is wrong, which is nearly never.
  const at = () => ({ ...placeOf(table), key: shownKey(table, item.item), storeKey: toHex(item.key) });
  const findings: Finding[] = [];
  if (own === undefined || !equalBytes(own, item.key))
    findings.push({
      kind: 'item-key',
      ...at(),
      expected: own === undefined ? 'the key attributes of the table' : `the key ${toHex(own)}`,
      found: own === undefined ? shownItem(item.item) : `the key ${toHex(item.key)}`,
    });
  if (header.encrypted || header.tombstone || header.region !== 0 || header.version < 1)
    findings.push({
      kind: 'item-header',
      ...at(),
      expected: 'a living item of this Region with a version of 1 or more',
      found: shownHeader(header),
    });
  // A write to such an item would have to go back in the order of its table, and fails (decision 0029).
  if (header.era > latestEra)
    findings.push({
      kind: 'item-header',
      ...at(),
      expected: `an era up to ${latestEra}, that of the table`,
      found: shownHeader(header),
    });
  if (!item.isCanonical)
    findings.push({
      kind: 'item-form',
      ...at(),
      expected: shownItem(item.item),
      found: shownText(decodeUtf8(itemJson(item.stored))),
    });
  if (header.itemBytes !== item.bytes)
    findings.push({
      kind: 'item-size',
      ...at(),
      expected: `${item.bytes} bytes`,
      found: `${header.itemBytes} bytes`,
    });
  return findings;
}

/** The entry that an index ought to have of an item. */
interface ExpectedEntry {
  readonly index: TableIndex;
  readonly of: CheckedItem;
  readonly key: Uint8Array;
}

function expectedEntries(table: Table, of: CheckedItem, h16: Hash16): ExpectedEntry[] {
  return table.indexes.flatMap((index) => {
    const key = ownEntryKey(table, index, of.item, h16);
    return key === undefined ? [] : [{ index, of, key }];
  });
}

async function checkExpected(
  reader: Reader,
  table: Table,
  expected: readonly ExpectedEntry[],
  results: CheckResults,
): Promise<void> {
  const keys = expected.map(({ key }) => key);
  for await (const found of valuesOf(reader, keys)) {
    for (const { at, value } of found) {
      const finding = entryFinding(table, expected[at]!, value);
      if (finding !== undefined) results.add(finding);
    }
  }
}

/** What is wrong with the entry of an item. One that cannot be decoded is told of when the index itself is walked. */
function entryFinding(
  table: Table,
  { index, of, key }: ExpectedEntry,
  value: Uint8Array | undefined,
): Finding | undefined {
  const at = () => ({ ...placeOf(table, index), key: shownKey(table, of.item), storeKey: toHex(key) });
  const projected = projectForIndex(table.schema, index.schema, of.item);
  if (value === undefined)
    return mayLackEntries(table, index)
      ? undefined
      : { kind: 'entry-missing', ...at(), expected: shownItem(projected), found: 'nothing' };
  const form = readForm(value);
  if (form instanceof Error) return undefined;
  const whole = projected === of.item && of.isCanonical;
  const bytes = whole ? of.bytes : itemSize(projected);
  const expected = whole ? of.stored : encodeItem(projected, { ...form.header, itemBytes: bytes });
  if (!equalBytes(itemJson(expected), itemJson(value)))
    return {
      kind: 'entry-value',
      ...at(),
      expected: shownItem(projected),
      found: shownText(decodeUtf8(itemJson(value))),
    };
  if (form.header.itemBytes === bytes && isHeaderOf(form.header, of.header)) return undefined;
  return {
    kind: 'entry-header',
    ...at(),
    expected: `${shownHeader({ ...of.header, itemBytes: bytes })}, or an earlier version`,
    found: shownHeader(form.header),
  };
}

/** An entry has the header of the write that last changed it: that of its item, or of an earlier version. */
function isHeaderOf(entry: ItemHeader, item: ItemHeader): boolean {
  if (entry.encrypted || entry.tombstone || entry.region !== item.region || entry.version < 1) return false;
  const order = compareStamps(stampOf(entry), stampOf(item));
  return entry.version === item.version ? order === 0 : entry.version < item.version && order < 0;
}

function shownHeader({
  itemBytes,
  version,
  era,
  writtenMicros,
  region,
  encrypted,
  tombstone,
}: ItemHeader): string {
  const flags = `${encrypted ? ', encrypted' : ''}${tombstone ? ', a tombstone' : ''}`;
  return `${itemBytes} bytes, version ${version} of era ${era} at ${writtenMicros} µs, Region ${region}${flags}`;
}
