import { describe, expect, it } from 'vitest';
import { FakeBackground, FakeJob, nextTurn } from '../../../tests/engine/fake-background.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { backOffMs, Worker } from './background-worker.ts';

const retry = { minMs: 100, maxMs: 30_000 };

describe('whatever happens to a worker', () => {
  const seeds = testSeeds('background worker');
  it.each(seeds)('it does what a table of states says, %i', async (seed) => {
    for (let round = 0; round < rounds(100); round++) await randomLife(seededRandom(seed + round));
  });
});

/** The worker as a table: what it does now, and what follows. */
interface Model {
  state: 'rests' | 'works' | 'backs off' | 'ended';
  isAsked: boolean;
  isAborted: boolean;
  failures: number;
  passes: number;
  lines: number;
  delays: number[];
}

async function randomLife(random: SeededRandom): Promise<void> {
  const background = new FakeBackground();
  const job = new FakeJob();
  const hasRetry = random.chance(0.7);
  const worker = new Worker(background, { name: 'Testing', run: job.run, ...(hasRetry && { retry }) });
  const model: Model = {
    ...{ state: 'rests', isAsked: false, isAborted: false },
    ...{ failures: 0, passes: 0, lines: 0, delays: [] },
  };
  const goOn = () => {
    if (model.isAborted) model.state = 'ended';
    else if (!model.isAsked) model.state = 'rests';
    else {
      model.isAsked = false;
      model.state = 'works';
      model.passes++;
    }
  };
  const events: Record<string, () => Promise<void> | void> = {
    wake: () => {
      worker.wake();
      if (model.isAborted) return;
      model.isAsked = true;
      if (model.state === 'rests') goOn();
    },
    succeed: async () => {
      if (!job.isRunning) return;
      await job.end();
      model.failures = 0;
      goOn();
    },
    fail: async () => {
      if (!job.isRunning) return;
      await job.end('trouble');
      if (!model.isAborted && model.failures === 0) model.lines++;
      if (!hasRetry || model.isAborted) return goOn();
      model.state = 'backs off';
      model.delays.push(backOffMs(retry, model.failures++));
    },
    wait: () => {
      if (model.state !== 'backs off') return;
      background.open[0]!.end();
      model.isAsked = true;
      goOn();
    },
    abort: () => {
      if (!random.chance(0.1)) return;
      background.abort();
      model.isAborted = true;
      if (model.state === 'backs off' || model.state === 'rests') model.state = 'ended';
    },
  };
  for (let i = 0; i < 40; i++) {
    await random.pick(Object.values(events))();
    await nextTurn();
    expect({
      isWorking: worker.isWorking,
      isRunning: job.isRunning,
      passes: job.passes,
      lines: background.lines.length,
      delays: background.pauses.map(({ ms }) => ms),
    }).toEqual({
      isWorking: model.state === 'works' || model.state === 'backs off',
      isRunning: model.state === 'works',
      passes: model.passes,
      lines: model.lines,
      delays: model.delays,
    });
  }
}
