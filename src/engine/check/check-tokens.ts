import { hashBytes } from '../../model/keys/keys.ts';
import { keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry } from '../../storage/store.ts';
import { tokenKeys, tokenKind, tokenPeriodBytes } from '../store-keys.ts';
import { tokenPeriodOf } from '../transactions/request-tokens.ts';
import { decodeToken } from '../transactions/token-record.ts';
import { scopeAndRest } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { pageLimits } from './range-pages.ts';
import { shownError } from './shown.ts';
import { addUnknownKey } from './unknown-key.ts';

/**
 * Judges what is remembered of transactions with a token: each lies in the period in which it was used, or it would be
 * forgotten too early or never. There may be many, so that each page has a state of its own.
 */
export async function checkTokens({ states, stepped }: CheckContext, results: CheckResults): Promise<void> {
  const { from: start, to } = rangeOfKind(tokenKind);
  for (let from = start; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries, more } = await reader.range({ from, to, limit: pageLimits.entries });
    for (const entry of entries) checkToken(entry, results);
    if (!more || entries.length === 0) return;
    from = keyAfter(entries[entries.length - 1]!.key);
    await stepped(0);
  }
}

function checkToken({ key, value }: Entry, results: CheckResults): void {
  const parts = partsOf(key);
  if (parts === undefined) {
    addUnknownKey(key, value, results);
    return;
  }
  const place = { kind: 'request-token', ...parts.scope, storeKey: toHex(key) } as const;
  let period: number;
  try {
    period = tokenPeriodOf(decodeToken(value).expiresMs) - 1;
  } catch (error) {
    results.add({ ...place, expected: 'what is remembered of a transaction', found: shownError(error) });
    return;
  }
  if (toHex(tokenKeys([period], parts.scope, parts.hash)[0]!) !== place.storeKey)
    results.add({ ...place, expected: `a key of period ${period}`, found: 'another' });
}

/** Behind kind and period, a token's key is made as a table record's is, with a hash in the place of the table's name. */
function partsOf(key: Uint8Array) {
  // The last byte of the period stands for the kind, which nobody looks at.
  const parts = scopeAndRest(key.subarray(tokenPeriodBytes - 1));
  return parts?.rest.length === hashBytes ? { scope: parts.scope, hash: parts.rest } : undefined;
}
