import { setTimeout as wait } from 'node:timers/promises';
import { type DynamoDbCaller, Refusal, Unreachable } from './dynamodb-caller.ts';
import type { Output } from './output.ts';

export interface Patience {
  readonly output: Output;
  readonly signal: AbortSignal;
  /** The trouble that requests under way wait out. It is told once, however many of them meet it. */
  waitingOut?: string | undefined;
}

export const attemptsMax = 10;

/** Calls again, after longer and longer whiles, where the same request may do better later. */
export async function patientCall<Answer>(
  caller: DynamoDbCaller,
  operation: string,
  input: object,
  patience: Patience,
): Promise<Answer> {
  const { output, signal } = patience;
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await caller.call<Answer>(operation, input);
      patience.waitingOut = undefined;
      return answer;
    } catch (error) {
      const isPassing = error instanceof Unreachable || (error instanceof Refusal && error.isPassing);
      if (signal.aborted || !isPassing || attempt === attemptsMax) throw error;
      if (attempt === 1 && patience.waitingOut !== error.message) {
        patience.waitingOut = error.message;
        output.log('warning', `${error.message}; trying again.`);
      }
      await pauseBefore(attempt, signal);
    }
  }
}

/** Waits before the next attempt. */
export async function pauseBefore(attempt: number, signal: AbortSignal): Promise<void> {
  await wait(Math.min(100 * 2 ** attempt, 10_000), undefined, { signal });
}
