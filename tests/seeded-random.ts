import { foundSeeds } from './found-seeds.ts';

/** A small generator of repeatable randomness for tests, not for secrets. */
export interface SeededRandom {
  /** 0 <= number < 1 */
  next(): number;
  /** A whole number, 0 <= number < end. */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
  bytes(length: number): Uint8Array;
  chance(probability: number): boolean;
}

/**
 * The seeds of one random test, which `it.each` takes: a fixed seed made from the test's name, and every seed that once
 * found a bug with it (`found-seeds.ts`). With STATOR_TEST_SEED set, that seed alone. `npm run test:explore` sets it to a
 * fresh seed for each of its rounds; nothing else in the tests draws one, which `tests/house/seeds.test.ts` holds.
 */
export function testSeeds(name: string): readonly number[] {
  const given = givenSeed();
  if (given !== undefined) return [given];
  return [fixedSeed(name), ...(foundSeeds[name] ?? []).map(({ seed }) => seed)];
}

/** The first of a test's seeds, for tests of the test tools themselves and for choices that cannot find a bug. */
export function testSeed(name: string): number {
  if (foundSeeds[name] !== undefined) throw new Error(`'${name}' has found seeds: run it with testSeeds`);
  return givenSeed() ?? fixedSeed(name);
}

function givenSeed(): number | undefined {
  const given = process.env.STATOR_TEST_SEED;
  if (given === undefined) return undefined;
  if (!/^\d{1,10}$/.test(given) || Number(given) > seedMax)
    throw new Error(`STATOR_TEST_SEED is a whole number from 0 to ${seedMax}, not '${given}'`);
  return Number(given);
}

const seedMax = 0x7fffffff;

/** FNV-1a of the name: tests of different names take different ways, and each takes its own every time. */
function fixedSeed(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash & seedMax;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    // mulberry32: 32 bits of state, good enough to choose what a test does next.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (values) => values[below(values.length)]!,
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
    chance: (probability) => next() < probability,
  };
}

/** Long runs, for nights and releases, do `factor` times as much of the same. */
export function rounds(base: number, factor = 20): number {
  return process.env.STATOR_TEST_LONG === '1' ? base * factor : base;
}
