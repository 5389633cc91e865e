import { readHeader } from '../../model/stored/stored-item.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import type { Reader } from '../../storage/store.ts';
import {
  behindItem,
  dayIn,
  dayOf,
  endIn,
  type HistoryPlace,
  historyKeyAfter,
  itemKeyOf,
  segmentBound,
  segmentStart,
} from './history-keys.ts';
import type { PastSource } from './past-pages.ts';

/** One item as it was at a time. The item is read before its images, so writers in between make no difference. */
export async function readPastItem(
  reader: Reader,
  { history }: PastSource,
  itemKey: Uint8Array,
  micros: number,
): Promise<Uint8Array | undefined> {
  const current = await reader.get(itemKey);
  if (current !== undefined && readHeader(current).writtenMicros <= micros) return current;
  if (history === undefined) return undefined;
  const image = await firstImageAfter(reader, history, itemKey, micros);
  return image !== undefined && readHeader(image).writtenMicros <= micros ? image : undefined;
}

/** The earliest image of an item that ended after a time. Two entries are read for each day since then at most. */
async function firstImageAfter(
  reader: Reader,
  history: HistoryPlace,
  itemKey: Uint8Array,
  micros: number,
): Promise<Uint8Array | undefined> {
  const end = prefixEnd(history.prefix)!;
  for (let day = dayOf(micros); ; day++) {
    const any = await reader.range({ from: segmentStart(history, day), to: end, limit: 1 });
    const first = any.entries[0]?.key;
    if (first === undefined) return undefined;
    day = dayIn(first);
    const from = historyKeyAfter(history, day, itemKey, micros);
    const { entries } = await reader.range({ from, to: behindItem(from), limit: 1 });
    if (entries[0] !== undefined) return entries[0].value;
  }
}

/** An image of an item, and the time at which it was replaced or deleted. */
export interface EndedImage {
  readonly endMicros: number;
  readonly value: Uint8Array;
}

/** The latest images of an item that ended after a time, latest first: its versions, for a timeline. */
export async function* imagesSince(
  reader: Reader,
  history: HistoryPlace,
  itemKey: Uint8Array,
  micros: number,
): AsyncGenerator<EndedImage> {
  const from = segmentStart(history, dayOf(micros));
  for (let to = prefixEnd(history.prefix)!; ; ) {
    const { entries } = await reader.range({ from, to, reverse: true, limit: 1 });
    const last = entries[0]?.key;
    if (last === undefined) return;
    const day = dayIn(last);
    yield* imagesOfDay(reader, history, day, itemKey, micros);
    to = segmentStart(history, day);
  }
}

async function* imagesOfDay(
  reader: Reader,
  history: HistoryPlace,
  day: number,
  itemKey: Uint8Array,
  micros: number,
): AsyncGenerator<EndedImage> {
  const from = historyKeyAfter(history, day, itemKey, micros);
  for (let to = behindItem(from); ; ) {
    const { entries, more } = await reader.range({
      ...{ from, to },
      reverse: true,
      limit: 32,
      maxBytes: 1024 * 1024,
    });
    for (const { key, value } of entries) yield { endMicros: endIn(key), value };
    const last = entries.at(-1);
    if (!more || last === undefined) return;
    to = last.key;
  }
}

/** When the last image of an item that ended by a time did so; undefined if there is none since `sinceMicros`. */
export async function lastEndBy(
  reader: Reader,
  { itemPrefix, history }: PastSource,
  itemKey: Uint8Array,
  sinceMicros: number,
  micros: number,
): Promise<number | undefined> {
  if (history === undefined) return undefined;
  for (let day = dayOf(micros); day >= dayOf(sinceMicros); day--) {
    const { entries } = await reader.range({
      from: segmentBound(history, day, itemKey),
      to: historyKeyAfter(history, day, itemKey, micros),
      reverse: true,
      limit: 1,
    });
    const last = entries[0]?.key;
    if (last === undefined || !isOf(itemKey, itemPrefix, last)) continue;
    const end = endIn(last);
    return end > sinceMicros ? end : undefined;
  }
  return undefined;
}

function isOf(itemKey: Uint8Array, itemPrefix: Uint8Array, historyEntryKey: Uint8Array): boolean {
  const found = itemKeyOf(itemPrefix, historyEntryKey);
  return found.length === itemKey.length && found.every((byte, i) => byte === itemKey[i]);
}
