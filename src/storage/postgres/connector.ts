import { machine } from '../../runtime/machine/machine.ts';
import { StoreError } from '../store-error.ts';
import type { ClusterHost, TargetSession } from './cluster-url.ts';
import { Connection } from './connection.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import type { Driver } from './driver.ts';
import {
  cannotAnswer,
  readStanding,
  refusalOf,
  type ServerIdentity,
  type Standing,
  standingQueries,
  supersedes,
} from './primary-check.ts';

export interface ConnectorOptions {
  readonly hosts: readonly ClusterHost[];
  readonly target: TargetSession;
  /** How long one host has to accept a connection and to say what it is. */
  readonly hostMsMax: number;
  /** How long a connection is silent before TCP asks whether the other side is there. */
  readonly keepAliveMs: number;
}

/** What a new connection showed about the cluster. */
export type SignOfLife =
  | { readonly alive: true; readonly server: ServerIdentity | undefined }
  | { readonly alive: false; readonly reason: string };

/** A session that was fine answers this soon; one that does not is replaced, which costs one connection. */
const recheckMsMax = 1_000;

/** The server is starting, stopping or recovering: it answers, but serves nobody. */
const notServing = '57P03';

/**
 * Connects to the primary, and to nothing else.
 *
 * The hosts are tried in their order, beginning with the one that was the primary last. Every new connection is asked
 * what its server is before anything else, and again after a fault of any connection of this store. A session on a
 * primary cannot turn into one on a standby while nothing fails: a server becomes a standby only by a restart, which
 * ends its sessions.
 *
 * What it does not end are the sessions of a primary that was frozen, replaced and woken. They are told by their
 * timeline: once a connection led to a higher one, those of lower ones are not used again.
 */
export class Connector {
  readonly #driver: Driver;
  readonly #options: ConnectorOptions;
  #preferred: ClusterHost | undefined;
  #dialect: Dialect | undefined;
  /** Which of the dialect's standing queries the engine answers. */
  #query = 0;
  #newest: ServerIdentity | undefined;
  #faults = 0;

  constructor(driver: Driver, options: ConnectorOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  /** What the engine is; known once a connection was made. */
  get dialect(): Dialect {
    return this.#dialect ?? dialectOf('');
  }

  /** Says that something happened after which connections may lead to another kind of server. */
  suspect(): void {
    this.#faults++;
  }

  /** A new connection to the primary. */
  async connect(): Promise<Connection> {
    const failures: HostFailure[] = [];
    for (const host of this.#order()) {
      let connection: Connection | undefined;
      try {
        // The driver reads the URL now, and the files with certificates that it names.
        connection = this.#newConnection(host);
        await this.#begin(connection);
        this.#preferred = host;
        return connection;
      } catch (error) {
        void connection?.close();
        if (this.#preferred === host) this.#preferred = undefined;
        failures.push({ host, error });
      }
    }
    throw unreachable(failures);
  }

  /** Whether a connection that was idle may be used again. */
  async isUsable(connection: Connection): Promise<boolean> {
    if (!connection.isOpen || supersedes(this.#newest, connection.server)) return false;
    if (connection.faultsChecked === this.#faults) return true;
    try {
      const msMax = Math.min(recheckMsMax, this.#options.hostMsMax);
      await this.#within(msMax, connection, () => this.#check(connection));
      return true;
    } catch {
      return false;
    }
  }

  /** Whether anybody is there who would serve a new connection. Only silence and refusal count against it. */
  async signOfLife(): Promise<SignOfLife> {
    try {
      const connection = await this.connect();
      const { server } = connection;
      void connection.close();
      return { alive: true, server };
    } catch (error) {
      if (isServerTalking(error)) return { alive: true, server: undefined };
      return { alive: false, reason: (error as Error).message };
    }
  }

  #order(): readonly ClusterHost[] {
    const { hosts } = this.#options;
    const preferred = this.#preferred;
    return preferred === undefined ? hosts : [preferred, ...hosts.filter((host) => host !== preferred)];
  }

  #newConnection(host: ClusterHost): Connection {
    return new Connection(this.#driver, host, this.#options, () => this.suspect());
  }

  async #begin(connection: Connection): Promise<void> {
    await this.#within(this.#options.hostMsMax, connection, async () => {
      await connection.connect();
      await this.#check(connection);
    });
  }

  async #within<T>(msMax: number, connection: Connection, work: () => Promise<T>): Promise<T> {
    const cancel = machine.timer(msMax, () => connection.abandon(new Error(`no answer within ${msMax} ms`)));
    try {
      return await work();
    } finally {
      cancel();
    }
  }

  /** Asks a connection what it leads to and throws unless that is the primary. */
  async #check(connection: Connection): Promise<void> {
    const faults = this.#faults;
    const standing = await this.#standing(connection);
    const refusal = refusalOf(standing, this.#options.target, this.#newest);
    if (refusal !== undefined) throw new StoreError('unavailable', refusal);
    const { server } = standing;
    connection.server = server;
    connection.faultsChecked = faults;
    if (server !== undefined) this.#newest = server;
  }

  async #standing(connection: Connection): Promise<Standing> {
    try {
      if (this.#dialect === undefined) {
        const rows = await connection.query({ text: 'SELECT version()', rowMode: 'array' });
        this.#dialect = dialectOf(String(rows[0]?.[0]));
      }
      const queries = this.#dialect.standingQueries;
      for (; ; this.#query++) {
        const name = queries[this.#query];
        // An engine that answers none of them has no standbys that anybody could tell.
        if (name === undefined) return { standby: false, readOnly: false, server: undefined };
        try {
          const rows = await connection.query({ text: standingQueries[name], rowMode: 'array' });
          return readStanding(rows[0]);
        } catch (error) {
          if (!cannotAnswer(error) || isHotStandby(error, this.#dialect)) throw error;
        }
      }
    } catch (error) {
      if (!isHotStandby(error, this.#dialect)) throw error;
      return { standby: true, readOnly: true, server: undefined };
    }
  }
}

/**
 * "cannot use serializable mode in a hot standby": what a standby answers to everything where the role's default
 * isolation level is serializable. PostgreSQL itself has no other reason to answer 0A000 to these queries; the text
 * is in the server's language.
 */
function isHotStandby(error: unknown, dialect: Dialect | undefined): boolean {
  return (dialect === undefined || dialect.name === 'postgresql') && stateOf(error) === '0A000';
}

interface HostFailure {
  readonly host: ClusterHost;
  readonly error: unknown;
}

function unreachable(failures: readonly HostFailure[]): StoreError {
  const told = failures.map(({ host, error }) => {
    if (error instanceof StoreError) return `${host.name} ${error.message}`;
    const reason = error instanceof AggregateError ? error.errors.join('; ') : (error as Error).message;
    return `${host.name}: ${reason}`;
  });
  const cause =
    failures.length === 1 ? failures[0]!.error : new AggregateError(failures.map(({ error }) => error));
  return new StoreError('unavailable', `PostgreSQL cannot be reached: ${told.join('; ')}`, cause);
}

/** Whether a server refused a connection by an answer of its own, such as for having too many of them. */
function isServerTalking(error: unknown): boolean {
  const { cause } = error as StoreError;
  const causes = cause instanceof AggregateError ? cause.errors : [cause];
  return causes.some((each) => {
    const state = stateOf(each);
    return state !== undefined && state !== notServing;
  });
}

/** The SQLSTATE of an answer of the server. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return severity === undefined ? undefined : String(code);
}
