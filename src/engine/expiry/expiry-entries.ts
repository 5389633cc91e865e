import { type Hash16, hashBytes } from '../../model/keys/keys.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { concatBytes, prefixEnd, readUint32, writeUint32 } from '../../model/values/bytes.ts';
import { entryPrefixBytes } from '../store-keys.ts';

/**
 * When items expire, in order. A table with Time to Live has a slot of its own for these entries, which are committed
 * with the items they are about:
 *
 *     prefix of the slot | expiry in seconds since 1970 (u40) | H16 of the item's key  →  the item's key in the store
 *
 * So what has expired stands at the beginning, and looking for it costs as much as there is of it. The layout is on
 * disk and must not change. Where an item has its entry depends on nothing but the item, so that whoever writes the
 * item knows which entry to take away, and taking away one that is not there does no harm.
 */

/** The expiries of a table whose Time to Live is switched on. */
export interface TableExpiry {
  readonly attributeName: string;
  readonly slot: number;
  readonly prefix: Uint8Array;
  /** Whether all items of before have their entries. */
  readonly isFilled: boolean;
}

const secondsBytes = 5;

/** The last second that a clock can show: it counts microseconds in safe integers, until the year 2255. */
const lastSecond = Math.floor(Number.MAX_SAFE_INTEGER / 1e6);

/**
 * The second at which an item expires. Only a number at the top level counts (documented: Developer Guide, TTL). Its
 * fraction is dropped (observed: Alternator's tests). What lies before 1970, or further ahead than any clock goes,
 * never comes.
 */
export function expirySecond({ attributeName }: TableExpiry, item: Item): number | undefined {
  const value = item.get(attributeName);
  if (value === undefined || !('N' in value) || value.N.startsWith('-')) return undefined;
  // Not by way of the whole number, whose last digits could round it up to the next second.
  const point = value.N.indexOf('.');
  const second = Number(point < 0 ? value.N : value.N.slice(0, point));
  return second <= lastSecond ? second : undefined;
}

/** Where the entry of an item lies, by the item's key in the store. */
export function expiryEntryKey(
  { prefix }: TableExpiry,
  second: number,
  itemKey: Uint8Array,
  h16: Hash16,
): Uint8Array {
  return concatBytes(prefix, bytesOfSecond(second), h16(itemKey));
}

/** The second that the key of an entry tells; undefined when it is no such key. */
export function secondOfEntry(key: Uint8Array): number | undefined {
  if (key.length !== entryPrefixBytes + secondsBytes + hashBytes) return undefined;
  return key[entryPrefixBytes]! * 2 ** 32 + readUint32(key, entryPrefixBytes + 1);
}

/**
 * Values more than five years in the past are taken for something else than a time, and such items stay (documented:
 * Developer Guide, TTL). A year is 365.2425 days here (guess).
 */
const ignoredAfterSeconds = 5 * 365.2425 * 24 * 3_600;

/** The entries that may expire now or later. */
export function livingRange({ prefix }: TableExpiry, nowMs: number): { from: Uint8Array; to: Uint8Array } {
  const first = Math.max(0, Math.ceil(nowMs / 1000 - ignoredAfterSeconds));
  return { from: concatBytes(prefix, bytesOfSecond(first)), to: prefixEnd(prefix)! };
}

function bytesOfSecond(second: number): Uint8Array {
  const bytes = new Uint8Array(secondsBytes);
  bytes[0] = Math.floor(second / 2 ** 32);
  writeUint32(bytes, 1, second % 2 ** 32);
  return bytes;
}
