import type pg from 'pg';
import type { MaybePromise } from '../store.ts';
import { StoreError } from '../store-error.ts';
import type { Driver } from './driver.ts';
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
  readonly connection: pg.ClientConfig;
  readonly sessionsMax: number;
  readonly connectMsMax: number;
  readonly idleMsMax: number;
  /** SQL that a new connection runs first. */
  readonly prologue: string;
  /** The shard of the next new connection. */
  readonly nextShard: () => number;
  readonly onRoundTrip: RoundTripObserver | undefined;
}

/** A bounded pool of connections that all begin with the same prologue. */
export class SessionPool {
  readonly #pool: pg.Pool;
  readonly #options: SessionPoolOptions;
  readonly #shards = new WeakMap<pg.PoolClient, number>();
  readonly #gate: Gate;

  constructor(driver: Driver, options: SessionPoolOptions) {
    this.#options = options;
    this.#gate = new Gate(options.sessionsMax, options.connectMsMax);
    this.#pool = new driver.Pool({
      ...options.connection,
      max: options.sessionsMax,
      connectionTimeoutMillis: options.connectMsMax,
      idleTimeoutMillis: options.idleMsMax,
      allowExitOnIdle: true,
      keepAlive: true,
    });
    // An idle connection that the server closes is simply replaced by the next call.
    this.#pool.on('error', () => {});
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
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      if (!this.#shards.has(client)) await this.#begin(client);
      return this.#lend(client);
    } catch (error) {
      client?.release(true);
      this.#gate.leave();
      const reason = error instanceof AggregateError ? error.errors.join('; ') : (error as Error).message;
      throw new StoreError('unavailable', `PostgreSQL cannot be reached: ${reason}`, error);
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #begin(client: pg.PoolClient): Promise<void> {
    // While a call holds the connection its end comes as the failure of the call's statement; the event that comes
    // with it would end the process if nobody listened.
    client.on('error', () => {});
    if (this.#options.prologue !== '') await client.query(this.#options.prologue);
    this.#shards.set(client, this.#options.nextShard());
  }

  #lend(client: pg.PoolClient): { session: Session; release: () => void } {
    const { onRoundTrip } = this.#options;
    // A connection that failed is not handed to anyone else: an answer may still be on its way to it.
    let broken = false;
    const send = async (label: string, config: pg.QueryArrayConfig): Promise<readonly Row[]> => {
      if (onRoundTrip !== undefined) await onRoundTrip(label);
      try {
        const result = await client.query<unknown[]>(config);
        // For several statements in one text `pg` answers an array, which its types do not tell.
        const results = (Array.isArray(result) ? result : [result]) as (typeof result)[];
        return results.at(-1)?.rows ?? [];
      } catch (error) {
        broken ||= breaksConnection(error);
        if (!neverSent(error)) throw error;
        throw new StoreError('unavailable', 'The connection to PostgreSQL was lost', error);
      }
    };
    return {
      session: {
        shard: this.#shards.get(client) ?? 0,
        run: ({ name, text }, values) => send(name, { name, text, values: [...values], rowMode: 'array' }),
        execute: (text) => send(text, { text, rowMode: 'array' }),
      },
      release: () => {
        client.release(broken);
        this.#gate.leave();
      },
    };
  }
}

/**
 * Whether `pg` refused a statement because it knew its connection to be closed. Every other failure counts as one of
 * a statement that may have reached the server.
 */
function neverSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('is not queryable');
}
