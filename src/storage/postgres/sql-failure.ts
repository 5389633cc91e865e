import { StoreError, type Trouble } from '../store-error.ts';

/**
 * What a failed statement means:
 * - `conflict`: the server rolled it back because of another transaction; it may be sent again.
 * - `lost`: no answer, or one that does not tell the outcome; it may have been committed, or be running still.
 * - a trouble: it was rolled back, for that reason.
 * - `bug`: it was rolled back because it makes no sense; ours to mend.
 */
export type Failure = 'conflict' | 'lost' | 'bug' | Trouble;

const byState: Readonly<Record<string, Failure>> = {
  // Serialization failure, deadlock, and two sessions that inserted the same key at once.
  '40001': 'conflict',
  '40P01': 'conflict',
  '23505': 'conflict',
  // The server has no memory left for what it must remember of transactions; it has some when others have ended.
  '53200': 'conflict',
  // A lock that was not to be had within `lock_timeout`.
  '55P03': 'conflict',
  // CockroachDB's "result is ambiguous", and PostgreSQL's "transaction resolution unknown".
  '40003': 'lost',
  '08007': 'lost',
  // A statement that was cancelled or timed out. PostgreSQL rolls it back for certain; a distributed engine may
  // have handed the commit on already.
  '57014': 'lost',
  // "cannot execute … in a read-only transaction", and "cannot use serializable mode in a hot standby": the session
  // leads to a server that is not the primary, or not yet.
  '25006': 'unavailable',
  '0A000': 'unavailable',
  // A right that was taken away while the store is open.
  '42501': 'unavailable',
  '53100': 'full',
  '53400': 'full',
  '54000': 'full',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

/** The first two characters of an SQLSTATE are its class. */
const byClass: Readonly<Record<string, Failure>> = {
  // Connection exceptions, and the server going down: the statement may have been committed just before.
  '08': 'lost',
  '57': 'lost',
  // Internal errors: distributed engines report a commit that timed out this way.
  XX: 'lost',
  '53': 'unavailable',
  '55': 'unavailable',
  '58': 'unavailable',
};

export function failureOf(error: unknown): Failure {
  if (error instanceof StoreError) return error.trouble;
  if (!(error instanceof Error)) return 'bug';
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (severity === undefined) {
    // Without an answer of the server this is the socket, or `pg` saying that the connection has ended; both
    // come as plain errors, whereas a mistake in our own code comes as a TypeError or RangeError.
    return error.name === 'Error' || error.name === 'AggregateError' ? 'lost' : 'bug';
  }
  if (severity === 'FATAL' || severity === 'PANIC') return 'lost';
  const state = String(code);
  return byState[state] ?? byClass[state.slice(0, 2)] ?? 'bug';
}

/** The answers of a server that takes no writes. Another connection may lead to one that does. */
const takesNoWrites = new Set(['25006', '0A000']);

/** Whether the connection that gave this error cannot be used again. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof StoreError) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (severity === undefined || severity === 'FATAL' || severity === 'PANIC') return true;
  return takesNoWrites.has(String(code));
}

/** The error to answer for a statement that changes nothing, or of which it is known that it changed nothing. */
export function troubleOf(error: unknown): unknown {
  const failure = failureOf(error);
  if (error instanceof StoreError || failure === 'bug') return error;
  if (failure === 'conflict') return contention(error);
  const trouble = failure === 'lost' ? 'unavailable' : failure;
  return new StoreError(trouble, `PostgreSQL: ${(error as Error).message}`, error);
}

export function contention(cause: unknown): StoreError {
  const reason = isShortage(cause)
    ? `PostgreSQL: ${(cause as Error).message}`
    : 'Too many other writers wanted the same keys';
  return new StoreError('contention', reason, cause);
}

/** Whether a conflict was over the server's memory, and not over a key. */
export function isShortage(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '53200';
}

/**
 * How often a statement is tried that the server has no memory for: for some four seconds. Memory that others hold is
 * free by then; a server that is too small for the statement stays so.
 */
export const shortageTriesMax = 20;
