import { hashBytes } from '../../model/keys/keys.ts';
import { readUint32, writeUint32 } from '../../model/values/bytes.ts';
import { entryPrefix, entryPrefixBytes } from '../store-keys.ts';
import { type Stamp, stampAfter } from './stamp.ts';

/**
 * The keys of old images and of the notes of eras, in one slot. These bytes are on disk and must not change.
 *
 *     entry prefix of the slot | period (u32) | hash of the partition key | sort key, escaped | 00 01 | end
 *     entry prefix of the slot | ff ff ff ff  | era (u32)                                       a note (`eras.ts`)
 *
 * `end` is the stamp of the write that replaced or deleted the image: its era (u32) and its time in microseconds (u64).
 * `period` is the first era of a span of eras that has the end's era: a new period begins with an era, about once a day.
 * The value is the image as it was stored, and its header says when it was written. So an entry says: from then until
 * `end`, the item was this. Periods have the order of stamps, and make forgetting cheap: a period that no cut can ask
 * for any more is one range.
 *
 * The sort key is escaped (00 becomes 00 ff), because no end mark separates sort keys otherwise: with it, entries lie
 * in the order of their items, and those of one item in the order of their ends.
 */
export interface HistoryPlace {
  readonly prefix: Uint8Array;
}

export function historyPlace(storageId: string, slot: number): HistoryPlace {
  return { prefix: entryPrefix(storageId, slot) };
}

const periodAt = entryPrefixBytes;
const keyAt = entryPrefixBytes + 4;
const endBytes = 12;
const markBytes = 2;
const twoTo32 = 2 ** 32;
/** Where a period would lie that there never is. */
const notesPeriod = 0xffff_ffff;

/** The key of the image of an item that a write replaced. */
export function historyKey(
  { prefix }: HistoryPlace,
  period: number,
  itemKey: Uint8Array,
  end: Stamp,
): Uint8Array {
  const zeros = zerosIn(itemKey);
  const length = itemKey.length - entryPrefixBytes + zeros;
  const bytes = new Uint8Array(keyAt + length + markBytes + endBytes);
  bytes.set(prefix);
  writeUint32(bytes, periodAt, period);
  writeEscaped(itemKey, bytes, keyAt);
  const markAt = keyAt + length;
  bytes[markAt + 1] = 1;
  writeUint32(bytes, markAt + markBytes, end.era);
  writeUint32(bytes, markAt + markBytes + 4, Math.floor(end.micros / twoTo32));
  writeUint32(bytes, markAt + markBytes + 8, end.micros % twoTo32);
  return bytes;
}

/** The lowest key of the images of an item that ended after a stamp, in the segment of one period. */
export function historyKeyAfter(
  place: HistoryPlace,
  period: number,
  itemKey: Uint8Array,
  stamp: Stamp,
): Uint8Array {
  return historyKey(place, period, itemKey, stampAfter(stamp));
}

/** The first key of the segment of a period. */
export function segmentStart({ prefix }: HistoryPlace, period: number): Uint8Array {
  const bytes = new Uint8Array(keyAt);
  bytes.set(prefix);
  writeUint32(bytes, periodAt, period);
  return bytes;
}

/** The end of the segments of all periods. The notes of eras follow. */
export function segmentsEnd(place: HistoryPlace): Uint8Array {
  return segmentStart(place, notesPeriod);
}

export function eraNoteKey({ prefix }: HistoryPlace, era: number): Uint8Array {
  const bytes = new Uint8Array(keyAt + 4);
  bytes.set(prefix);
  writeUint32(bytes, periodAt, notesPeriod);
  writeUint32(bytes, keyAt, era);
  return bytes;
}

export function eraIn(noteKey: Uint8Array): number {
  return readUint32(noteKey, keyAt);
}

/**
 * The bound in the segment of a period that lies where a bound lies among the keys of items. Every image of an item at or
 * above the bound lies at or above the answer, and every other below it.
 */
export function segmentBound(place: HistoryPlace, period: number, itemBound: Uint8Array): Uint8Array {
  const length = itemBound.length - entryPrefixBytes;
  if (length <= 0) return segmentStart(place, period);
  const bytes = new Uint8Array(keyAt + length + zerosIn(itemBound));
  bytes.set(place.prefix);
  writeUint32(bytes, periodAt, period);
  writeEscaped(itemBound, bytes, keyAt);
  return bytes;
}

/** The first key behind all images of the same item and period. */
export function behindItem(historyEntryKey: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(historyEntryKey.length - endBytes);
  bytes.set(historyEntryKey.subarray(0, bytes.length));
  bytes[bytes.length - 1] = 2;
  return bytes;
}

/** The first key of the images of the same item and period. */
export function beginningOfItem(historyEntryKey: Uint8Array): Uint8Array {
  return historyEntryKey.subarray(0, historyEntryKey.length - endBytes);
}

export function periodIn(historyEntryKey: Uint8Array): number {
  return readUint32(historyEntryKey, periodAt);
}

export function endIn(historyEntryKey: Uint8Array): Stamp {
  const at = historyEntryKey.length - endBytes;
  return {
    era: readUint32(historyEntryKey, at),
    micros: readUint32(historyEntryKey, at + 4) * twoTo32 + readUint32(historyEntryKey, at + 8),
  };
}

/** The key of the item that an entry is an image of. `itemPrefix` is that of the table's items. */
export function itemKeyOf(itemPrefix: Uint8Array, historyEntryKey: Uint8Array): Uint8Array {
  const to = historyEntryKey.length - endBytes - markBytes;
  const sortAt = keyAt + hashBytes;
  if (to < sortAt) throw new Error('the key of an old image is too short');
  let escapes = 0;
  for (let i = sortAt; i < to; i++) if (historyEntryKey[i] === 0) escapes++;
  const bytes = new Uint8Array(itemPrefix.length + to - keyAt - escapes);
  bytes.set(itemPrefix);
  let at = itemPrefix.length;
  for (let i = keyAt; i < to; i++) {
    bytes[at++] = historyEntryKey[i]!;
    if (i >= sortAt && historyEntryKey[i] === 0) i++;
  }
  return bytes;
}

/** The zeros in the sort key of an item's key. The hash has a fixed length and is not escaped. */
function zerosIn(itemKey: Uint8Array): number {
  let zeros = 0;
  for (let i = entryPrefixBytes + hashBytes; i < itemKey.length; i++) if (itemKey[i] === 0) zeros++;
  return zeros;
}

function writeEscaped(itemKey: Uint8Array, to: Uint8Array, at: number): void {
  const sortAt = entryPrefixBytes + hashBytes;
  let next = at;
  for (let i = entryPrefixBytes; i < itemKey.length; i++) {
    to[next++] = itemKey[i]!;
    if (i >= sortAt && itemKey[i] === 0) to[next++] = 0xff;
  }
}
