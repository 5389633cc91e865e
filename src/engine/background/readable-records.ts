import { compareBytes, keyAfter } from '../../model/values/bytes.ts';
import type { Entry, Store } from '../../storage/store.ts';
import { DamagedValue, StoreError } from '../../storage/store-error.ts';
import { pagesOf } from '../check/range-pages.ts';
import type { KeyRange } from '../store-keys.ts';

/** The records of a range. Passes over those that cannot be read: one damaged record must not stop work on all others. */
export async function* readableRecords<T>(
  store: Store,
  { from, to }: KeyRange,
  decode: (stored: Uint8Array, key: Uint8Array) => T,
  unreadable: (key: Uint8Array, error: StoreError) => void = () => {},
): AsyncGenerator<{ readonly key: Uint8Array; readonly value: Uint8Array; readonly record: T }, void> {
  for await (const page of undamagedPages(store, from, to, unreadable))
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

/** The pages of a range without the values that the store itself finds damaged. */
async function* undamagedPages(
  store: Store,
  from: Uint8Array,
  to: KeyRange['to'],
  damaged: (key: Uint8Array, error: StoreError) => void,
): AsyncGenerator<readonly Entry[], void> {
  let next = from;
  try {
    for await (const page of pagesOf(store, from, to)) {
      yield page;
      next = keyAfter(page.at(-1)!.key);
    }
  } catch (error) {
    if (!(error instanceof DamagedValue) || compareBytes(error.key, next) < 0) throw error;
    damaged(error.key, error);
    yield* pagesOf(store, next, error.key);
    yield* undamagedPages(store, keyAfter(error.key), to, damaged);
  }
}
