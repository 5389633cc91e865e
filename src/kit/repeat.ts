import { classOfError, type ErrorClass } from './error-class.ts';
import { pauseAfter, type RetryPolicy } from './retry-policy.ts';

/** Time and chance of a caller, handed in at its root. */
export interface RepeatDeps {
  /** Rejects when the caller is stopped. */
  readonly pause: (ms: number) => Promise<void>;
  /** 0 <= number < 1 */
  readonly random: () => number;
}

export interface Repeating extends RepeatDeps {
  readonly policy: RetryPolicy;
  /** Ends the repetition: the error of the last attempt is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each error, before it is decided whether the request is repeated. */
  readonly failed?: (error: unknown, kind: ErrorClass, attempt: number) => void;
  /** Called when the request will be repeated. */
  readonly repeats?: (error: Error, attempt: number) => void;
}

/** Calls again as long as the policy allows it. */
export async function repeat<Answer>(
  call: () => Promise<Answer>,
  { policy, pause, random, signal, failed, repeats }: Repeating,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const kind = classOfError(error);
      failed?.(error, kind, attempt);
      const ms = pauseAfter(policy, kind, attempt, random, retryAfterOf(error));
      if (ms === undefined || signal?.aborted) throw error;
      repeats?.(error as Error, attempt);
      await pause(ms);
    }
  }
}

/** The milliseconds of `x-amz-retry-after`, which a caller leaves on its errors. */
function retryAfterOf(error: unknown): number | undefined {
  return (error as { readonly retryAfterMs?: number }).retryAfterMs;
}
