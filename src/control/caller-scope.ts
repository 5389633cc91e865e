import type { Identity } from '../wire/authenticate.ts';
import type { PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/**
 * Says in the query what a signed request leaves unsaid: the account of the caller, and the namespace that the access key
 * has. Others than administrators cannot name another namespace; other accounts are refused by their intents.
 */
export function withCallerScope(
  request: PageRequest,
  { accessKeyId, accountId }: Identity,
  { hasNamespace, isBound }: { readonly hasNamespace: boolean; readonly isBound: boolean },
): PageRequest {
  const parameters = new URLSearchParams(request.query);
  if (!parameters.has('accountId')) parameters.set('accountId', accountId);
  const namespace = parameters.get('namespace');
  if (namespace !== null && isBound && !(hasNamespace && namespace === accessKeyId))
    throw new ControlError(
      403,
      `namespace=${namespace} is not yours: ${accessKeyId} sees account ${accountId}`,
    );
  if (namespace === null && hasNamespace) parameters.set('namespace', accessKeyId);
  return { ...request, query: parameters.toString() };
}

/** Tells whether something belongs to the account that a request asks about; without one, everything does. */
export function accountFilter({ query }: PageRequest): (one: { readonly account: string }) => boolean {
  const account = new URLSearchParams(query).get('accountId');
  return (one) => account === null || one.account === account;
}
