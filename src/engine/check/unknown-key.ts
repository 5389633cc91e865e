import { toHex } from '../../model/values/hex.ts';
import type { CheckResults } from './check-report.ts';
import { shownBytes } from './shown.ts';

export function addUnknownKey(key: Uint8Array, value: Uint8Array, results: CheckResults): void {
  results.add({
    kind: 'unknown-key',
    storeKey: toHex(key),
    expected: 'a key that Stator writes',
    found: `${value.length} bytes: ${shownBytes(value)}`,
  });
}
