import { describe, expect, it } from 'vitest';
import { FakeBackground, FakeJob, nextTurn } from '../../../tests/engine/fake-background.ts';
import { nowMs, VirtualClock } from '../../runtime/clock.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import { sweepKey } from '../store-keys.ts';
import { type Job, type Pace, Worker } from './background-worker.ts';
import { Lease, leaseAt } from './lease.ts';

const retry = { minMs: 100, maxMs: 30_000 };

describe('a worker', () => {
  it('does a pass when it is woken, and one more when it is woken meanwhile, however often', async () => {
    const job = new FakeJob();
    const worker = new Worker(new FakeBackground(), { name: 'Testing', run: job.run });
    expect(worker.isWorking).toBe(false);
    await worker.settled();
    worker.wake();
    worker.wake();
    expect([job.passes, worker.isWorking]).toEqual([1, true]);
    await job.end();
    expect(job.passes).toBe(2);
    await job.end();
    await worker.settled();
    expect([job.passes, worker.isWorking]).toEqual([2, false]);
    worker.wake();
    expect(job.passes).toBe(3);
  });

  it('tries again after longer and longer whiles, and logs the first failure in a row', async () => {
    const background = new FakeBackground();
    let failures = 12;
    let passes = 0;
    const run = async () => {
      passes++;
      if (failures-- > 0) throw new Error('trouble');
    };
    const worker = new Worker(background, { name: 'Testing', run, retry });
    worker.wake();
    const delays = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000];
    expect(await background.endPauses()).toEqual(delays);
    expect(passes).toBe(13);
    failures = 1;
    worker.wake();
    expect(await background.endPauses()).toEqual([100]);
    const line = 'Testing was interrupted and will be tried again: Error: trouble';
    expect(background.lines).toEqual([line, line]);
  });

  it('without retries leaves a failure to the next wake, and logs each', async () => {
    const background = new FakeBackground();
    const job = new FakeJob();
    const worker = new Worker(background, { name: 'Testing', run: job.run });
    for (const error of ['first', 'second']) {
      worker.wake();
      await job.end(error);
      expect(worker.isWorking).toBe(false);
    }
    expect(background.lines).toEqual(['Testing failed: first', 'Testing failed: second']);
    expect(background.pauses).toEqual([]);
  });

  it('lets a job log its failures itself', async () => {
    const background = new FakeBackground();
    const job = new FakeJob();
    const seen: unknown[] = [];
    const failed = (error: unknown) => void seen.push(error);
    const worker = new Worker(background, { name: 'Testing', run: job.run, failed });
    worker.wake();
    await job.end('mine');
    expect([seen, background.lines]).toEqual([['mine'], []]);
  });

  it.each<[Pace, number, number, number[]]>([
    ['turn', 10, 5, [0]],
    ['share', 10, 0, [0, 30]],
    ['share', 0.5, 0, [0, 3]],
    ['share if busy', 10, 0.05, [0]],
    ['share if busy', 10, 0.2, [0, 30]],
  ])('paces its steps: %s after %d ms, when a turn takes %d ms', async (pace, stepMs, turnMs, expected) => {
    const background = new FakeBackground();
    const run = async function* (): AsyncGenerator<Pace, void> {
      background.realMs += stepMs;
      yield pace;
    };
    const worker = new Worker(background, { name: 'Testing', run });
    worker.wake();
    await nextTurn();
    background.realMs += turnMs;
    await background.endPauses();
    expect(background.pauses.map(({ ms }) => ms)).toEqual(expected);
    expect(worker.isWorking).toBe(false);
  });

  it('tells those who wait of every step, and of its rest', async () => {
    const background = new FakeBackground();
    let steps = 0;
    const run = async function* (): AsyncGenerator<Pace, void> {
      for (; steps < 3; steps++) yield 'turn';
    };
    const worker = new Worker(background, { name: 'Testing', run });
    await worker.until(() => false);
    worker.wake();
    const second = worker.until(() => steps === 1).then(() => steps);
    const never = worker.until(() => false);
    for (let i = 0; i < 3; i++) {
      await nextTurn();
      background.open[0]!.end();
    }
    expect(await second).toBe(1);
    await never;
    expect(worker.isWorking).toBe(false);
  });
});

describe('the alarm of a worker', () => {
  function onRunningClock(rested?: (worker: Worker) => void) {
    let micros = 5_000_000;
    const clock = { nowMicros: () => micros };
    const background = new FakeBackground(clock);
    let passes = 0;
    const run = async () => void passes++;
    const worker: Worker = new Worker(background, { name: 'Testing', run, rested: () => rested?.(worker) });
    const advance = (ms: number) => {
      micros += ms * 1000;
    };
    return { background, worker, advance, passes: () => passes, now: () => nowMs(clock) };
  }

  it('is the earliest that was asked for, one timer at a time, and none for never', async () => {
    const { background, worker, advance, passes, now } = onRunningClock();
    const armed = () => background.open.map(({ ms }) => ms);
    worker.wakeAt(Number.POSITIVE_INFINITY);
    expect(armed()).toEqual([]);
    worker.wakeAt(now() + 10 * 86_400_000);
    expect(armed()).toEqual([30_000]);
    worker.wakeAt(now() + 20_000);
    worker.wakeAfter(10_000);
    worker.wakeAt(now() + 15_000);
    expect(armed()).toEqual([10_000]);
    worker.wakeAt(now() - 1);
    expect(armed()).toEqual([1]);
    advance(1);
    background.open[0]!.end();
    await nextTurn();
    expect([passes(), armed()]).toEqual([1, []]);
  });

  it('is set anew at every rest, and never while the worker works', async () => {
    const { background, worker, passes } = onRunningClock((resting) => resting.wakeAfter(500));
    worker.wake();
    worker.wakeAfter(5);
    await nextTurn();
    expect(background.open.map(({ ms }) => ms)).toEqual([500]);
    background.open[0]!.end();
    await nextTurn();
    expect(passes()).toBe(2);
    // A wake in between puts the old alarm out.
    worker.wake();
    await nextTurn();
    expect([passes(), background.open.map(({ ms }) => ms)]).toEqual([3, [500]]);
  });

  describe('on a clock that is set', () => {
    const dayMs = 86_400_000;

    /** Lets real time pass, and with it the clock, in steps of the timers. */
    async function pass({ background, advance }: ReturnType<typeof onRunningClock>, ms: number) {
      for (const end = background.realMs + ms; background.open.length > 0; await nextTurn()) {
        const next = background.open[0]!;
        if (background.realMs + next.ms > end) return;
        background.realMs += next.ms;
        advance(next.ms);
        next.end();
      }
    }

    it('wakes soon after it was set ahead, and not before its time while nothing is set', async () => {
      const running = onRunningClock();
      running.worker.wakeAt(running.now() + 3_600_000);
      await pass(running, 600_000);
      expect(running.passes()).toBe(0);
      running.advance(dayMs);
      await pass(running, 60_000);
      expect(running.passes()).toBe(1);
    });

    it('wakes soon after it was set back, to compute its times anew', async () => {
      const running = onRunningClock((worker) => worker.wakeAt(running.now() + 3_600_000));
      running.advance(365 * dayMs);
      running.worker.wakeAt(running.now() + 3_600_000);
      await nextTurn();
      expect(running.passes()).toBe(1);
      running.advance(-365 * dayMs);
      await pass(running, 60_000);
      expect(running.passes()).toBe(2);
      await pass(running, 600_000);
      expect(running.passes()).toBe(2);
    });

    it('sets an alarm for soon, whatever an older clock said', async () => {
      const running = onRunningClock();
      running.worker.wakeAfter(3_600_000);
      running.advance(dayMs);
      running.worker.wakeAfter(1_000);
      expect(running.background.open.map(({ ms }) => ms)).toEqual([1_000]);
    });

    it('by hand wakes those that computed their times from the later clock', async () => {
      const clock = new VirtualClock(dayMs);
      let passes = 0;
      const worker = new Worker(new FakeBackground(clock), {
        ...{ name: 'Testing', followsClock: true, isDue: () => false },
        run: async () => void passes++,
      });
      clock.advanceMs(dayMs);
      await worker.settled();
      expect(passes).toBe(0);
      clock.advanceMs(-dayMs);
      await worker.settled();
      expect(passes).toBe(1);
    });
  });

  it('is the clock itself where that is moved by hand', async () => {
    const clock = new VirtualClock(1_000);
    const background = new FakeBackground(clock);
    let passes = 0;
    const job: Job = { name: 'Testing', run: async () => void passes++ };
    const follows = new Worker(background, { ...job, followsClock: true });
    const ignores = new Worker(background, job);
    follows.wakeAt(2_000);
    ignores.wakeAt(2_000);
    expect(background.pauses).toEqual([]);
    clock.advanceMs(1);
    await follows.settled();
    expect([passes, ignores.isWorking]).toEqual([1, false]);
    background.abort();
    clock.advanceMs(1);
    expect([passes, follows.isWorking]).toEqual([1, false]);
  });
});

describe('an abort', () => {
  /** Brings a worker into a state; a step that is under way when it is aborted ends with `finish`. */
  interface Started {
    readonly job?: Partial<Job>;
    readonly wakes?: boolean;
    readonly finish?: () => Promise<void>;
  }

  const states: readonly [string, () => Started][] = [
    ['while it sleeps', () => ({ wakes: false })],
    ['while it rests and the alarm is set', () => ({})],
    [
      'in a pass of one step',
      () => {
        const job = new FakeJob();
        return { job: { run: job.run }, finish: () => job.end() };
      },
    ],
    [
      'in a step that fails of it',
      () => {
        const job = new FakeJob();
        return { job: { run: job.run, retry }, finish: () => job.end(new Error('aborted')) };
      },
    ],
    [
      'in the middle of steps',
      () => {
        const step = new FakeJob();
        return {
          job: {
            run: async function* (): AsyncGenerator<Pace, void> {
              await step.run();
              yield 'share';
              throw new Error('a step after the end');
            },
          },
          finish: () => step.end(),
        };
      },
    ],
    [
      'between two steps',
      () => ({
        job: {
          run: async function* (): AsyncGenerator<Pace, void> {
            yield 'turn';
            throw new Error('a step after the end');
          },
        },
      }),
    ],
    [
      'while it backs off',
      () => ({
        job: {
          run: async () => {
            throw new Error('trouble');
          },
          retry,
          failed: () => {},
        },
      }),
    ],
  ];

  it.each(states)('%s ends all work, with no word and nothing left open', async (_, start) => {
    const background = new FakeBackground({ nowMicros: () => 1_000_000 });
    let releases = 0;
    const lease = { release: async () => void releases++ };
    const { job = {}, wakes = true, finish } = start();
    const worker = new Worker(background, { name: 'Testing', run: async () => {}, lease, ...job });
    if (wakes) worker.wake();
    await nextTurn();
    if (!worker.isWorking) worker.wakeAfter(1_000);
    expect(worker.isWorking || background.open.length === 1).toBe(true);
    const settled = worker.settled();
    background.abort();
    await finish?.();
    await settled;
    await nextTurn();
    expect(worker.isWorking).toBe(false);
    expect(background.open).toEqual([]);
    expect(background.lines).toEqual([]);
    expect(releases).toBe(wakes ? 1 : 0);
    worker.wake();
    worker.wakeAfter(1);
    expect([worker.isWorking, background.open]).toEqual([false, []]);
  });

  it('between two steps lets the pass clean up', async () => {
    const background = new FakeBackground();
    let isClean = false;
    const run = async function* (): AsyncGenerator<Pace, void> {
      try {
        for (;;) yield 'turn';
      } finally {
        await nextTurn();
        isClean = true;
      }
    };
    const worker = new Worker(background, { name: 'Testing', run });
    worker.wake();
    await nextTurn();
    background.abort();
    await worker.settled();
    expect(isClean).toBe(true);
  });
});

describe('the lease of a worker', () => {
  /** Workers of several processes on one store, each with steps that last as long as a test says. */
  function processes() {
    const store = new SharedMemory();
    const clock = new VirtualClock(1_000_000);
    const done: string[] = [];
    const start = (holder: string) => {
      const background = new FakeBackground(clock);
      const step = new FakeJob();
      const lease = new Lease({
        ...{ ...background, store, place: leaseAt(sweepKey), termMs: 10_000, retryMs: 200 },
        pause: background.pause,
        signal: background.signal,
        stopwatchMs: background.stopwatchMs,
        nowMs: () => clock.nowMs(),
        holder: () => holder,
      });
      const run = async function* (): AsyncGenerator<Pace, void> {
        if (!(await lease.take())) return;
        for (;;) {
          await step.run();
          if (!(await lease.isHeld())) return;
          done.push(holder);
          yield 'turn';
        }
      };
      const worker = new Worker(background, { name: 'Testing', run, lease });
      worker.wake();
      return { background, step, worker };
    };
    const holder = () => leaseAt(sweepKey).read(store.get(sweepKey));
    return { clock, done, start, holder };
  }

  it('is lost in the middle of a step that outlasts it: the step is not counted, and the other one goes on', async () => {
    const { clock, done, start, holder } = processes();
    const first = start('first');
    await nextTurn();
    await first.step.end();
    expect(done).toEqual(['first']);
    await first.background.endPauses();
    const second = start('second');
    await nextTurn();
    // It waits for the lease.
    expect([second.step.passes, second.background.open.map(({ ms }) => ms)]).toEqual([0, [200]]);
    clock.advanceMs(10_000);
    await second.background.endPauses();
    expect(second.step.passes).toBe(1);
    await first.step.end();
    await first.worker.settled();
    // Neither counted nor released: it belongs to the second.
    expect(done).toEqual(['first']);
    expect(holder()).toMatchObject({ holder: 'second' });
    await second.step.end();
    expect(done).toEqual(['first', 'second']);
    second.background.abort();
    await second.worker.settled();
    expect(holder()).toBeUndefined();
  });

  it('is not waited for after an abort', async () => {
    const { start, holder } = processes();
    const first = start('first');
    await nextTurn();
    const second = start('second');
    await nextTurn();
    second.background.abort();
    await second.worker.settled();
    expect([second.step.passes, first.worker.isWorking]).toEqual([0, true]);
    expect(holder()).toMatchObject({ holder: 'first' });
  });

  it('that cannot be released is logged and left to its end', async () => {
    const background = new FakeBackground();
    const release = () => Promise.reject(new Error('no store'));
    const run = async () => {};
    const worker = new Worker(background, { name: 'Testing', run, lease: { release } });
    worker.wake();
    await worker.settled();
    expect(background.lines).toEqual(['Testing: Error: no store']);
  });

  it('is released before the rest, and a wake meanwhile is not lost', async () => {
    const job = new FakeJob();
    const releasing = new FakeJob();
    const worker = new Worker(new FakeBackground(), {
      name: 'Testing',
      run: job.run,
      lease: { release: releasing.run },
    });
    worker.wake();
    await job.end();
    expect(releasing.isRunning).toBe(true);
    worker.wake();
    await releasing.end();
    expect(job.passes).toBe(2);
    await job.end();
    await releasing.end();
    expect(worker.isWorking).toBe(false);
  });
});

/** A memory that several processes share. */
class SharedMemory extends MemoryStore {
  override readonly exclusive = false as boolean as true;
}
