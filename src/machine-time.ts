import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type Clock, VirtualClock } from './engine/clock.ts';

/** The clock of the machine. */
export const systemClock: Clock = { nowMicros: () => Date.now() * 1000 };

/** The clock of a fork: one that is moved by hand is copied, and then moves on its own. */
export function forkedClock(clock: Clock): Clock {
  return clock instanceof VirtualClock ? new VirtualClock(clock.nowMicros() / 1000) : clock;
}

/** Waits without keeping the process alive, and shorter when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await (ms === 0 ? nextTurn() : wait(ms, undefined, { signal, ref: false }).catch(() => {}));
}
