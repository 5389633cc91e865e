import { toHex } from '../model/values/hex.ts';

/** A source of randomness, handed in, so that a run can be repeated from its seed. */
export interface Randomness {
  /** 0 <= number < 1 */
  next(): number;
}

/** A source of uniformly distributed unsigned 32-bit integers. */
export type RandomWords = () => number;

/**
 * Draws words from a pool that `fill` fills with random bytes, because a call for four bytes costs almost as much as one
 * for thousands.
 */
export function pooledWords(fill: (bytes: Uint8Array) => unknown): RandomWords {
  const words = new Uint32Array(4096);
  const bytes = new Uint8Array(words.buffer);
  let next = words.length;
  return () => {
    if (next === words.length) {
      fill(bytes);
      next = 0;
    }
    return words[next++]!;
  };
}

/** Repeatable randomness (splitmix32); for ids and delays of a deterministic run, never for secrets. */
export function seededRandomness(seed: number): Randomness {
  let state = seed | 0;
  return {
    next() {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    },
  };
}

export function randomBytes(random: Randomness, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random.next() * 256));
}

/** A version 4 UUID, as DynamoDB's TableId is one. */
export function randomUuid(random: Randomness): string {
  const bytes = randomBytes(random, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = toHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
