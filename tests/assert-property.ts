import fc from 'fast-check';
import { testSeed } from './seeded-random.ts';

/**
 * `fc.assert` with the seed of this run: a fixed one, or STATOR_TEST_SEED. fast-check by itself draws a fresh seed
 * every time, so tests call it through here only (`tests/house/seeds.test.ts`).
 *
 * A failing property prints the smallest counterexample. Add that to the property's `examples`, and it is tried in
 * every run.
 *
 * It takes synchronous properties only, so that no caller can forget to await one.
 */
export function assertProperty<Ts>(property: fc.IProperty<Ts>, parameters: fc.Parameters<Ts> = {}): void {
  fc.assert(property, { seed: testSeed('properties'), ...parameters });
}
