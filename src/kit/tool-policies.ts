import type { RetryPolicy } from './retry-policy.ts';

/** The retry policies of our own callers. Those of programs on an SDK are in `sdk-policies.ts`. */
const command: RetryPolicy = {
  ...{ attemptsMax: 10, repeats: ['throttled', 'transient', 'unreachable'] },
  ...{ baseMs: 200, growth: 2, pauseMsMax: 10_000, jitter: 'half', retryAfterMsMax: 5_000 },
};

export const toolPolicies = {
  /** A command that reads or writes many items. It waits out a server that is restarted. */
  command,
  /** Examinations ask the control plane, which takes few requests a second. An endpoint that is away ends them. */
  examination: { ...command, attemptsMax: 5, repeats: ['throttled', 'transient'] },
  /** Rows that BatchWriteItem leaves unprocessed. */
  unprocessedRows: { ...command, attemptsMax: 12 },
  /** A job that the server does by itself: only an absent server is waited out. */
  job: { ...command, repeats: ['unreachable'] },
  /** A reader of a stream: it ends only by a signal, or by an error that stays. */
  follow: { ...command, attemptsMax: Number.POSITIVE_INFINITY },
  /** A migration runs for hours; all that may pass is tried again. */
  migration: {
    ...{ attemptsMax: 30, repeats: ['throttled', 'conflict', 'transient', 'unreachable'] },
    ...{ baseMs: 100, growth: 2, pauseMsMax: 5_000, jitter: 'half', retryAfterMsMax: 5_000 },
  },
  /** The typed client: what BatchGetItem and BatchWriteItem leave unprocessed. The SDK repeats the requests themselves. */
  clientBatch: {
    ...{ attemptsMax: 10, repeats: ['throttled'], retryAfterMsMax: 0 },
    ...{ baseMs: 50, growth: 2, pauseMsMax: 5_000, jitter: 'half' },
  },
  /** The typed client: a write that met a transaction, or whose transaction was cancelled for what passes. */
  clientWrite: {
    ...{ attemptsMax: 6, repeats: ['throttled', 'conflict'], retryAfterMsMax: 0 },
    ...{ baseMs: 50, growth: 2, pauseMsMax: 5_000, jitter: 'half' },
  },
  /** A page in a browser asks for a server that is away. */
  page: {
    ...{ attemptsMax: Number.POSITIVE_INFINITY, repeats: ['throttled', 'transient', 'unreachable'] },
    ...{ baseMs: 500, growth: 1.5, pauseMsMax: 5_000, jitter: 'none', retryAfterMsMax: 0 },
  },
} as const satisfies Readonly<Record<string, RetryPolicy>>;
