import type { Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { pagesOf } from '../check/range-pages.ts';
import type { KeyRange } from '../store-keys.ts';

/** The records of a range. Passes over those that cannot be read: one damaged record must not stop work on all others. */
export async function* readableRecords<T>(
  store: Store,
  { from, to }: KeyRange,
  decode: (stored: Uint8Array, key: Uint8Array) => T,
  unreadable: (key: Uint8Array, error: StoreError) => void = () => {},
): AsyncGenerator<{ readonly key: Uint8Array; readonly value: Uint8Array; readonly record: T }, void> {
  for await (const page of pagesOf(store, from, to))
    for (const { key, value } of page) {
      let record: T;
      try {
        record = decode(value, key);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        unreadable(key, error);
        continue;
      }
      yield { key, value, record };
    }
}
