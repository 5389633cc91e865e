import { awsApis } from './aws-apis.ts';
import type { ControlGuard } from './control/control-guard.ts';
import type { ServedModel } from './control/models-resource.ts';
import { dynamoDbServices } from './dynamodb-service.ts';
import { describeRecord } from './engine/control/describe-table.ts';
import type { Engine } from './engine/engine.ts';
import type { Observer } from './engine/events.ts';
import { type Authorize, allOf, failClosed, ownAccountOnly } from './model/access/authorize.ts';
import type { Monitoring } from './monitoring.ts';
import type { Caller } from './operations/operation.ts';
import { explainIntents } from './operations/partiql/explain-statement.ts';
import { machine } from './runtime/machine/machine.ts';
import type { RandomWords } from './runtime/randomness.ts';
import { openDoor, type PinnedScope, pinnedDoor, verifiedDoor } from './wire/authenticate.ts';
import { closeSocketToOthers, removeStaleSocket } from './wire/control-socket.ts';
import {
  type Credential,
  type CredentialLookup,
  credentialLookup,
  isAdministrator,
} from './wire/credentials.ts';
import { CredentialsFile } from './wire/credentials-file.ts';
import { HostNames } from './wire/host-names.ts';
import { HttpServer } from './wire/http-server.ts';
import { OriginList } from './wire/origin-list.ts';
import { PageGuard } from './wire/page-guard.ts';
import type { Pages } from './wire/pages.ts';
import type { LogFailure } from './wire/request-handler.ts';

/** Options of `db.listen`: address, credentials, who may call, limits. */
export interface ListenOptions {
  /** The port; 8000 by default, 0 takes a free one. */
  readonly port?: number;
  /** The address; 127.0.0.1 by default. */
  readonly host?: string;
  /** `open` (default) takes any well-formed credentials; `verify` checks signatures against `credentials`. */
  readonly auth?: 'open' | 'verify';
  readonly credentials?: readonly Credential[];
  /** Judges the requests to this server, after the authorizer of the database, if that has one. */
  readonly authorize?: Authorize;
  /** A file with the credentials, instead of them. It is read again when it changes. */
  readonly credentialsFile?: string;
  /** The account and Region of every caller, whatever its signature says. */
  readonly pinScope?: PinnedScope;
  /**
   * The web pages that may call, besides those of this machine: origins such as `https://app.example.com`, or `*`.
   */
  readonly cors?: readonly string[];
  /** Further names of this server, as clients send them in Host: `db.example.com`, `*.example.com`, or `*`. */
  readonly allowHosts?: readonly string[];
  /**
   * A port for the control API and the studio, which then answer on `port` no longer. It takes every other request too.
   */
  readonly controlPort?: number;
  /** The address of `controlPort`; 127.0.0.1 by default. */
  readonly controlHost?: string;
  /** A Unix socket in the place of `controlPort`; its owner alone may open it. */
  readonly controlSocket?: string;
  /** A bearer token that lets a scraper read `/_stator/metrics` without a signature. */
  readonly metricsToken?: string;
  /** Whether browsers that open the server's address get the studio; false by default, the command line says true. */
  readonly studio?: boolean;
  /** The models behind the tables, for the studio's page of access patterns and for `GET /_stator/models`. */
  readonly models?: readonly ServedModel[];
  /**
   * Whether other processes serve the same data on the same port. The control API then refuses what concerns one
   * process only.
   */
  readonly oneOfSeveral?: boolean;
}

/** A running server of a database. */
export interface StatorServer {
  readonly host: string;
  readonly port: number;
  /** The endpoint for clients. */
  readonly url: string;
  /** Where the control API and the studio are, if they have a port or a socket of their own. */
  readonly controlUrl?: string;
  /** Stops accepting connections, lets running requests finish for at most `drainMs`, then cuts off the rest. */
  close(drainMs?: number): Promise<void>;
}

/** The database that a server serves, and its dependencies. */
export interface Served {
  engineOf(caller: Caller): Engine;
  monitoringOf(caller: Caller): Monitoring;
  readonly region: string;
  readonly authorize: Authorize | undefined;
  readonly random: RandomWords;
  readonly log: (line: string) => void;
  readonly observer: Observer | undefined;
  readonly logFailure: LogFailure;
  readonly control?: (guard: ControlGuard) => Pages;
  readonly pages?: Pages;
}

/** The keys of a program stay as they are; those of a file are read again when it changes. */
function lookupOf(
  { log }: Served,
  { credentials = [], credentialsFile: path }: ListenOptions,
  isPrivate: boolean,
): CredentialLookup {
  if (path === undefined) return credentialLookup(credentials);
  const file = new CredentialsFile({ path, isPrivate, stopwatchMs: machine.stopwatchMs, log });
  return (accessKeyId) => file.find(accessKeyId);
}

export async function serve(served: Served, options: ListenOptions = {}): Promise<StatorServer> {
  const host = options.host ?? '127.0.0.1';
  const isVerified = options.auth === 'verify';
  const own = options.authorize && failClosed(options.authorize, served.logFailure);
  const authorize = allOf([served.authorize, own]);
  const lookup = lookupOf(served, options, isVerified);
  const door = isVerified ? verifiedDoor(lookup, machine.nowMs) : openDoor(lookup);
  const authenticate = options.pinScope === undefined ? door : pinnedDoor(door, options.pinScope);
  const namesAt = (bound: string) => new HostNames({ bound, allowed: options.allowHosts ?? [], isVerified });
  const names = namesAt(host);
  const { controlPort, controlHost = '127.0.0.1', controlSocket } = options;
  const isApart = controlPort !== undefined || controlSocket !== undefined;
  const controlNames = isApart ? namesAt(controlHost) : names;
  const guard: ControlGuard = {
    names: controlNames,
    authenticate,
    isVerified,
    isAdministrator: (accessKeyId) => {
      const credential = lookup(accessKeyId);
      return credential !== undefined && isAdministrator(credential);
    },
    credentialOf: lookup,
    authorize,
    statementTables: explainIntents,
    describeTable: describeRecord,
    ...(options.metricsToken !== undefined && { metricsToken: options.metricsToken }),
    ...(options.oneOfSeveral !== undefined && { oneOfSeveral: options.oneOfSeveral }),
    ...(options.models !== undefined && { models: options.models }),
  };
  const data = {
    services: [
      ...dynamoDbServices((caller) => served.engineOf(caller)),
      ...awsApis((caller) => served.monitoringOf(caller)),
    ],
    authenticate,
    authorize: allOf([isVerified ? ownAccountOnly : undefined, authorize]),
    random: served.random,
    region: served.region,
    log: served.log,
    observer: served.observer,
    logFailure: served.logFailure,
  };
  const guardOf = (own: HostNames) =>
    new PageGuard({ names: own, origins: new OriginList(options.cors), log: served.log });
  const everything = {
    ...data,
    guard: guardOf(controlNames),
    ...(served.control && { control: served.control(guard) }),
    ...(served.pages && { pages: served.pages }),
  };
  const control = isApart ? new HttpServer(everything) : undefined;
  const http = new HttpServer(isApart ? { ...data, guard: guardOf(names) } : everything);
  const closeBoth = (drainMs: number) => Promise.all([http.close(drainMs), control?.close(drainMs)]);
  let port: number;
  let controlUrl: string | undefined;
  try {
    if (control !== undefined && controlSocket !== undefined) {
      if (options.oneOfSeveral !== true) await removeStaleSocket(controlSocket);
      await control.listenOn(controlSocket);
      closeSocketToOthers(controlSocket);
      controlUrl = `unix:${controlSocket}`;
    } else if (control !== undefined) {
      controlUrl = urlOf(controlHost, (await control.listen(controlPort!, controlHost)).port);
    }
    port = (await http.listen(options.port ?? 8000, host)).port;
  } catch (error) {
    await control?.close(0).catch(() => {});
    throw error;
  }
  return {
    host,
    port,
    url: urlOf(host, port),
    ...(controlUrl !== undefined && { controlUrl }),
    close: async (drainMs = 10_000) => {
      await closeBoth(drainMs);
    },
  };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
