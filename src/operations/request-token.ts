import type { Engine } from '../engine/engine.ts';
import type { RequestToken } from '../engine/request-tokens.ts';
import { encodeUtf8 } from '../model/utf8.ts';
import type { Caller } from './operation.ts';

/**
 * A client's token with the fingerprint of the request that came with it. All of the input counts, ReturnConsumedCapacity
 * too: the service speaks of "a change in other parameters". In what order a client wrote the members does not.
 */
export function requestToken(
  engine: Engine,
  text: string,
  input: object,
  { accountId, region }: Caller,
): RequestToken {
  const fingerprint = engine.h16(encodeUtf8(JSON.stringify(input, withSortedMembers)));
  return { scope: { account: accountId, region }, text, fingerprint };
}

function withSortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
