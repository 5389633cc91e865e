import { keyAfter } from '../../model/bytes.ts';
import { hashBytes } from '../../model/keys.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { toHex } from '../randomness.ts';
import { decodeToken } from '../request-tokens.ts';
import { expiryKey, expiryKind, tokenKind, tokenOfExpiry } from '../store-keys.ts';
import { scopeAndRest } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { valuesOf } from './lookups.ts';
import { pageLimits } from './pages.ts';
import { shownError } from './shown.ts';
import { addUnknownKey } from './unknown-key.ts';

/**
 * Judges what is remembered of transactions with a token. Each has its expiry, or it would never be forgotten. An
 * expiry may be left without its token, which was forgotten together with an earlier one.
 */
export async function checkTokens(context: CheckContext, results: CheckResults): Promise<void> {
  await inSteps(context, tokenKind, (reader, page) => checkPage(reader, page, results));
  await inSteps(context, expiryKind, async (_, page) => {
    for (const { key, value } of page)
      if (value.length > 0 || !isTokenKey(tokenOfExpiry(key))) addUnknownKey(key, value, results);
  });
}

/** Goes through all keys of a kind; there may be many, so that each page has a state of its own. */
async function inSteps(
  { states, stepped }: CheckContext,
  kind: number,
  judge: (reader: Reader, page: readonly Entry[]) => Promise<void>,
): Promise<void> {
  const { from: start, to } = rangeOfKind(kind);
  for (let from = start; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries, more } = await reader.range({ from, to, limit: pageLimits.entries });
    await judge(reader, entries);
    if (!more || entries.length === 0) return;
    from = keyAfter(entries[entries.length - 1]!.key);
    await stepped(0);
  }
}

async function checkPage(reader: Reader, page: readonly Entry[], results: CheckResults): Promise<void> {
  const expected: { readonly token: Uint8Array; readonly expiresMs: number }[] = [];
  for (const { key, value } of page) {
    if (!isTokenKey(key)) {
      addUnknownKey(key, value, results);
      continue;
    }
    try {
      expected.push({ token: key, expiresMs: decodeToken(value).expiresMs });
    } catch (error) {
      results.add({
        ...placeOfToken(key),
        expected: 'what is remembered of a transaction',
        found: shownError(error),
      });
    }
  }
  const keys = expected.map(({ token, expiresMs }) => expiryKey(expiresMs, token));
  for await (const found of valuesOf(reader, keys)) {
    for (const { at, value } of found) {
      if (value !== undefined) continue;
      const { token, expiresMs } = expected[at]!;
      results.add({ ...placeOfToken(token), expected: `an expiry at ${expiresMs} ms`, found: 'none' });
    }
  }
}

function placeOfToken(key: Uint8Array) {
  return { kind: 'request-token', ...scopeAndRest(key)?.scope, storeKey: toHex(key) } as const;
}

/** A token's key is made as a table record's is, with a hash in the place of the table's name. */
function isTokenKey(key: Uint8Array): boolean {
  return scopeAndRest(key)?.rest.length === hashBytes;
}
