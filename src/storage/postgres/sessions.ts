import type pg from 'pg';
import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import type { MaybePromise } from '../store.ts';
import { StoreError } from '../store-error.ts';
import type { AnswerWatch } from './answer-watch.ts';
import type { Connection } from './connection.ts';
import type { Connector } from './connector.ts';
import { Gate } from './gate.ts';
import { breaksConnection } from './sql-failure.ts';
import type { Row, Run } from './statement.ts';

/** Told of every statement before it is sent, and awaited: for tests that count or interleave round trips. */
export type RoundTripObserver = (statement: string) => MaybePromise<void>;

/** One connection, held by one call at a time. */
export interface Session {
  readonly run: Run;
  /** Sends SQL without preparing it; several statements are one transaction. Answers the rows of the last. */
  execute(sql: string): Promise<readonly Row[]>;
  /** Which part of each counter this connection adds to. */
  readonly shard: number;
}

export interface SessionPoolOptions {
  readonly connector: Connector;
  readonly watch: AnswerWatch;
  readonly sessionsMax: number;
  /** How long a call waits for a free connection. */
  readonly connectMsMax: number;
  readonly idleMsMax: number;
  /** SQL that a new connection runs first. */
  readonly prologue: string;
  /** The shard of the next new connection. */
  readonly nextShard: () => number;
  readonly onRoundTrip: RoundTripObserver | undefined;
}

interface Idle {
  readonly connection: Connection;
  /** Keeps it: ends the timer that would close it. */
  readonly keep: Cancel;
}

/** A bounded pool of connections to the primary that all begin with the same prologue. */
export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #gate: Gate;
  readonly #shards = new WeakMap<Connection, number>();
  /** The one used last is used next, so that those that are too many grow old. */
  readonly #idle: Idle[] = [];
  readonly #lent = new Set<Connection>();
  #hasEnded = false;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
    this.#gate = new Gate(options.sessionsMax, options.connectMsMax);
  }

  /** Who is urgent gets a session before the others who wait for one. */
  async use<T>(work: (session: Session) => Promise<T>, isUrgent = false): Promise<T> {
    const { session, release } = await this.acquire(isUrgent);
    try {
      return await work(session);
    } finally {
      release();
    }
  }

  /** A session that the caller keeps until it releases it. */
  async acquire(isUrgent = false): Promise<{ session: Session; release: () => void }> {
    await this.#gate.enter(isUrgent);
    try {
      const connection = (await this.#oldConnection()) ?? (await this.#newConnection());
      return this.#lend(connection);
    } catch (error) {
      this.#gate.leave();
      throw error;
    }
  }

  /** Closes the connections. One that is still lent is abandoned. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    for (const connection of this.#lent) connection.abandon(new Error('The store was closed'));
    await Promise.all(
      this.#idle.splice(0).map(({ connection, keep }) => {
        keep();
        return connection.close();
      }),
    );
  }

  async #oldConnection(): Promise<Connection | undefined> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) return undefined;
      const { connection, keep } = idle;
      keep();
      connection.isIdle = false;
      if (await this.#options.connector.isUsable(connection)) return connection;
      void connection.close();
    }
  }

  async #newConnection(): Promise<Connection> {
    const { connector, prologue, nextShard } = this.#options;
    const connection = await connector.connect();
    try {
      if (this.#hasEnded) throw new StoreError('closed', 'The store is closed');
      if (prologue !== '')
        await this.#options.watch.run(connection, () =>
          connection.query({ text: prologue, rowMode: 'array' }),
        );
    } catch (error) {
      void connection.close();
      if (error instanceof StoreError) throw error;
      throw new StoreError('unavailable', `PostgreSQL cannot be used: ${(error as Error).message}`, error);
    }
    this.#shards.set(connection, nextShard());
    return connection;
  }

  #lend(connection: Connection): { session: Session; release: () => void } {
    const { onRoundTrip, watch, connector } = this.#options;
    this.#lent.add(connection);
    // A connection that failed is not handed to anyone else: an answer may still be on its way to it.
    let isBroken = false;
    const send = async (label: string, config: pg.QueryArrayConfig): Promise<readonly Row[]> => {
      if (onRoundTrip !== undefined) await onRoundTrip(label);
      try {
        return await watch.run(connection, () => connection.query(config));
      } catch (error) {
        if (breaksConnection(error)) {
          isBroken = true;
          connector.suspect();
        }
        if (!neverSent(error)) throw error;
        throw new StoreError('unavailable', 'The connection to PostgreSQL was lost', error);
      }
    };
    return {
      session: {
        shard: this.#shards.get(connection) ?? 0,
        run: ({ name, text }, values) => send(name, { name, text, values: [...values], rowMode: 'array' }),
        execute: (text) => send(text, { text, rowMode: 'array' }),
      },
      release: () => {
        this.#lent.delete(connection);
        this.#keep(connection, isBroken);
        this.#gate.leave();
      },
    };
  }

  #keep(connection: Connection, isBroken: boolean): void {
    if (isBroken || this.#hasEnded || !connection.isOpen) {
      void connection.close();
      return;
    }
    const keep = machine.after(this.#options.idleMsMax, () => {
      const at = this.#idle.findIndex((idle) => idle.connection === connection);
      if (at >= 0) this.#idle.splice(at, 1);
      void connection.close();
    });
    connection.isIdle = true;
    this.#idle.push({ connection, keep });
  }
}

/**
 * Whether `pg` refused a statement because it knew its connection to be closed. Every other failure counts as one of
 * a statement that may have reached the server.
 */
function neverSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('is not queryable');
}
