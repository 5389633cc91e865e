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
  'naive model': [
    {
      seed: 1279711667,
      found:
        'the model refused a transaction that sets an index key to an empty binary; the service cancels it',
    },
  ],
  'paging in a chosen order': [
    {
      seed: 1548273979,
      found: 'the judge wanted a full last page to have a LastEvaluatedKey where a partition is one item',
    },
  ],
};
