import { describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { MaybePromise, RangePage, RangeRequest } from '../../src/storage/store.ts';
import { rounds, testSeed, testSeeds } from '../seeded-random.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';
import { runSeed, type Scheduler } from '../storage/scheduled-store.ts';
import { type BusyReport, pageWhileOthersWrite } from './busy-table.ts';
import { type Door, lmdbOverHttp, memoryInProcess, memoryOverHttp, postgresInProcess } from './doors.ts';

const doors: Readonly<Record<string, () => Promise<Door>>> = {
  'memory in process': memoryInProcess,
  'memory over HTTP': memoryOverHttp,
  'lmdb over HTTP': lmdbOverHttp,
  'postgres in process': postgresInProcess,
};

describe('paging while others write', () => {
  for (const [name, open] of Object.entries(doors)) {
    const seeds = testSeeds('paging while others write');
    it.each(seeds)(`neither skips nor repeats (${name}, %i)`, async (first) => {
      const reports: BusyReport[] = [];
      const door = await open();
      try {
        for (let i = 0; i < rounds(2, 30); i++) {
          reports.push(
            await pageWhileOthersWrite({
              client: door.client,
              seed: first + i,
              items: 120,
              writers: 3,
              readers: 3,
              searches: 6,
              writes: 100_000,
              builds: 4,
            }),
          );
        }
      } finally {
        await door.close();
      }
      console.info(`${name}: ${summary(reports)}`);
      // It means something only if much of what was found was being written to.
      expect(total(reports, 'foundChanging')).toBeGreaterThan(total(reports, 'found') * 0.02);
    });
  }
});

describe('paging in a chosen order of calls', () => {
  const scenario =
    (seed: number, isShared: boolean, reports: BusyReport[], builds = 1) =>
    async (scheduler: Scheduler) => {
      const store = scheduler.store(new SmallChunks(isShared));
      const db = await Stator.open({ store, seed, clock: new VirtualClock(Date.UTC(2026, 0, 5)) });
      const client = db.client({ maxAttempts: 1 });
      reports.push(
        await pageWhileOthersWrite({
          client,
          seed,
          items: 24,
          writers: 2,
          readers: 2,
          searches: 2,
          writes: 60,
          builds,
          async together(clients) {
            // What the database does by itself after it was opened goes by the machine's time.
            await db.settled();
            return scheduler.run(clients);
          },
        }),
      );
      await db.close();
    };

  for (const isShared of [false, true]) {
    const store = isShared ? 'a store of several processes' : 'a store of its own';
    it.each(testSeeds('paging in a chosen order'))(
      `neither skips nor repeats (${store}, %i)`,
      async (first) => {
        const reports: BusyReport[] = [];
        for (let i = 0; i < rounds(24); i++) {
          // Caches go wrong, if they do, when answers come late.
          const options = { answersLater: (first + i) % 2 === 0 };
          await runSeed(scenario(first + i, isShared, reports), first + i, options);
        }
        console.info(summary(reports));
        expect(total(reports, 'foundChanging')).toBeGreaterThan(total(reports, 'found') * 0.02);
      },
    );
  }

  it('takes the same order from the same seed', async () => {
    const seed = testSeed('paging in a chosen order, twice');
    // Without an index that is built: that work makes pauses by the machine's time while others are busy.
    const order = await runSeed(scenario(seed, true, [], 0), seed);
    expect(order.length).toBeGreaterThan(50);
    expect(await runSeed(scenario(seed, true, [], 0), seed)).toEqual(order);
  });
});

describe('a planted bug', () => {
  const shortly = { items: 40, writers: 2, readers: 2, searches: 10, writes: 400, builds: 0 };

  it.each([
    ['skips an item', (items: unknown[]) => items.slice(1)],
    ['repeats an item', (items: unknown[]) => [...items, ...items.slice(0, 1)]],
    ['turns pages round', (items: unknown[]) => items.toReversed()],
  ])('is found when it %s', async (_, spoil) => {
    const seed = testSeed('paging while others write, planted bug');
    const door = await memoryInProcess();
    door.client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const output = result.output as { Items?: unknown[]; Count?: number };
        if (output.Items === undefined) return result;
        const Items = spoil(output.Items);
        return { ...result, output: { ...output, Items, Count: Items.length } as never };
      },
      { step: 'initialize', name: 'planted bug' },
    );
    try {
      const running = pageWhileOthersWrite({ client: door.client, seed, ...shortly });
      await expect(running).rejects.toThrow(`STATOR_TEST_SEED=${seed}`);
    } finally {
      await door.close();
    }
  });
});

/** Reads a range a few entries at a time, so that a page takes many calls between which others can write. */
class SmallChunks extends InterceptedStore {
  override readonly exclusive: boolean;

  constructor(isShared: boolean) {
    super(new MemoryStore());
    this.exclusive = !isShared;
  }

  override range(request: RangeRequest): MaybePromise<RangePage> {
    return super.range({ ...request, limit: Math.min(request.limit, 3) });
  }

  protected override intercept<T>(_: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    return run();
  }
}

function total(reports: readonly BusyReport[], what: keyof BusyReport): number {
  return reports.reduce((sum, report) => sum + report[what], 0);
}

function summary(reports: readonly BusyReport[]): string {
  const of = (what: keyof BusyReport) => total(reports, what);
  return (
    `${of('pages')} pages beside ${of('writes')} writes to ${reports.length} tables and ${of('builds')} new indexes, ` +
    `${of('found')} items, ${of('foundChanging')} of them changing`
  );
}
