import { afterEach, expect, inject, test } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { StoreProcess } from './child-process.ts';
import { freshSchema, openTestStore, sql } from './test-store.ts';
import { bytes, increment, numberIn, sumOf, valueAt } from './units.ts';

const processes: StoreProcess[] = [];
const stores: Store[] = [];

async function startProcess(schema: string): Promise<StoreProcess> {
  const process = await StoreProcess.start(inject('postgresUrl'), schema);
  processes.push(process);
  return process;
}

async function open(schema: string): Promise<Store> {
  const store = await openTestStore({ schema });
  stores.push(store);
  return store;
}

afterEach(async () => {
  for (const process of processes.splice(0)) process.kill();
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

test('many processes may open an empty database at once, and lose no increment', async () => {
  const schema = freshSchema();
  const others = await Promise.all([1, 2, 3].map(() => startProcess(schema)));
  for (const other of others) other.order({ kind: 'open' });
  const own = await Promise.all([1, 2, 3, 4].map(() => open(schema)));
  await Promise.all(others.map((other) => other.heard('opened')));
  expect(await sql(`SELECT name, value FROM ${schema}.meta`)).toEqual([['format', '2']]);

  const times = rounds(150);
  for (const other of others)
    other.order({ kind: 'increment', times, keys: 5, clients: 4, pauseAtSwap: false });
  await Promise.all(others.map((other) => other.heard('done')));
  const values = await own[0]!.getMany([0, 1, 2, 3, 4].map((i) => bytes(`k${i}`)));
  expect(values.map(numberIn)).toEqual([0, 1, 2, 3, 4].map(() => (times / 5) * 3));
  expect(await sumOf(own[1]!, 'all')).toBe(times * 3);
  await Promise.all(others.map((other) => other.close()));
});

test('a process frozen between its read and its swap overwrites nothing when it wakes', async () => {
  const schema = freshSchema();
  const store = await open(schema);
  const other = await startProcess(schema);
  other.order({ kind: 'open' });
  await other.heard('opened');
  other.order({ kind: 'increment', times: 1, keys: 1, clients: 1, pauseAtSwap: true });
  await other.heard('at swap');
  other.freeze();
  // The frozen process holds nothing that others would wait for.
  for (let i = 0; i < 10; i++) await store.transact(increment('k0', 'all'));
  expect(await store.readLog(bytes('log'), 0, 1)).toEqual([]);
  other.order({ kind: 'go on' });
  other.thaw();
  await other.heard('done');
  expect(await valueAt(store, 'k0')).toBe('11');
  expect(await sumOf(store, 'all')).toBe(11);
});

const seeds = testSeeds('postgres freezing');
test.each(seeds)('a process frozen at any moment of its writing corrupts nothing, %i', async (seed) => {
  const random = seededRandom(seed);
  const schema = freshSchema();
  const store = await open(schema);
  const other = await startProcess(schema);
  other.order({ kind: 'open' });
  await other.heard('opened');
  const times = 300;
  other.order({ kind: 'increment', times, keys: 3, clients: 8, pauseAtSwap: false });
  let own = 0;
  for (let round = 0; round < 12; round++) {
    // Its next report comes while its other clients are anywhere between a read and the answer to a swap.
    await other.heard('incremented');
    for (let turn = random.below(50); turn > 0; turn--) await new Promise(setImmediate);
    other.freeze();
    for (let i = random.below(10) + 1; i > 0; i--) {
      await store.transact(increment(`k${random.below(3)}`, 'all'));
      own++;
    }
    other.thaw();
  }
  await other.heard('done');
  const values = (await store.getMany(['k0', 'k1', 'k2'].map(bytes))).map(numberIn);
  expect(values.reduce((sum, value) => sum + value)).toBe(times + own);
  expect(await sumOf(store, 'all')).toBe(times + own);
});

test('a process that is killed while it writes leaves whole units only', async () => {
  const schema = freshSchema();
  const store = await open(schema);
  const other = await startProcess(schema);
  other.order({ kind: 'open' });
  await other.heard('opened');
  other.order({ kind: 'increment', times: 1_000_000, keys: 3, clients: 8, pauseAtSwap: false });
  for (let i = 0; i < 50; i++) await other.heard('incremented');
  other.kill();
  await expect(other.heard('done')).rejects.toThrow('SIGKILL');
  // The server may still be at work on what it was sent, but one state of it holds whole units.
  const snapshot = await store.snapshot();
  const values = (await snapshot.getMany(['k0', 'k1', 'k2'].map(bytes))).map(numberIn);
  const [sum] = await snapshot.counters([bytes('all')]);
  await snapshot.close();
  expect(sum).toBe(values.reduce((total, value) => total + value));
  expect(sum).toBeGreaterThanOrEqual(50);
});
