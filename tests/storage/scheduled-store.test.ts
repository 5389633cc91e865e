import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store, Unit } from '../../src/storage/store.ts';
import { rounds, testSeeds } from '../seeded-random.ts';
import { bytes, text } from './bytes.ts';
import { storeContract } from './contract.ts';
import { newDirectory } from './directories.ts';
import { pureStore } from './pure-store.ts';
import { runChoices, runEveryOrder, runSeed, type Scenario, Scheduler } from './scheduled-store.ts';

storeContract('memory behind a scheduler that does not run', async () => ({
  open: async () => new Scheduler(() => 0).store(new MemoryStore()),
  remove: async () => {},
  keeps: false,
  manyKeys: 5_000,
}));

describe('a scheduler', () => {
  it('takes the same order from the same seed, and other orders from other seeds', async () => {
    const scenario = callers({ a: 3, b: 3, c: 3 });
    const orders = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const order = await runSeed(scenario, seed);
      expect(await runSeed(scenario, seed)).toEqual(order);
      orders.add(order.join());
    }
    expect(orders.size).toBeGreaterThan(30);
  });

  it('reaches all 20 orders of 3 calls beside 3 calls', async () => {
    const scenario = callers({ a: 3, b: 3 });
    const every = await runEveryOrder(scenario);
    expect(every).toHaveLength(20);
    expect(new Set(every.map((order) => order.join())).size).toBe(20);
    const seeded = new Set<string>();
    for (let seed = 0; seed < 400; seed++) seeded.add((await runSeed(scenario, seed)).join());
    expect(seeded.size).toBe(20);
  });

  it('reaches all 90 orders of three clients with two calls each', async () => {
    const every = await runEveryOrder(callers({ a: 2, b: 2, c: 2 }));
    expect(new Set(every.map((order) => order.join())).size).toBe(90);
    expect(every).toHaveLength(90);
  });

  it('orders the calls that one client has under way at the same time', async () => {
    const every = await runEveryOrder(async (scheduler) => {
      const store = scheduler.store(new MemoryStore());
      await scheduler.run({
        a: () =>
          Promise.all([store.get(bytes('x')), store.counters([bytes('x')]), store.range({ limit: 1 })]),
      });
    });
    expect(every).toHaveLength(6);
  });

  it('chooses when answers arrive too, when asked to', async () => {
    const every = await runEveryOrder(callers({ a: 1, b: 1 }), { answersLater: true });
    expect(new Set(every.map((order) => order.join()))).toEqual(
      new Set([
        'a get,a get answered,b get,b get answered',
        'a get,b get,a get answered,b get answered',
        'a get,b get,b get answered,a get answered',
        'b get,b get answered,a get,a get answered',
        'b get,a get,b get answered,a get answered',
        'b get,a get,a get answered,b get answered',
      ]),
    );
  });

  it('says so when clients wait for one another forever', async () => {
    const scheduler = new Scheduler(() => 0);
    const never = new Promise<void>(() => {});
    const store = scheduler.store(new MemoryStore());
    const running = scheduler.run({
      stuck: () => never,
      done: async () => {
        await store.get(bytes('x'));
      },
    });
    await expect(running).rejects.toThrow('stuck');
  });

  it('throws the error of a client after the others have ended', async () => {
    const inner = new MemoryStore();
    const scheduler = new Scheduler(() => 0);
    const store = scheduler.store(inner);
    const running = scheduler.run({
      failing: async () => {
        await store.get(bytes('x'));
        throw new RangeError('the client failed');
      },
      writing: async () => {
        await store.get(bytes('x'));
        await store.transact(increment);
      },
    });
    await expect(running).rejects.toThrow(RangeError);
    expect(text(inner.get(counter))).toBe('1');
  });

  it('finds the lost update of a client that reads and then writes blindly, and finds it again', async () => {
    const scenario = increments(blindly);
    let failing: { seed: number; message: string } | undefined;
    for (let seed = 0; seed < 100 && failing === undefined; seed++) {
      const message = await failureOf(() => runSeed(scenario, seed));
      if (message !== undefined) failing = { seed, message };
    }
    expect(failing?.message).toContain(`seed ${failing?.seed} `);
    expect(await failureOf(() => runSeed(scenario, failing!.seed))).toBe(failing!.message);

    const message = await failureOf(() => runEveryOrder(scenario));
    const choices = /choices ([\d ]+)/.exec(message!)![1]!.trim().split(' ').map(Number);
    expect(await failureOf(() => runChoices(scenario, choices))).toBe(message);
  });

  const seeds = testSeeds('clients that transact, scheduled');
  it.each(seeds)('finds no lost update of clients that transact, %i', async (seed) => {
    const first = seed;
    for (let i = 0; i < rounds(200); i++) await runSeed(increments(atomically), first + i);
    expect(await runEveryOrder(increments(atomically))).toHaveLength(90);
    await runEveryOrder(increments(atomically, 2), { answersLater: true });
  });

  it('finds a stale cache only when it may choose when answers arrive', async () => {
    const scenario: Scenario = async (scheduler) => {
      const inner = new MemoryStore();
      inner.transact(increment);
      const store = scheduler.store(inner);
      // The reader fills the cache with what it found, not knowing that the writer has emptied it meanwhile.
      let cached: string | undefined;
      await scheduler.run({
        reader: async () => {
          cached = text(await store.get(counter));
        },
        writer: async () => {
          await store.transact(increment);
          cached = undefined;
        },
      });
      if (cached !== undefined && cached !== text(inner.get(counter))) throw new Error('a stale cache');
    };
    // With answers at once the writer empties the cache after the reader filled it, whoever comes first.
    expect(await failureOf(() => runEveryOrder(scenario))).toBeUndefined();
    expect(await failureOf(() => runEveryOrder(scenario, { answersLater: true }))).toContain('a stale cache');
  });

  it('orders calls of a store that answers later, too', async () => {
    const directory = await newDirectory();
    const inner = await openLmdbStore({ directory });
    try {
      const scenario: Scenario = async (scheduler) => {
        await inner.deleteRange(bytes('a'), bytes('z'));
        await runIncrements(scheduler, inner, atomically, 3);
      };
      for (let seed = 0; seed < 5; seed++)
        expect(await runSeed(scenario, seed)).toEqual(await runSeed(scenario, seed));
    } finally {
      await inner.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

const counter = bytes('counter');

const increment: Unit<void> = {
  reads: [counter],
  decide: ({ values: [found] }) => ({
    result: undefined,
    mutations: [putCounter(Number(text(found) ?? 0) + 1)],
  }),
};

function putCounter(value: number) {
  return { kind: 'put', key: counter, value: bytes(String(value)) } as const;
}

type Increment = (store: Store) => Promise<void>;

/** Two calls, and between them anybody may write. */
const blindly: Increment = async (store) => {
  const found = Number(text(await store.get(counter)) ?? 0);
  await store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [putCounter(found + 1)] }),
  });
};

/** As many calls, but the value that is written is decided on within the unit. */
const atomically: Increment = async (store) => {
  await store.get(counter);
  await store.transact(increment);
};

function increments(one: Increment, clients = 3): Scenario {
  return (scheduler) => runIncrements(scheduler, pureStore(new MemoryStore()), one, clients);
}

async function runIncrements(
  scheduler: Scheduler,
  inner: Store,
  one: Increment,
  clients: number,
): Promise<void> {
  const store = scheduler.store(inner);
  const names = ['a', 'b', 'c'].slice(0, clients);
  await scheduler.run(Object.fromEntries(names.map((name) => [name, () => one(store)])));
  const sum = Number(text(await store.get(counter)));
  if (sum !== clients) throw new Error(`${clients} increments came to ${sum}`);
}

/** Clients that make so many calls each, one after another. */
function callers(calls: Readonly<Record<string, number>>): Scenario {
  return async (scheduler) => {
    const store = scheduler.store(new MemoryStore());
    const clients = Object.entries(calls).map(([name, count]) => [
      name,
      async () => {
        for (let i = 0; i < count; i++) await store.get(bytes(name));
      },
    ]);
    await scheduler.run(Object.fromEntries(clients) as Record<string, () => Promise<void>>);
  };
}

async function failureOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
