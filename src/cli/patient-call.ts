import type { EndpointCaller } from '../kit/endpoint-caller.ts';
import { type RepeatDeps, repeat } from '../kit/repeat.ts';
import { toolPolicies } from '../kit/tool-policies.ts';
import type { Output } from './output.ts';
import { repeatDeps } from './repeat-deps.ts';

export interface Patience {
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly deps?: RepeatDeps;
  /** The trouble that requests under way wait out. It is reported once, however many of them meet it. */
  waitingOut?: string | undefined;
}

/** Calls again, after longer and longer pauses, where the same request may do better later. */
export async function patientCall<Answer>(
  caller: EndpointCaller,
  operation: string,
  input: object,
  patience: Patience,
): Promise<Answer> {
  const { output, signal, deps = repeatDeps(signal) } = patience;
  const answer = await repeat(() => caller.call<Answer>(operation, input), {
    ...{ ...deps, signal, policy: toolPolicies.command },
    repeats: ({ message }, attempt) => {
      if (attempt > 1 || patience.waitingOut === message) return;
      patience.waitingOut = message;
      output.log('warning', `${message}; trying again.`);
    },
  });
  patience.waitingOut = undefined;
  return answer;
}
