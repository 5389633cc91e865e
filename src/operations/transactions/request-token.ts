import type { RequestToken } from '../../engine/transactions/request-tokens.ts';
import type { Caller } from '../operation.ts';
import { requestFingerprint } from './request-fingerprint.ts';

/**
 * A client's token with the fingerprint of its request. The whole input counts, even ReturnConsumedCapacity: the
 * service speaks of "a change in other parameters". The order of the members does not count.
 */
export function requestToken(text: string, input: object, { accountId, region }: Caller): RequestToken {
  return { scope: { account: accountId, region }, text, fingerprint: requestFingerprint(input) };
}
