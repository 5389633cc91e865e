import { storeLimits } from '../store.ts';
import type { StandingQuery } from './primary-check.ts';

/** The few places where engines that speak PostgreSQL's protocol differ. */
export interface Dialect {
  readonly name: 'postgresql' | 'yugabytedb' | 'other';
  /** What follows a primary key's column to keep its rows in order. */
  readonly ascending: '' | ' ASC';
  /** Settings for every session; a name that the server does not know is passed over. */
  readonly settings: Readonly<Record<string, string>>;
  /** How a session is asked what its server is; the next one serves where the engine cannot answer the one before. */
  readonly standingQueries: readonly StandingQuery[];
}

/**
 * Every statement of ours is meant to walk a primary key. On a small or never analysed table PostgreSQL's planner
 * would rather read all of it, which under SERIALIZABLE makes every two writers a conflict; and it would plan each
 * execution anew, which costs more than executing.
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

export function dialectOf(version: string): Dialect {
  // Any node of YugabyteDB and CockroachDB may serve, so that a node's identity says nothing about the others.
  const standingQueries = ['recovery', 'readOnly'] as const;
  // YugabyteDB spreads rows by a hash of the key unless told otherwise; PostgreSQL does not take the word there.
  if (version.includes('-YB-'))
    return { name: 'yugabytedb', ascending: ' ASC', settings: {}, standingQueries };
  if (version.startsWith('PostgreSQL'))
    return {
      name: 'postgresql',
      ascending: '',
      settings: tuned,
      standingQueries: ['identity', ...standingQueries],
    };
  return { name: 'other', ascending: '', settings: {}, standingQueries };
}

/** The query that applies a dialect's settings, or nothing when it has none. */
export function settingsQuery(dialect: Dialect): string | undefined {
  const wanted = Object.entries(dialect.settings).map(([name, value]) => `('${name}', '${value}')`);
  if (wanted.length === 0) return undefined;
  return `SELECT set_config(s.name, w.value, false) FROM pg_settings s
    JOIN (VALUES ${wanted.join(', ')}) AS w(name, value) ON s.name = w.name`;
}
