/**
 * How often a property is tried: `base` times in an ordinary run, fifty times as often with STATOR_TEST_LONG set
 * (`npm run test:long`).
 */
export function propertyRuns(base: number): number {
  return process.env.STATOR_TEST_LONG ? base * 50 : base;
}
