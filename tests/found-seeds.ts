/** A seed that once made a test fail, and what it found. It runs in every `npm test` from then on. */
export interface FoundSeed {
  readonly seed: number;
  readonly found: string;
}

/**
 * The finds, by the name that the test hands to `testSeeds`. docs/contributing/random-tests.md says how to add one. A
 * property of fast-check keeps its finds as `examples` instead: a shrunk value outlives changes of its generator.
 */
export const foundSeeds: Readonly<Record<string, readonly FoundSeed[]>> = {
  'bit flips': [
    { seed: 667155244, found: 'a flipped bit in a list of free pages ended the process at the next write' },
  ],
  // Seed 1279711667 belongs here: it sets an index key to an empty binary within a transaction. The model refuses the
  // whole request, the engine cancels the transaction. The engine is right; the seed joins with the model's correction.
  'naive model': [],
};
