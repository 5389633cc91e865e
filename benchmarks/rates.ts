import type { MaybePromise } from '../src/model/maybe-promise.ts';
import { collectGarbage } from './compare.ts';

/** How many times a second something is done, by so many callers at once, for so long. */
export async function ratePerSecond(
  seconds: number,
  act: (turn: number) => MaybePromise<unknown>,
  callers = 1,
): Promise<number> {
  collectGarbage();
  let turn = 0;
  const start = performance.now();
  const until = start + seconds * 1_000;
  const call = async () => {
    do {
      const done = act(turn++);
      if (done instanceof Promise) await done;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (turn / (performance.now() - start)) * 1_000;
}
