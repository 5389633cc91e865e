import { DynamoError } from '../model/errors.ts';
import type { Authenticate } from '../wire/authenticate.ts';
import type { HostNames } from '../wire/host-names.ts';
import { isSameOrigin } from '../wire/page-guard.ts';
import type { PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/** Who may use the control API of a server. */
export interface ControlGuard {
  /** The names that the server answers to. */
  readonly names: HostNames;
  /** Given where signatures are verified: then the control API wants them as well. */
  readonly authenticate?: Authenticate;
  /** Several processes answer on this address, and nobody can say which of them a request gets to. */
  readonly oneOfSeveral?: boolean;
}

/**
 * Refuses what a web page in a developer's browser sends behind their back. A page of another site cannot help but
 * send its Origin with anything that changes something. A page whose name was made to point to this machine (DNS
 * rebinding) is of the same origin in the browser's eyes, but gives itself away by the name in Host.
 */
export function refuseStrangers(guard: ControlGuard, { headers }: PageRequest): void {
  const { host, origin } = headers;
  // No browser leaves Host out; a health check in HTTP/1.0 may.
  if (host !== undefined && !guard.names.includes(host)) {
    throw new ControlError(
      403,
      `This server answers control requests only under names of its own, not under ${host}; --allow-host adds one`,
    );
  }
  if (origin !== undefined && (host === undefined || !isSameOrigin(origin, host))) {
    throw new ControlError(403, 'Control requests from web pages of another origin are refused');
  }
  const site = headers.first('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') {
    throw new ControlError(403, 'Control requests from web pages of another origin are refused');
  }
}

/** The same signature as a request to DynamoDB itself, with `dynamodb` for the service. */
export function refuseUnsigned(guard: ControlGuard, request: PageRequest): void {
  if (guard.authenticate === undefined) return;
  const { method, path, query, headers, body } = request;
  const url = query === '' ? path : `${path}?${query}`;
  const identity = guard.authenticate({ method, url, headers, sent: body, body }, 'dynamodb');
  if (identity instanceof DynamoError) {
    throw new ControlError(403, identity.message ?? 'This server wants control requests to be signed');
  }
}

export function refuseForOneProcess({ oneOfSeveral = false }: ControlGuard, { path }: PageRequest): void {
  if (!oneOfSeveral) return;
  throw new ControlError(
    409,
    `${path} is about a single process, and this server has several: start it without --workers`,
  );
}
