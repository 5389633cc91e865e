import type { Identity } from '../wire/authenticate.ts';
import type { PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';
import type { ControlRequest } from './control-resource.ts';

/**
 * Says in the query what a signed request leaves unsaid: the account of the caller, and the namespace that the access key
 * has. Others than administrators cannot say anything else.
 */
export function withCallerScope(
  request: PageRequest,
  { accessKeyId, accountId }: Identity,
  { hasNamespace, isBound }: { readonly hasNamespace: boolean; readonly isBound: boolean },
): ControlRequest {
  const parameters = new URLSearchParams(request.query);
  const set = (name: string, own: string | undefined) => {
    const given = parameters.get(name);
    if (given !== null && given !== own && isBound)
      throw new ControlError(403, `${name}=${given} is not yours: ${accessKeyId} sees account ${accountId}`);
    if (given === null && own !== undefined) parameters.set(name, own);
  };
  set('accountId', accountId);
  set('namespace', hasNamespace ? accessKeyId : undefined);
  return { ...request, query: parameters.toString(), ...(isBound && { boundTo: accountId }) };
}

/** Tells whether something belongs to the account that a request asks about; without one, everything does. */
export function accountFilter({ query }: PageRequest): (one: { readonly account: string }) => boolean {
  const account = new URLSearchParams(query).get('accountId');
  return (one) => account === null || one.account === account;
}
