import { equalBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { decodeEraNote, decodeHistoryNote } from '../history/eras.ts';
import {
  endIn,
  eraIn,
  eraNoteKey,
  type HistoryPlace,
  historyKey,
  periodIn,
  segmentStart,
  segmentsEnd,
} from '../history/history-keys.ts';
import { compareStamps, firstEra, stampOf } from '../history/stamp.ts';
import { decodeTrustedTime } from '../history/trusted-time.ts';
import { historyKind, historyNoteKey, trustedTimeKind } from '../store-keys.ts';
import { prepareTable, type Table } from '../tables/table-record.ts';
import type { Census } from './check-catalogue.ts';
import { isLiving, type KnownRecord } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { isAboutTable, notesOf } from './notes.ts';
import { ownKey } from './own-keys.ts';
import { pageLimits, pagesOf } from './range-pages.ts';
import { shownError } from './shown.ts';
import { checkSingle } from './single-record.ts';
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
      decodeHistoryNote(value, key);
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

/** The time by which old images are forgotten. */
export async function checkTrustedTime(reader: Reader, results: CheckResults): Promise<void> {
  const finding = { kind: 'history-note', expected: 'the time by which old images are forgotten' } as const;
  await checkSingle(reader, trustedTimeKind, decodeTrustedTime, finding, results);
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
  const periods = await checkEras(await (states.isOld ? states.next() : states.current()), table, results);
  const to = segmentsEnd(place);
  for (let from = segmentStart(place, 0); ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries, more } = await reader.range({
      from,
      to,
      limit: pageLimits.entries,
      maxBytes: pageLimits.bytes,
    });
    for (const entry of entries) {
      const problem = imageProblem(table, place, periods, entry, h16);
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

/** The periods of the table's eras. Each era from the first kept one on has a note, with a period that never falls. */
async function checkEras(
  reader: Reader,
  { record, scope, name, history }: Table,
  results: CheckResults,
): Promise<ReadonlyMap<number, number>> {
  const periods = new Map<number, number>();
  const problem = (key: Uint8Array, expected: string, found: string) =>
    results.add({ kind: 'history-note', ...scope, table: name, storeKey: toHex(key), expected, found });
  let latest: number | undefined;
  for await (const page of pagesOf(reader, segmentsEnd(history!), prefixEnd(history!.prefix)!))
    for (const { key, value } of page)
      try {
        const era = eraIn(key);
        if (!equalBytes(key, eraNoteKey(history!, era))) throw new Error('a key of another length');
        const { period } = decodeEraNote(value, key);
        if (latest !== undefined && (era !== latest + 1 || period < periods.get(latest)!))
          problem(
            key,
            `the era after ${latest}, of its period or a later one`,
            `era ${era} of period ${period}`,
          );
        if (period > era) problem(key, `a period up to ${era}`, `${period}`);
        periods.set(era, period);
        latest = era;
      } catch (error) {
        problem(key, 'a note of an era', shownError(error));
      }
  const era = record.order?.era ?? firstEra;
  if (latest === undefined || latest < era)
    problem(
      eraNoteKey(history!, era),
      `a note of era ${era}`,
      latest === undefined ? 'none' : `era ${latest}`,
    );
  return periods;
}

function imageProblem(
  table: Table,
  place: HistoryPlace,
  periods: ReadonlyMap<number, number>,
  { key, value }: Entry,
  h16: CheckContext['h16'],
): { readonly expected: string; readonly found: string } | undefined {
  const form = readForm(value);
  if (form instanceof Error) return { expected: 'an item as it was stored', found: form.message };
  const end = endIn(key);
  const { era, micros } = stampOf(form.header);
  if (compareStamps({ era, micros }, end) >= 0)
    return {
      expected: `an image written before ${end.micros} of era ${end.era}`,
      found: `one of ${micros} of era ${era}`,
    };
  // An era that began after the notes were read has none here.
  const period = periods.get(end.era);
  if (period !== undefined && periodIn(key) !== period)
    return { expected: `a key of period ${period}`, found: `${periodIn(key)}` };
  const itemKey = ownKey(table, form.item, h16);
  const own = itemKey && toHex(historyKey(place, periodIn(key), itemKey, end));
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
