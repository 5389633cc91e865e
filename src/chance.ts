import { randomFillSync } from 'node:crypto';
import { type Randomness, seededRandomness } from './engine/randomness.ts';
import { pooledRandom, type RandomSource } from './wire/request-id.ts';

/**
 * The randomness of a database: `random` for stored data, `words` for request ids. They are separate, so that with a
 * seed the ids of tables do not depend on the number of requests before.
 */
export interface Chance {
  readonly seed: number | undefined;
  readonly random: Randomness;
  readonly words: RandomSource;
}

export function seededChance(seed: number): Chance {
  const ids = seededRandomness(mixed(seed, 0x5bd1e995));
  return { seed, random: seededRandomness(seed), words: () => Math.floor(ids.next() * 2 ** 32) };
}

export function trueChance(): Chance {
  const words = pooledRandom(randomFillSync);
  return { seed: undefined, random: { next: () => words() / 2 ** 32 }, words };
}

/**
 * The randomness of a copy. Every copy of a seeded database gets the same seed, so that a test's ids do not depend on
 * the tests before it. That seed differs from the original's, because the copy must not draw the ids of the
 * original's tables again.
 */
export function forkedChance(chance: Chance): Chance {
  return chance.seed === undefined ? chance : seededChance(mixed(chance.seed, 0x2545f491));
}

function mixed(seed: number, salt: number): number {
  return Math.imul((seed | 0) ^ salt, 0x9e3779b1) ^ (salt >>> 3);
}

/** A repeatable source if there is a seed. */
export function chanceOf({ seed }: { readonly seed?: number }): Chance {
  return seed === undefined ? trueChance() : seededChance(seed);
}
