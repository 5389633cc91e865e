import { readHeader } from '../../model/stored/stored-item.ts';
import type { Reader } from '../../storage/store.ts';
import {
  behindItem,
  endIn,
  type HistoryPlace,
  historyKeyAfter,
  itemKeyOf,
  periodIn,
  segmentBound,
  segmentStart,
  segmentsEnd,
} from './history-keys.ts';
import type { PastSource } from './past-pages.ts';
import { type Cut, compareStamps, isBy, type Stamp } from './stamp.ts';

/** One item as it was at a cut. The item is read before its images, so writers in between make no difference. */
export async function readPastItem(
  reader: Reader,
  { history }: PastSource,
  itemKey: Uint8Array,
  cut: Cut,
): Promise<Uint8Array | undefined> {
  const current = await reader.get(itemKey);
  if (current !== undefined && isBy(readHeader(current), cut)) return current;
  if (history === undefined) return undefined;
  const image = await firstImageAfter(reader, history, itemKey, cut);
  return image !== undefined && isBy(readHeader(image), cut) ? image : undefined;
}

/** The earliest image of an item that ended after a cut. Two entries are read for each period since then at most. */
async function firstImageAfter(
  reader: Reader,
  history: HistoryPlace,
  itemKey: Uint8Array,
  cut: Cut,
): Promise<Uint8Array | undefined> {
  const end = segmentsEnd(history);
  for (let { period } = cut; ; period++) {
    const any = await reader.range({ from: segmentStart(history, period), to: end, limit: 1 });
    const first = any.entries[0]?.key;
    if (first === undefined) return undefined;
    period = periodIn(first);
    const from = historyKeyAfter(history, period, itemKey, cut);
    const { entries } = await reader.range({ from, to: behindItem(from), limit: 1 });
    if (entries[0] !== undefined) return entries[0].value;
  }
}

/** An image of an item, and the stamp of the write that replaced or deleted it. */
export interface EndedImage {
  readonly end: Stamp;
  readonly value: Uint8Array;
}

/** The images of an item that ended after a cut, latest first: its versions, for a timeline. */
export async function* imagesSince(
  reader: Reader,
  history: HistoryPlace,
  itemKey: Uint8Array,
  cut: Cut,
): AsyncGenerator<EndedImage> {
  const from = segmentStart(history, cut.period);
  for (let to = segmentsEnd(history); ; ) {
    const { entries } = await reader.range({ from, to, reverse: true, limit: 1 });
    const last = entries[0]?.key;
    if (last === undefined) return;
    const period = periodIn(last);
    yield* imagesOfPeriod(reader, history, period, itemKey, cut);
    to = segmentStart(history, period);
  }
}

async function* imagesOfPeriod(
  reader: Reader,
  history: HistoryPlace,
  period: number,
  itemKey: Uint8Array,
  since: Stamp,
): AsyncGenerator<EndedImage> {
  const from = historyKeyAfter(history, period, itemKey, since);
  for (let to = behindItem(from); ; ) {
    const { entries, more } = await reader.range({
      ...{ from, to },
      reverse: true,
      limit: 32,
      maxBytes: 1024 * 1024,
    });
    for (const { key, value } of entries) yield { end: endIn(key), value };
    const last = entries.at(-1);
    if (!more || last === undefined) return;
    to = last.key;
  }
}

/** When the last image of an item that ended between two cuts did so; undefined if there is none. */
export async function lastEndBetween(
  reader: Reader,
  { itemPrefix, history }: PastSource,
  itemKey: Uint8Array,
  from: Cut,
  to: Cut,
): Promise<Stamp | undefined> {
  if (history === undefined) return undefined;
  const start = segmentStart(history, from.period);
  for (let end = segmentStart(history, to.period + 1); ; ) {
    const { entries } = await reader.range({ from: start, to: end, reverse: true, limit: 1 });
    const lastOfPeriod = entries[0]?.key;
    if (lastOfPeriod === undefined) return undefined;
    const period = periodIn(lastOfPeriod);
    const images = await reader.range({
      from: segmentBound(history, period, itemKey),
      to: historyKeyAfter(history, period, itemKey, to),
      reverse: true,
      limit: 1,
    });
    const last = images.entries[0]?.key;
    if (last !== undefined && isOf(itemKey, itemPrefix, last)) {
      const found = endIn(last);
      return compareStamps(found, from) > 0 ? found : undefined;
    }
    end = segmentStart(history, period);
  }
}

function isOf(itemKey: Uint8Array, itemPrefix: Uint8Array, historyEntryKey: Uint8Array): boolean {
  const found = itemKeyOf(itemPrefix, historyEntryKey);
  return found.length === itemKey.length && found.every((byte, i) => byte === itemKey[i]);
}
