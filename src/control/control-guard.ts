import { DynamoError } from '../model/errors.ts';
import type { Authenticate } from '../wire/authenticate.ts';
import type { HeaderFields } from '../wire/header-fields.ts';
import type { PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/** Who may use the control API of a server. */
export interface ControlGuard {
  /** The address that the server listens on. */
  readonly host: string;
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
  if (isLoopback(guard.host) && (host === undefined || !isOfThisMachine(hostNameOf(host), guard.host))) {
    throw new ControlError(
      403,
      `This server answers control requests only under a name of this machine, not under ${host ?? 'no name'}`,
    );
  }
  if (origin !== undefined && !isSameOrigin(origin, host)) {
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

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The names under which containers reach this machine belong to no one who could make them point elsewhere. */
const machineNames = ['localhost', '[::1]', 'host.docker.internal', 'host.containers.internal'];

function isOfThisMachine(name: string, bound: string): boolean {
  return machineNames.includes(name) || name.endsWith('.localhost') || isLoopback(name) || name === bound;
}

function hostNameOf(host: HeaderFields['host'] & string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}
