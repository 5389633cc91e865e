import type { ErrorClass } from './error-class.ts';
import { RateLimiter } from './rate-limiter.ts';
import { pauseAfter, type RetryPolicy } from './retry-policy.ts';

/** The retries of one SDK client: its budget and, in adaptive mode, its brake. Time is handed in with each call. */
export class SdkRetries {
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  readonly #limiter: RateLimiter | undefined;
  #tokens: number;

  constructor(policy: RetryPolicy, random: () => number) {
    this.#policy = policy;
    this.#random = random;
    this.#limiter = policy.isAdaptive === true ? new RateLimiter() : undefined;
    this.#tokens = policy.budget?.tokens ?? Number.POSITIVE_INFINITY;
  }

  /** How long a request waits before it may be sent. */
  waitMs(nowMs: number): number {
    return this.#limiter?.acquire(nowMs) ?? 0;
  }

  /** A request was answered; `lastError` is the class of the error that its last repetition followed. */
  succeeded(nowMs: number, lastError?: ErrorClass): void {
    this.#limiter?.answered(nowMs, false);
    const { budget } = this.#policy;
    if (budget === undefined) return;
    this.#tokens = Math.min(
      budget.tokens,
      this.#tokens + (lastError === undefined ? 1 : this.#cost(lastError)),
    );
  }

  /** The pause before the next attempt; undefined if there is none. */
  failed(nowMs: number, error: ErrorClass, attempts: number, retryAfterMs?: number): number | undefined {
    this.#limiter?.answered(nowMs, error === 'throttled');
    const pause = pauseAfter(this.#policy, error, attempts, this.#random, retryAfterMs);
    const cost = this.#cost(error);
    if (pause === undefined || this.#tokens < cost) return undefined;
    this.#tokens -= cost;
    return pause;
  }

  #cost(error: ErrorClass): number {
    const { cost = 0, throttledCost = 0 } = this.#policy.budget ?? {};
    return error === 'throttled' ? throttledCost : cost;
  }
}
