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

/** The seed of this run: STATOR_TEST_SEED to repeat one, else a new one, printed either way. */
export function testSeed(what: string): number {
  const given = process.env.STATOR_TEST_SEED;
  const seed = given === undefined ? Math.floor(Math.random() * 0x7fffffff) : Number(given);
  console.info(`${what}: STATOR_TEST_SEED=${seed}`);
  return seed;
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
