import type { RepeatDeps } from '../kit/repeat.ts';
import { machine, wait } from '../runtime/machine/machine.ts';

/** Real time and chance, for the repetitions of a command; a signal ends its pauses. */
export function repeatDeps(signal: AbortSignal): RepeatDeps {
  return { pause: (ms) => wait(ms, undefined, { signal }), random: machine.random };
}
