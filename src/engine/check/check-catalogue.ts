import { toHex } from '../../model/values/hex.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import type { Reader } from '../../storage/store.ts';
import { decodeNote } from '../indexes/fill-index.ts';
import { droppedKind, epochKey, epochKind, fillingKind, recordKind } from '../store-keys.ts';
import { decodeRecord, encodeEpoch, fillingSlots, sameEpoch } from '../tables/table-record.ts';
import { checkRetired } from './check-backups.ts';
import { checkExpiring } from './check-expiring.ts';
import { checkHistoryNotes, checkTrustedTime } from './check-history.ts';
import { checkPartitions } from './check-partitions.ts';
import { isLiving, type KnownRecord, namesOf, readRecord } from './check-record.ts';
import type { CheckResults, Place } from './check-report.ts';
import { rangeOfKind, unknownRanges } from './known-kinds.ts';
import { isAboutTable, notesOf } from './notes.ts';
import { pagesOf } from './range-pages.ts';
import { hasLost } from './readable-states.ts';
import { shownBytes, shownError } from './shown.ts';
import { addUnknownKey } from './unknown-key.ts';

/** What lies in a store besides items and entries, in one state. */
export interface Census {
  /** Every table whose record is sound, by its storage id; those on their way out too. */
  readonly records: ReadonlyMap<string, KnownRecord>;
  /** The storage ids of records that are damaged but tell their id: their entries are no orphans. */
  readonly damagedIds: ReadonlySet<string>;
  /** What the notes of dropped tables and indexes cover: `<storage id>` or `<storage id>/<slot>`. */
  readonly dropped: ReadonlySet<string>;
  /** True when a record could not be read at all, so that its entries would be taken for orphans. */
  readonly isIncomplete: boolean;
}

/** Reads and judges table records, epochs and notes, and looks for keys of no known kind. */
export async function checkCatalogue(reader: Reader, results: CheckResults): Promise<Census> {
  for (const { from, to } of unknownRanges())
    for await (const page of pagesOf(reader, from, to))
      for (const { key, value } of page) addUnknownKey(key, value, results);
  const { records, damagedIds, isIncomplete } = await checkRecords(reader, results);
  const isAccountedFor = (storageId: string) => isIncomplete || damagedIds.has(storageId);
  await checkEpochs(reader, records, isAccountedFor, results);
  const dropped = await checkDropped(reader, records, results);
  await checkFilling(reader, records, results);
  await checkExpiring(reader, records, isAccountedFor, results);
  await checkPartitions(reader, records, isAccountedFor, results);
  await checkHistoryNotes(reader, records, isAccountedFor, results);
  await checkTrustedTime(reader, results);
  for (const storageId of await checkRetired(reader, results)) dropped.add(droppedName(storageId, undefined));
  return { records, damagedIds, dropped, isIncomplete };
}

/** How a census names what a note covers. */
export function droppedName(storageId: string, slot: number | undefined): string {
  return slot === undefined ? storageId : `${storageId}/${slot}`;
}

async function checkRecords(reader: Reader, results: CheckResults) {
  const records = new Map<string, KnownRecord>();
  const damagedIds = new Set<string>();
  let isIncomplete = false;
  const { from, to } = rangeOfKind(recordKind);
  for await (const page of pagesOf(reader, from, to)) {
    for (const { key, value } of page) {
      const names = namesOf(key);
      if (names === undefined) {
        addUnknownKey(key, value, results);
        continue;
      }
      const known = readRecord(names, value);
      const place = { ...names.scope, table: names.name };
      if ('expected' in known) {
        results.add({ kind: 'table-record', ...place, storeKey: toHex(key), ...known });
        results.leaveOut({ ...place, what: 'its items and indexes', why: 'its record is damaged' });
        const storageId = idIn(value);
        if (storageId === undefined) isIncomplete = true;
        else damagedIds.add(storageId);
        continue;
      }
      const other = records.get(known.record.storageId);
      if (other === undefined) records.set(known.record.storageId, known);
      else
        results.add({
          kind: 'storage-id',
          ...place,
          storeKey: toHex(key),
          expected: 'a storage id of its own',
          found: `${known.record.storageId}, which table ${other.name} in ${other.scope.region} has too`,
        });
    }
  }
  return { records, damagedIds, isIncomplete: isIncomplete || hasLost(reader, recordKind) };
}

/** A damaged record may still tell where its entries are. */
function idIn(value: Uint8Array): string | undefined {
  try {
    return /"storageId":"([0-9a-f]{16})"/.exec(decodeUtf8(value))?.[1];
  } catch {
    return undefined;
  }
}

/** A table has its epoch, and no table on its way out has one; that of a damaged record may be its own. */
async function checkEpochs(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  isAccountedFor: (storageId: string) => boolean,
  results: CheckResults,
): Promise<void> {
  const met = new Set<string>();
  for await (const { key, value, place } of notesOf(reader, epochKind, isAboutTable, results)) {
    met.add(place.storageId);
    const known = records.get(place.storageId);
    if (known !== undefined && isLiving(known.record)) {
      const expected = encodeEpoch(known.record.epoch);
      if (!sameEpoch(value, expected))
        results.add({
          kind: 'table-epoch',
          ...placeOfRecord(known),
          storeKey: toHex(key),
          expected: `epoch ${known.record.epoch}`,
          found: shownText(value),
        });
    } else if (known !== undefined || !isAccountedFor(place.storageId))
      results.add({
        kind: 'table-epoch',
        ...(known && placeOfRecord(known)),
        storeKey: toHex(key),
        expected: known === undefined ? 'a table with this storage id' : 'no epoch of a table being deleted',
        found: known === undefined ? 'none' : shownText(value),
      });
  }
  for (const known of records.values())
    if (isLiving(known.record) && !met.has(known.record.storageId))
      results.add({
        kind: 'table-epoch',
        ...placeOfRecord(known),
        storeKey: toHex(epochKey(known.record.storageId)),
        expected: `epoch ${known.record.epoch}`,
        found: 'none',
      });
}

/** A note covers what was dropped, which nothing that lives may still use. */
async function checkDropped(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  results: CheckResults,
): Promise<Set<string>> {
  const dropped = new Set<string>();
  for await (const { key, value, place } of notesOf(reader, droppedKind, () => true, results)) {
    const { storageId, slot } = place;
    dropped.add(droppedName(storageId, slot));
    const known = records.get(storageId);
    const at = { ...(known && placeOfRecord(known)), storeKey: toHex(key) };
    const user = known && isLiving(known.record) ? userOf(known, slot) : undefined;
    if (user !== undefined)
      results.add({ kind: 'dropped-note', ...at, expected: 'a note of something dropped', found: user });
    const problem = slot === undefined ? noteProblem(storageId, value) : undefined;
    if (problem !== undefined) results.add({ kind: 'dropped-note', ...at, ...problem });
  }
  return dropped;
}

/** What of a living table a note would have removed. */
function userOf({ name, record }: KnownRecord, slot: number | undefined): string | undefined {
  if (slot === undefined) return `that of table ${name}, which is in use`;
  if (slot === record.history?.slot) return `that of the old images of table ${name}, which are in use`;
  if (slot === record.expiry?.slot) return `that of the expiries of table ${name}, which are in use`;
  const index = Object.keys(record.slots).find((each) => record.slots[each] === slot);
  if (index !== undefined) return `that of index ${index}, which is in use`;
  return slot === 0 ? `that of the items of table ${name}, which is in use` : undefined;
}

/** The note of a table holds its record. */
function noteProblem(storageId: string, value: Uint8Array): { expected: string; found: string } | undefined {
  const expected = `the record of the table with storage id ${storageId}`;
  try {
    const found = decodeRecord(value).storageId;
    return found === storageId ? undefined : { expected, found: `that of the one with ${found}` };
  } catch (error) {
    return { expected, found: shownError(error) };
  }
}

/** An index, or the expiries of a table, are being filled exactly when there is a note of how far. */
async function checkFilling(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  results: CheckResults,
): Promise<void> {
  const met = new Set<string>();
  for await (const { key, value, place } of notesOf(
    reader,
    fillingKind,
    (place) => place.slot !== undefined,
    results,
  )) {
    const known = records.get(place.storageId);
    const at = { ...(known && placeOfRecord(known)), storeKey: toHex(key) };
    if (known === undefined || !isLiving(known.record) || !fillingSlots(known.record).includes(place.slot!)) {
      results.add({ kind: 'index-note', ...at, expected: 'an index that is being filled', found: 'none' });
      continue;
    }
    met.add(droppedName(place.storageId, place.slot));
    try {
      decodeNote(value, key);
    } catch (error) {
      const expected = 'how far the index has been filled';
      results.add({ kind: 'index-note', ...at, expected, found: shownError(error) });
    }
  }
  for (const known of records.values())
    for (const slot of isLiving(known.record) ? fillingSlots(known.record) : [])
      if (!met.has(droppedName(known.record.storageId, slot)))
        results.add({
          kind: 'index-note',
          ...placeOfRecord(known),
          expected:
            slot === known.record.expiry?.slot
              ? 'a note of how far its expiries have been filled'
              : 'a note of how far its new index has been filled',
          found: 'none',
        });
}

function placeOfRecord({ scope, name }: KnownRecord): Place {
  return { ...scope, table: name };
}

function shownText(value: Uint8Array): string {
  try {
    return JSON.stringify(decodeUtf8(value));
  } catch {
    return shownBytes(value);
  }
}
