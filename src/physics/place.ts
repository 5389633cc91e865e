import { compareBytes } from '../model/values/bytes.ts';

/**
 * Positions of items in the key space of a table or index, as the physical model sees them.
 *
 * A **place** is the first 53 bits of the 128-bit hash of the partition key, as an integer that a double holds exactly:
 * one comparison of numbers finds a partition. Among a million keys, two share a place with a chance of one in ten
 * thousand; the model then takes them for one item collection, which nobody can notice.
 *
 * Within a collection, positions follow the bytes of the sort key as the store orders them. They are handed over as
 * `key, sortAt`: an array and where the sort key begins in it, so that a store key (`… | H16 | sort key`) serves as
 * it is and nothing is copied. An empty sort key stands before all others.
 */
export const placesEnd = 2 ** 53;

/** The place of a partition hash that begins at `at`. */
export function placeOf(hash: Uint8Array, at = 0): number {
  const high = hash[at]! * 0x1000000 + ((hash[at + 1]! << 16) | (hash[at + 2]! << 8) | hash[at + 3]!);
  const low = ((hash[at + 4]! << 16) | (hash[at + 5]! << 8) | hash[at + 6]!) >>> 3;
  return high * 0x200000 + low;
}

/** The first place of part `i` of `n` equal parts, the same cut as `hash-segments.ts` makes. */
export function partPlace(part: number, parts: number): number {
  return Number((BigInt(part) << 53n) / BigInt(parts));
}

export const noSortKey = new Uint8Array(0);

/** Compares the sort key at `key[sortAt…]` with another. */
export function compareSort(key: Uint8Array, sortAt: number, other: Uint8Array): number {
  const keyLength = key.length - sortAt;
  const length = Math.min(keyLength, other.length);
  for (let i = 0; i < length; i++) {
    const difference = key[sortAt + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return keyLength - other.length;
}

export interface Position {
  readonly place: number;
  readonly sort: Uint8Array;
}

export function comparePositions(a: Position, b: Position): number {
  return a.place !== b.place ? a.place - b.place : compareBytes(a.sort, b.sort);
}

/**
 * The shortest position that is after `left` and not after `right`: within a collection, the shortest beginning of the
 * right sort key that the left one does not reach.
 */
export function separator(left: Position, right: Position): Position {
  if (left.place !== right.place) return { place: right.place, sort: noSortKey };
  let length = 0;
  while (length < left.sort.length && left.sort[length] === right.sort[length]) length++;
  return { place: right.place, sort: right.sort.slice(0, length + 1) };
}
