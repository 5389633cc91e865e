import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../assert-property.ts';
import { testSeeds } from '../../../seeded-random.ts';

it.each(testSeeds('planted'))("fails (with any seed, this one's %i)", (seed) => {
  expect.fail(`a planted bug, seed ${seed}`);
});

it('passes with every seed', () => {
  assertProperty(fc.property(fc.integer(), Number.isInteger));
});

it('fails in a property', () => {
  assertProperty(fc.property(fc.integer(), (number) => number > 0 && number < 0));
});
