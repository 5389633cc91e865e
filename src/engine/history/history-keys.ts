import { hashBytes } from '../../model/keys/keys.ts';
import { readUint32, writeUint32 } from '../../model/values/bytes.ts';
import { entryPrefix, entryPrefixBytes } from '../store-keys.ts';

/**
 * The keys of old images. These bytes are on disk and must not change.
 *
 *     entry prefix of the slot | day (u32) | hash of the partition key | sort key, escaped | 00 01 | end (u64)
 *
 * `end` is the time in microseconds at which the image was replaced or deleted; `day` is the day of that time since
 * 1970. The value is the image as it was stored, and its header says when it was written. So an entry says: from then
 * until `end`, the item was this. The segments of days make forgetting cheap: a day that nobody can ask for any more
 * is one range.
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

const dayMicros = 86_400_000_000;
const dayAt = entryPrefixBytes;
const keyAt = entryPrefixBytes + 4;
const endBytes = 8;
const markBytes = 2;
const twoTo32 = 2 ** 32;

export function dayOf(micros: number): number {
  return Math.min(Math.floor(micros / dayMicros), twoTo32 - 1);
}

/** The key of the image of an item that ended at a time. */
export function historyKey({ prefix }: HistoryPlace, itemKey: Uint8Array, endMicros: number): Uint8Array {
  const zeros = zerosIn(itemKey);
  const length = itemKey.length - entryPrefixBytes + zeros;
  const bytes = new Uint8Array(keyAt + length + markBytes + endBytes);
  bytes.set(prefix);
  writeUint32(bytes, dayAt, dayOf(endMicros));
  writeEscaped(itemKey, bytes, keyAt);
  const markAt = keyAt + length;
  bytes[markAt + 1] = 1;
  writeUint32(bytes, markAt + markBytes, Math.floor(endMicros / twoTo32));
  writeUint32(bytes, markAt + markBytes + 4, endMicros % twoTo32);
  return bytes;
}

/** The lowest key of the images of an item that ended after a time, in one day's segment. */
export function historyKeyAfter(
  { prefix }: HistoryPlace,
  day: number,
  itemKey: Uint8Array,
  micros: number,
): Uint8Array {
  const bytes = historyKey({ prefix }, itemKey, micros + 1);
  writeUint32(bytes, dayAt, day);
  return bytes;
}

/** The first key of the segment of a day. */
export function segmentStart({ prefix }: HistoryPlace, day: number): Uint8Array {
  const bytes = new Uint8Array(keyAt);
  bytes.set(prefix);
  writeUint32(bytes, dayAt, day);
  return bytes;
}

/**
 * The bound in the segment of a day that lies where a bound lies among the keys of items. Every image of an item at or
 * above the bound lies at or above the answer, and every other below it.
 */
export function segmentBound(place: HistoryPlace, day: number, itemBound: Uint8Array): Uint8Array {
  const length = itemBound.length - entryPrefixBytes;
  if (length <= 0) return segmentStart(place, day);
  const bytes = new Uint8Array(keyAt + length + zerosIn(itemBound));
  bytes.set(place.prefix);
  writeUint32(bytes, dayAt, day);
  writeEscaped(itemBound, bytes, keyAt);
  return bytes;
}

/** The first key behind all images of the same item and day. */
export function behindItem(historyEntryKey: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(historyEntryKey.length - endBytes);
  bytes.set(historyEntryKey.subarray(0, bytes.length));
  bytes[bytes.length - 1] = 2;
  return bytes;
}

/** The first key of the images of the same item and day. */
export function beginningOfItem(historyEntryKey: Uint8Array): Uint8Array {
  return historyEntryKey.subarray(0, historyEntryKey.length - endBytes);
}

export function dayIn(historyEntryKey: Uint8Array): number {
  return readUint32(historyEntryKey, dayAt);
}

export function endIn(historyEntryKey: Uint8Array): number {
  const at = historyEntryKey.length - endBytes;
  return readUint32(historyEntryKey, at) * twoTo32 + readUint32(historyEntryKey, at + 4);
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
