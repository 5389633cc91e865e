import { storeLimits } from '../store.ts';
import type { StandingQuery } from './primary-check.ts';

export type Isolation = 'REPEATABLE READ' | 'SERIALIZABLE';

/** The few places where engines that speak PostgreSQL's protocol differ. */
export interface Dialect {
  readonly name: 'postgresql' | 'yugabytedb' | 'other';
  /** The isolation level of units; `swap-statement.ts` says what it has to give. */
  readonly unitIsolation: Isolation;
  /** What follows a primary key's column to keep its rows in order. */
  readonly ascending: '' | ' ASC';
  /** Settings for every session; a name that the server does not know is passed over. */
  readonly settings: Readonly<Record<string, string>>;
  /** How a session is asked what its server is; the next one serves where the engine cannot answer the one before. */
  readonly standingQueries: readonly StandingQuery[];
}

/**
 * Every statement of ours is meant to walk a primary key. On a small or never analysed table PostgreSQL's planner
 * would rather read all of it; and it would plan each execution anew, which costs more than executing.
 */
const tuned = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  // A process that is frozen with a snapshot open must not keep the server from cleaning up for ever.
  idle_in_transaction_session_timeout: String(2 * storeLimits.snapshotAgeMsMax),
};

/**
 * CockroachDB's SERIALIZABLE takes no shared locks by itself, and keeps locks in memory only: a change of settings would
 * not wait for units that are under way (`fence.ts`). Other engines do not know these names.
 */
const locking = {
  enable_shared_locking_for_serializable: 'on',
  enable_durable_locking_for_serializable: 'on',
};

export function dialectOf(version: string): Dialect {
  // Any node of YugabyteDB and CockroachDB may serve, so that a node's identity says nothing about the others.
  const standingQueries = ['recovery', 'readOnly'] as const;
  // YugabyteDB spreads rows by a hash of the key unless told otherwise; PostgreSQL does not take the word there.
  if (version.includes('-YB-'))
    return {
      name: 'yugabytedb',
      unitIsolation: 'SERIALIZABLE',
      ascending: ' ASC',
      settings: {},
      standingQueries,
    };
  if (version.startsWith('PostgreSQL'))
    return {
      name: 'postgresql',
      unitIsolation: 'REPEATABLE READ',
      ascending: '',
      settings: tuned,
      standingQueries: ['identity', ...standingQueries],
    };
  return { name: 'other', unitIsolation: 'SERIALIZABLE', ascending: '', settings: locking, standingQueries };
}

/** The query that applies a dialect's settings, or nothing when it has none. */
export function settingsQuery(dialect: Dialect): string | undefined {
  const wanted = Object.entries(dialect.settings).map(([name, value]) => `('${name}', '${value}')`);
  if (wanted.length === 0) return undefined;
  return `SELECT set_config(s.name, w.value, false) FROM pg_settings s
    JOIN (VALUES ${wanted.join(', ')}) AS w(name, value) ON s.name = w.name`;
}
