import type { Unit } from '../../src/storage/store.ts';
import { hashOf, isExpected, type Write } from './items.ts';

/** A conditional put as a unit: reads the item, checks it, puts the new one, answers a hash of what it found. */
export function conditionalPut(write: Write): Unit<number> {
  return {
    reads: [write.key],
    decide: ({ values: [found] }) =>
      isExpected(found, write)
        ? { result: hashOf(found), mutations: [{ kind: 'put', key: write.key, value: write.value }] }
        : { result: 0, mutations: [] },
  };
}

/** A put that looks at nothing. */
export function blindPut({ key, value }: Write): Unit<number> {
  return { reads: [], decide: () => ({ result: 1, mutations: [{ kind: 'put', key, value }] }) };
}

/** Puts many new items in one commit, to fill a store. */
export function fill(writes: readonly Write[]): Unit<void> {
  return {
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: writes.map(({ key, value }) => ({ kind: 'put', key, value })),
    }),
  };
}

/** All items in the order of their numbers, which is a random order of keys, a batch at a time. */
export function* batchesToFill(
  items: { count: number; key(i: number): Uint8Array; value(i: number, version: number): Uint8Array },
  length = 2_000,
): Generator<Write[]> {
  for (let from = 0; from < items.count; from += length)
    yield Array.from({ length: Math.min(length, items.count - from) }, (_, i) => ({
      index: from + i,
      key: items.key(from + i),
      value: items.value(from + i, 0),
    }));
}
