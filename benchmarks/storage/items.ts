import { seededRandom } from '../../tests/seeded-random.ts';

/**
 * The items that every store is filled with: number `i` has a key of 40 bytes, laid out as a table's keys are (a
 * prefix, 16 bytes that look random, a sort key), and a value of about 300 bytes. Both follow from the seed and the
 * number, so that a million of them need not be kept to be known.
 */
export class Items {
  readonly count: number;
  readonly #seed: number;
  readonly #noise: Uint8Array;

  constructor(count: number, seed: number) {
    this.count = count;
    this.#seed = seed;
    this.#noise = seededRandom(seed).bytes(noiseBytes);
  }

  key(index: number): Uint8Array {
    const key = new Uint8Array(keyBytes);
    const view = new DataView(key.buffer);
    view.setUint32(0, 1);
    for (let word = 0; word < 4; word++) view.setUint32(4 + word * 4, scramble(this.#seed + word, index));
    key.set(sortKeyPrefix, 20);
    view.setUint32(36, index);
    return key;
  }

  /** The value that an item has in a version; versions differ in the bytes that the hash looks at. */
  value(index: number, version: number): Uint8Array {
    const mixed = scramble(this.#seed + version, index);
    const value = new Uint8Array(valueBytes + (mixed % 41) - 20);
    const from = mixed % (noiseBytes - value.length);
    value.set(this.#noise.subarray(from, from + value.length));
    new DataView(value.buffer).setUint32(0, index);
    new DataView(value.buffer).setUint32(value.length - 4, mixed);
    return value;
  }

  /** Numbers of items in random order; some come more than once. */
  sample(length: number, round: number): number[] {
    const random = seededRandom(this.#seed ^ scramble(round, length));
    return Array.from({ length }, () => random.below(this.count));
  }

  keys(length: number, round: number): Uint8Array[] {
    return this.sample(length, round).map((index) => this.key(index));
  }

  /** Items to be written in a round. Which version a writer finds does not depend on the order of the writers. */
  writes(length: number, round: number): Write[] {
    return this.sample(length, round).map((index) => this.write(index, round));
  }

  write(index: number, round: number): Write {
    return { index, key: this.key(index), value: this.value(index, round + 2) };
  }
}

export interface Write {
  readonly index: number;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The condition of a conditional put: the item is there, and it is the right one. */
export function isExpected(found: Uint8Array | undefined, { index }: Write): found is Uint8Array {
  return found !== undefined && readUint32(found, 0) === index;
}

/** Folds what was read into a hash: no read can be left out, at the price of a few nanoseconds each. */
export function hashOf(value: Uint8Array | undefined): number {
  if (value === undefined) return 0;
  return Math.imul(value.length ^ readUint32(value, value.length - 4), 0x01000193);
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** A number that looks random, always the same for the same two. */
function scramble(seed: number, index: number): number {
  let mixed = Math.imul(index ^ Math.imul(seed, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2f);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

const keyBytes = 40;
const valueBytes = 300;
const noiseBytes = 1 << 16;
const sortKeyPrefix = new TextEncoder().encode('ORDER#2025-11-15');
