import type { LiveRates, SharedSecond } from '../observe/live-rates.ts';
import { machine } from '../runtime/machine/machine.ts';
import type { Cancel } from '../runtime/virtual-timers.ts';
import type { ToWorker } from './worker-messages.ts';

/** More than this late, a process tells only the latest seconds; a clock that was set back begins anew. */
const lateSeconds = 60;

/**
 * Makes the live rates of every worker those of the whole server: each second it tells the others what this worker
 * counted, and takes in what they tell. Answers how to end that.
 */
export function shareRates(
  rates: LiveRates,
  nowMs: () => number,
  say: (counted: SharedSecond) => void,
): () => void {
  let next = Math.floor(nowMs() / 1_000);
  let cancel: Cancel;
  const tell = () => {
    const now = Math.floor(nowMs() / 1_000);
    if (next > now) next = now;
    for (next = Math.max(next, now - lateSeconds); next < now; next++) say(rates.share(next));
    cancel = machine.after(1_000 - (nowMs() % 1_000) + 2, tell);
  };
  const take = (message: ToWorker) => {
    if ('counted' in message) rates.take(message.by, message.counted);
  };
  process.on('message', take);
  tell();
  return () => {
    cancel();
    process.off('message', take);
  };
}
