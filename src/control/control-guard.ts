import { createHash, timingSafeEqual } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import type { TableRecord } from '../engine/tables/table-record.ts';
import { type Authorize, allOf, firstRefusal, ownAccountOnly } from '../model/access/authorize.ts';
import type { Intent, IntentScope } from '../model/access/intent.ts';
import { principalOf } from '../model/access/principal.ts';
import { DynamoError } from '../model/errors.ts';
import type { Authenticate, Identity } from '../wire/authenticate.ts';
import type { Credential } from '../wire/credentials.ts';
import type { HostNames } from '../wire/host-names.ts';
import { isSameOrigin } from '../wire/page-guard.ts';
import type { JudgedRequester, PageHead, PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';
import type { ServedModel } from './models-resource.ts';

/** The rules for who may use the control API of a server, and what the server was told beside its database. */
export interface ControlGuard {
  /** The names the server answers to. */
  readonly names: HostNames;
  /** Finds who sent a request. */
  readonly authenticate: Authenticate;
  /** Whether signatures are verified: control requests must then be signed too. */
  readonly isVerified: boolean;
  /** Whether this access key may do what concerns everybody on the server. Asked where signatures are verified. */
  isAdministrator(accessKeyId: string): boolean;
  /** The credential of an access key as it is now; a file of them may change at any time. */
  credentialOf(accessKeyId: string): Credential | undefined;
  /** Judges what callers want, beside the rule about accounts. Undefined permits everything. */
  readonly authorize: Authorize | undefined;
  /** The tables that a PartiQL statement names, as intents to explain it. */
  statementTables(statement: string, scope: IntentScope): readonly Intent[];
  /** Describes a table as DescribeTable does. */
  describeTable(engine: Engine, scope: IntentScope, record: TableRecord): Promise<object>;
  /** Stands for a signature where only metrics are read. */
  readonly metricsToken?: string;
  /** Whether several processes answer on this address, so that a request may reach any of them. */
  readonly oneOfSeveral?: boolean;
  /** The models behind the tables. */
  readonly models?: readonly ServedModel[];
}

/**
 * Refuses requests that a web page in a developer's browser sends without their knowledge. A page of another site
 * always sends its Origin with a request that changes something. A page whose name was made to point to this machine
 * (DNS rebinding) has the same origin for the browser, but the name in Host reveals it.
 */
export function refuseStrangers(guard: ControlGuard, { headers }: PageHead): void {
  const { host, origin } = headers;
  // Every browser sends Host; a health check in HTTP/1.0 may not.
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

/**
 * Finds who sent a request, and refuses it without a valid signature if the server verifies signatures. The signature
 * is the same as for DynamoDB, with `dynamodb` as the service. On an open server nobody has to say who they are.
 */
export function callerOf(guard: ControlGuard, request: PageRequest): Identity | undefined {
  if (!guard.isVerified && request.headers.authorization === undefined) return undefined;
  const { method, path, query, headers, body } = request;
  const url = query === '' ? path : `${path}?${query}`;
  const identity = guard.authenticate({ method, url, headers, sent: body }, 'dynamodb');
  if (!(identity instanceof DynamoError)) {
    request.noteCaller?.(identity);
    return identity;
  }
  if (!guard.isVerified) return undefined;
  throw new ControlError(403, identity.message ?? 'This server wants control requests to be signed');
}

/**
 * Refuses a request before its body has arrived, if its head cannot be that of a signed request. A signature covers the
 * bytes as sent and comes before all work on them, so bodies are not compressed.
 */
export function refuseUnsigned(
  { authenticate }: ControlGuard,
  { method, path, query, headers }: PageHead,
): void {
  const url = query === '' ? path : `${path}?${query}`;
  const refusal = authenticate.checkHead?.({ method, url, headers }, 'dynamodb');
  if (refusal !== undefined)
    throw new ControlError(403, refusal.message ?? 'This server wants control requests to be signed');
}

/**
 * The sender with the authorizer that judges it. Where signatures are verified, administrators of the server may look at
 * every account; all others are bound to their own, and to what concerns no other.
 */
export function judged(
  { authorize }: ControlGuard,
  { accountId, region, accessKeyId, stated }: Identity,
  isBound: boolean,
): JudgedRequester {
  const principal = principalOf({ accountId, region, accessKeyId, stated });
  const rules = [isBound ? ownAccountOnly : undefined, authorize];
  return { accountId, region, accessKeyId, principal, authorize: allOf(rules) };
}

/** Refuses a request whose sender may not have what it wants. */
export async function refuseUnauthorized(
  requester: JudgedRequester,
  intents: readonly Intent[],
  isBound: boolean,
): Promise<void> {
  if (intents.length === 0) throw new Error('A control request that names no intent cannot be authorized');
  if (isBound && intents.some(({ isServerWide }) => isServerWide))
    throw new ControlError(
      403,
      `${requester.accessKeyId} is not the key of an administrator of this server. Its credentials file makes it one with stator_administrator = true`,
    );
  const { authorize } = requester;
  const refusal = authorize && (await firstRefusal(authorize, intents, requester));
  if (refusal !== undefined) throw new ControlError(403, refusal.message ?? refusal.name);
}

/** Whether a request has the bearer token for metrics. Digests of equal length are compared, in constant time. */
export function hasToken({ metricsToken }: ControlGuard, { headers }: PageHead): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (metricsToken === undefined || given === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(metricsToken));
}

export function refuseForOneProcess({ oneOfSeveral = false }: ControlGuard, { path }: PageRequest): void {
  if (!oneOfSeveral) return;
  throw new ControlError(
    409,
    `${path} is about a single process, and this server has several: start it without --workers`,
  );
}
