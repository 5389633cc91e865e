import { keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { dayIn, dayOf, endIn, type HistoryPlace, historyKey, segmentStart } from '../history/history-keys.ts';
import { decodeHistoryNote } from '../history/history-life.ts';
import { historyKind, historyNoteKey } from '../store-keys.ts';
import { prepareTable, type Table } from '../tables/table-record.ts';
import type { Census } from './check-catalogue.ts';
import { isLiving, type KnownRecord } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { isAboutTable, notesOf } from './notes.ts';
import { ownKey } from './own-keys.ts';
import { pageLimits } from './range-pages.ts';
import { shownError } from './shown.ts';
import { readForm } from './stored-form.ts';

/** A table has a note that it keeps old images exactly when it does. */
export async function checkHistoryNotes(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  isAccountedFor: (storageId: string) => boolean,
  results: CheckResults,
): Promise<void> {
  const met = new Set<string>();
  for await (const { key, value, place } of notesOf(reader, historyKind, isAboutTable, results)) {
    met.add(place.storageId);
    const known = records.get(place.storageId);
    if (known === undefined && isAccountedFor(place.storageId)) continue;
    const at = { ...(known && placeOf(known)), storeKey: toHex(key) };
    try {
      decodeHistoryNote(value);
      if (known !== undefined && keepsImages(known)) continue;
      const expected = 'a table that keeps old images';
      results.add({ kind: 'history-note', ...at, expected, found: 'none' });
    } catch (error) {
      const expected = 'a note of a table that keeps old images';
      results.add({ kind: 'history-note', ...at, expected, found: shownError(error) });
    }
  }
  for (const known of records.values())
    if (keepsImages(known) && !met.has(known.record.storageId))
      results.add({
        kind: 'history-note',
        ...placeOf(known),
        storeKey: toHex(historyNoteKey(known.record.storageId)),
        expected: 'a note that it keeps old images',
        found: 'none',
      });
}

/** Every old image is an item of its table, under the key of its end, and was written before that. */
export async function checkHistories(
  context: CheckContext,
  { records }: Census,
  results: CheckResults,
): Promise<void> {
  for (const known of records.values())
    if (keepsImages(known)) await checkHistory(context, prepareTable(known.scope, known.record), results);
}

async function checkHistory(
  { states, stepped, h16 }: CheckContext,
  table: Table,
  results: CheckResults,
): Promise<void> {
  const place = table.history!;
  const to = segmentStart({ prefix: place.prefix }, 0xffffffff);
  for (let from = place.prefix; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries, more } = await reader.range({
      from,
      to,
      limit: pageLimits.entries,
      maxBytes: pageLimits.bytes,
    });
    for (const entry of entries) {
      const problem = imageProblem(table, place, entry, h16);
      if (problem !== undefined)
        results.add({
          kind: 'old-image',
          ...table.scope,
          table: table.name,
          storeKey: toHex(entry.key),
          ...problem,
        });
    }
    if (!more || entries.length === 0) return;
    from = keyAfter(entries.at(-1)!.key);
    await stepped(0);
  }
}

function imageProblem(
  table: Table,
  place: HistoryPlace,
  { key, value }: Entry,
  h16: CheckContext['h16'],
): { readonly expected: string; readonly found: string } | undefined {
  const form = readForm(value);
  if (form instanceof Error) return { expected: 'an item as it was stored', found: form.message };
  const end = endIn(key);
  if (form.header.writtenMicros > end)
    return { expected: `an image written before ${end}`, found: `one of ${form.header.writtenMicros}` };
  if (dayIn(key) !== dayOf(end)) return { expected: `a key of day ${dayOf(end)}`, found: `${dayIn(key)}` };
  const itemKey = ownKey(table, form.item, h16);
  const own = itemKey && toHex(historyKey(place, itemKey, end));
  return own === toHex(key)
    ? undefined
    : { expected: 'the key of the item that it is an image of', found: 'another' };
}

function keepsImages({ record }: KnownRecord): boolean {
  return isLiving(record) && record.history !== undefined;
}

function placeOf({ scope, name }: KnownRecord) {
  return { ...scope, table: name };
}
