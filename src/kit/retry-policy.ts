import type { ErrorClass } from './error-class.ts';

/** When a request is sent again, and after which pause. The only rules for retries in this repository. */
export interface RetryPolicy {
  /** The requests in all, the first one included. */
  readonly attemptsMax: number;
  /** The classes of errors after which the request is sent again. */
  readonly repeats: readonly ErrorClass[];
  /** The pause before the second attempt, before jitter. */
  readonly baseMs: number;
  /** The same after a throttle, where that differs. */
  readonly throttledBaseMs?: number;
  /** Each further pause is so many times as long. */
  readonly growth: number;
  readonly pauseMsMax: number;
  /** `full`: anything from nothing to the whole pause. `half`: from its half to the whole. */
  readonly jitter: 'full' | 'half' | 'none';
  /** Whether jitter applies to the pause before it is cut to `pauseMsMax`, as in SDKs until November 2026. */
  readonly cutsAfterJitter?: boolean;
  /** What the endpoint asks for by `x-amz-retry-after` lengthens a pause by at most so much; 0 ignores it. */
  readonly retryAfterMsMax: number;
  /** A client stops repeating when its tokens are spent. */
  readonly budget?: RetryBudget;
  /** Whether a client slows all its requests down when it is throttled. */
  readonly isAdaptive?: boolean;
}

export interface RetryBudget {
  readonly tokens: number;
  readonly cost: number;
  readonly throttledCost: number;
}

/** The pause before the next attempt in milliseconds, after `attempt` of them; undefined if there is none. */
export function pauseAfter(
  policy: RetryPolicy,
  error: ErrorClass,
  attempt: number,
  random: () => number,
  retryAfterMs = 0,
): number | undefined {
  if (!policy.repeats.includes(error) || attempt >= policy.attemptsMax) return undefined;
  return pauseMs(policy, error, attempt, random, retryAfterMs);
}

/** The length of a pause, for callers who count their attempts themselves. */
export function pauseMs(
  {
    baseMs,
    throttledBaseMs = baseMs,
    growth,
    pauseMsMax,
    jitter,
    cutsAfterJitter,
    retryAfterMsMax,
  }: RetryPolicy,
  error: ErrorClass,
  attempt: number,
  random: () => number,
  retryAfterMs = 0,
): number {
  const whole = (error === 'throttled' ? throttledBaseMs : baseMs) * growth ** (attempt - 1);
  const share = jitter === 'full' ? random() : jitter === 'half' ? 0.5 + random() / 2 : 1;
  const own =
    cutsAfterJitter === true ? Math.min(share * whole, pauseMsMax) : share * Math.min(whole, pauseMsMax);
  return Math.max(own, Math.min(retryAfterMs, own + retryAfterMsMax));
}
