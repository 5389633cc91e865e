import { setTimeout as wait } from 'node:timers/promises';
import type { RepeatDeps } from '../kit/repeat.ts';

/** Real time and chance, for the repetitions of a command; a signal ends its pauses. */
export function repeatDeps(signal: AbortSignal): RepeatDeps {
  return { pause: (ms) => wait(ms, undefined, { signal }), random: Math.random };
}
