import { backOff } from './back-off.ts';
import { failureOf, isShortage, shortageTriesMax, troubleOf } from './sql-failure.ts';

/** Runs something that may simply be run again after a conflict, and maps its failures to those of the contract. */
export async function rerun<T>(triesMax: number, random: () => number, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const most = isShortage(error) ? Math.min(triesMax, shortageTriesMax) : triesMax;
      if (failureOf(error) !== 'conflict' || tries >= most) throw troubleOf(error);
      await backOff(tries, random);
    }
  }
}
