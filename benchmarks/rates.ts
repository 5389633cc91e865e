import type { MaybePromise } from '../src/model/maybe-promise.ts';
import { collectGarbage } from './compare.ts';

/** How many times a second something is done, by so many callers at once, for so long. */
export async function ratePerSecond(
  seconds: number,
  act: (turn: number) => MaybePromise<unknown>,
  callers = 1,
): Promise<number> {
  return (await lap(seconds, act, callers)).rate;
}

export interface Lap {
  /** Turns a second. */
  readonly rate: number;
  /** The processor time that this process spends on a turn, in microseconds: what a busy machine does not change much. */
  readonly cpuMicros: number;
}

/** Does something for so long, by so many callers at once. */
export async function lap(
  seconds: number,
  act: (turn: number) => MaybePromise<unknown>,
  callers = 1,
): Promise<Lap> {
  collectGarbage();
  let turn = 0;
  const before = process.cpuUsage();
  const start = performance.now();
  const until = start + seconds * 1_000;
  const call = async () => {
    do {
      const done = act(turn++);
      if (done instanceof Promise) await done;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: callers }, call));
  const { user, system } = process.cpuUsage(before);
  return { rate: (turn / (performance.now() - start)) * 1_000, cpuMicros: (user + system) / turn };
}
