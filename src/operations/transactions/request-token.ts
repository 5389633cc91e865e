import type { RequestToken } from '../../engine/transactions/request-tokens.ts';
import type { Caller } from '../operation.ts';
import { requestFingerprint } from './request-fingerprint.ts';

/**
 * A client's token with the fingerprint of the request that came with it. All of the input counts, ReturnConsumedCapacity
 * too: the service speaks of "a change in other parameters". In what order a client wrote the members does not.
 */
export function requestToken(text: string, input: object, { accountId, region }: Caller): RequestToken {
  return { scope: { account: accountId, region }, text, fingerprint: requestFingerprint(input) };
}
