import { expect, it } from 'vitest';
import { seededChance } from './chance.ts';
import { VirtualClock } from './clock.ts';
import { secrets } from './machine/machine.ts';
import { runtimeOf } from './machine/runtime-of.ts';
import type { VirtualRuntime } from './virtual-runtime.ts';

const never = new AbortController().signal;

function virtual(seed = 1): { clock: VirtualClock; runtime: VirtualRuntime } {
  const clock = new VirtualClock(1_000);
  return { clock, runtime: runtimeOf(clock, seededChance(seed), true) as VirtualRuntime };
}

it('ends waits in the order of their times, and waits of one time in the order of asking', async () => {
  const { clock, runtime } = virtual();
  const ended: string[] = [];
  const wait = (name: string, ms: number) => void runtime.pause(ms, never).then(() => ended.push(name));
  wait('b', 20);
  wait('c', 20);
  wait('d', 30);
  wait('a', 10);
  runtime.after(20, () => ended.push('timer'));
  clock.advanceMs(9.999);
  await runtime.idle();
  expect(ended).toEqual([]);
  clock.advanceMs(20.001);
  await runtime.idle();
  expect(ended).toEqual(['timer', 'a', 'b', 'c', 'd']);
});

it('ends a wait that is aborted, in the present', async () => {
  const { clock, runtime } = virtual();
  const off = new AbortController();
  const waits = runtime.pause(1_000, off.signal);
  off.abort();
  await waits;
  expect(clock.nowMs()).toBe(1_000);
  await runtime.pause(1_000, off.signal);
});

it('runs forward timer by timer: what follows from one happens at its own time', async () => {
  const { clock, runtime } = virtual();
  const seen: [string, number][] = [];
  const note = (name: string) => seen.push([name, clock.nowMicros() / 1000]);
  const stop = runtime.every(40, () => note('every'));
  void (async () => {
    for (let i = 0; i < 3; i++) {
      await runtime.sleep(25);
      await runtime.turn();
      note('slept');
    }
    stop();
  })();
  await runtime.run(100);
  expect(seen).toEqual([
    ...[
      ['slept', 1_025],
      ['every', 1_040],
      ['slept', 1_050],
      ['slept', 1_075],
    ],
  ]);
  expect(clock.nowMs()).toBe(1_100);
  expect(runtime.stopwatchMs()).toBe(100);
});

it('aborts at a deadline, and measures what was passed, not what was set back', async () => {
  const { clock, runtime } = virtual();
  const late = runtime.deadline(50);
  clock.advanceMs(-500);
  clock.advanceMs(49);
  expect([late.aborted, runtime.stopwatchMs()]).toEqual([false, 49]);
  clock.advanceMs(1);
  expect([late.aborted, (late.reason as Error).name]).toEqual([true, 'TimeoutError']);
});

it('holds its turns while a call is outside, and gives answers in the order of asking', async () => {
  const { runtime } = virtual();
  const seen: string[] = [];
  const calls: (() => void)[] = [];
  const call = () => new Promise<void>((resolve) => calls.push(resolve));
  void runtime.outside(call).then(() => seen.push('first'));
  void runtime.outside(() => Promise.reject(new Error('no'))).catch(() => seen.push('second'));
  void runtime.turn().then(() => seen.push('turn'));
  await realTurns(5);
  expect(seen).toEqual([]);
  calls[0]!();
  await runtime.idle();
  expect(seen).toEqual(['first', 'second', 'turn']);
});

it('settles when work is done, or can only go on later', async () => {
  const { clock, runtime } = virtual();
  let isDone = false;
  const work = (async () => {
    for (let i = 0; i < 10; i++) await runtime.turn();
    await runtime.sleep(100);
    isDone = true;
  })();
  await runtime.settle(work);
  expect(isDone).toBe(false);
  clock.advanceMs(100);
  await runtime.settle(work);
  expect(isDone).toBe(true);
  await expect(runtime.settle(Promise.reject(new Error('trouble')))).rejects.toThrow('trouble');
});

it('draws alike from one seed, and never a secret again', () => {
  const drawn = (seed: number) => {
    const { runtime } = virtual(seed);
    return [runtime.random.next(), runtime.words()];
  };
  expect(drawn(5)).toEqual(drawn(5));
  expect(drawn(5)).not.toEqual(drawn(6));
  const [one, other] = [virtual(5).runtime, virtual(5).runtime];
  expect(one.secrets).toBe(secrets);
  expect(one.secrets.uuid()).not.toBe(other.secrets.uuid());
  expect(one.secrets.bytes(16)).not.toEqual(other.secrets.bytes(16));
});

async function realTurns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
