import type { TargetSession } from './cluster-url.ts';
import type { Row } from './statement.ts';

/**
 * Which server a session is on. Two servers of one cluster have the same `system`. A promotion begins a new timeline,
 * with a higher number, and `started` tells two runs of a server apart.
 */
export interface ServerIdentity {
  readonly system: string;
  readonly timeline: number;
  readonly started: string;
}

/** What a server says of itself. */
export interface Standing {
  readonly standby: boolean;
  readonly readOnly: boolean;
  /** Undefined on engines without timelines, and where the question is not allowed. */
  readonly server: ServerIdentity | undefined;
}

/**
 * The questions, the most telling first. An engine that does not know a function (CockroachDB), or does not allow its
 * use, is asked the next one. All answer recovery, read-only, system, timeline and start, as far as they know them.
 *
 * The timeline is that of the place where the server writes its log now. `pg_control_checkpoint` would lag behind a
 * promotion until the next checkpoint.
 */
export const standingQueries = {
  identity: `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), c.system_identifier::text,
      CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,
      extract(epoch FROM pg_postmaster_start_time())::text
    FROM pg_control_system() c`,
  recovery: `SELECT pg_is_in_recovery(), current_setting('transaction_read_only')`,
  // Where recovery is not known, a session that takes no writes counts as a standby's.
  readOnly: `SELECT current_setting('transaction_read_only') = 'on', current_setting('transaction_read_only')`,
} as const;

export type StandingQuery = keyof typeof standingQueries;

/** No such function, no such setting, not allowed, not supported, and SQL that the engine does not parse. */
const notAnswered = new Set(['42883', '42704', '42501', '0A000', '42601']);

/** Whether an engine failed a standing query because it cannot answer it. */
export function cannotAnswer(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === 'ERROR' && notAnswered.has(String(code));
}

export function readStanding(row: Row | undefined): Standing {
  const [standby, readOnly, system, timeline, started] = row ?? [];
  const known = typeof system === 'string' && typeof timeline === 'string' && typeof started === 'string';
  return {
    // Engines differ in how they send booleans through `pg`.
    standby: standby === true || standby === 't' || standby === 'true',
    readOnly: readOnly === 'on',
    server: known ? { system, timeline: Number.parseInt(timeline, 16), started } : undefined,
  };
}

/**
 * Whether `found` proves that the server `known` is no longer the primary, given that `found` is not in recovery: of
 * one cluster only one server is rightly the primary, and each promotion begins a higher timeline. Clusters of
 * different origin (a restored copy, an upgrade, the nodes of Citus) say nothing about each other.
 */
export function supersedes(found: ServerIdentity | undefined, known: ServerIdentity | undefined): boolean {
  if (found === undefined || known === undefined || found.system !== known.system) return false;
  if (found.timeline !== known.timeline) return found.timeline > known.timeline;
  return found.started !== known.started;
}

/** Why a server must not be used, as the rest of a sentence; undefined when it may. */
export function refusalOf(
  { standby, readOnly, server }: Standing,
  target: TargetSession,
  newest: ServerIdentity | undefined,
): string | undefined {
  if (standby) return 'is a standby (it is in recovery), and Stator works on the primary only';
  if (readOnly && target === 'read-write')
    return 'takes no writes (default_transaction_read_only is on), and target_session_attrs=read-write asks for one that does';
  if (server !== undefined && newest !== undefined && isOlder(server, newest))
    return `is a primary of the past: it is on timeline ${server.timeline}, and another server was promoted to timeline ${newest.timeline}`;
  return undefined;
}

function isOlder(server: ServerIdentity, newest: ServerIdentity): boolean {
  return server.system === newest.system && server.timeline < newest.timeline;
}
