import { wait as delay } from '../../runtime/machine/machine.ts';

const firstMs = 1;
const longestMs = 250;

/**
 * Waits before try number `tries` (1 is the first repetition): twice as long each time up to a bound, and a random
 * part of it, so that writers who met on one key do not meet there again.
 */
export async function backOff(tries: number, random: () => number): Promise<void> {
  const most = Math.min(longestMs, firstMs * 2 ** Math.min(tries, 16));
  await delay(most * (0.1 + 0.9 * random()));
}
