import { toHex } from '../../model/values/hex.ts';
import type { Reader } from '../../storage/store.ts';
import { leaseAt } from '../background/lease.ts';
import type { CheckResults, Finding } from './check-report.ts';
import { rangeOfKind } from './known-kinds.ts';
import { pagesOf } from './range-pages.ts';
import { shownError } from './shown.ts';
import { addUnknownKey } from './unknown-key.ts';

/** Checks a kind that has one record at most, under a key of nothing but the kind. */
export async function checkSingle(
  reader: Reader,
  kind: number,
  decode: (stored: Uint8Array, key: Uint8Array) => unknown,
  finding: Pick<Finding, 'kind' | 'expected'>,
  results: CheckResults,
): Promise<void> {
  const { from, to } = rangeOfKind(kind);
  for await (const page of pagesOf(reader, from, to))
    for (const { key, value } of page)
      try {
        if (key.length !== 1) addUnknownKey(key, value, results);
        else decode(value, key);
      } catch (error) {
        results.add({ ...finding, storeKey: toHex(key), found: shownError(error) });
      }
}

/** Checks the lease under a key of nothing but a kind. */
export function checkLease(
  reader: Reader,
  kind: number,
  finding: Pick<Finding, 'kind' | 'expected'>,
  results: CheckResults,
): Promise<void> {
  return checkSingle(reader, kind, (stored, key) => leaseAt(key).read(stored), finding, results);
}
