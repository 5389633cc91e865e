import { type Randomness, type RandomWords, seededRandomness } from './randomness.ts';

/**
 * The randomness of a database: `random` for stored data, `words` for request ids. They are separate, so that with a
 * seed the ids of tables do not depend on the number of requests before.
 */
export interface Chance {
  readonly seed: number | undefined;
  /** How many copies lie between this database and the one that was opened. */
  readonly generation: number;
  readonly random: Randomness;
  readonly words: RandomWords;
}

export function seededChance(seed: number, generation = 0): Chance {
  const own = generation === 0 ? seed : mixed(seed, Math.imul(generation, 0x2545f491));
  const ids = seededRandomness(mixed(own, 0x5bd1e995));
  const words = () => Math.floor(ids.next() * 2 ** 32);
  return { seed, generation, random: seededRandomness(own), words };
}

/** Randomness without a seed, from words that are real. */
export function unseededChance(words: RandomWords): Chance {
  return { seed: undefined, generation: 0, random: { next: () => words() / 2 ** 32 }, words };
}

/**
 * The randomness of a copy. All copies of a seeded database draw alike, so that a test's ids do not depend on the tests
 * before it. They draw differently from the original, whose tables they hold: an id must not be drawn again. That holds
 * for a copy with a seed of its own too, even if the original had the same.
 */
export function forkedChance(from: Chance, seed = from.seed): Chance {
  return seed === undefined ? from : seededChance(seed, from.generation + 1);
}

function mixed(seed: number, salt: number): number {
  return Math.imul((seed | 0) ^ salt, 0x9e3779b1) ^ (salt >>> 3);
}
