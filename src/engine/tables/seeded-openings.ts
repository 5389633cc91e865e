import { object, whole } from '../../model/json/fields.ts';
import type { Store } from '../../storage/store.ts';
import { jsonRecord } from '../json-record.ts';
import { seededOpeningsKey } from '../store-keys.ts';

/** How often a store has been opened with a seed, as JSON. */
export interface SeededOpenings {
  readonly count: number;
}

const { encode, decode } = jsonRecord<SeededOpenings>(
  'the number of openings with a seed',
  1,
  object<SeededOpenings>({ count: whole }),
);
export const decodeSeededOpenings = decode;

/**
 * Counts an opening of a lasting store with a seed, and answers how many there were before. The seed of each opening gives
 * other ids: those of the tables that an earlier one made must not be drawn again.
 */
export async function countSeededOpening(store: Store): Promise<number> {
  return store.transact<number>({
    reads: [seededOpeningsKey],
    decide({ values: [bytes] }) {
      const count = bytes === undefined ? 0 : decode(bytes, seededOpeningsKey).count;
      const value = encode({ count: count + 1 });
      return { result: count, mutations: [{ kind: 'put', key: seededOpeningsKey, value }] };
    },
  });
}
