import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { readAnswer, SwapPlanner } from '../../src/storage/postgres/swap.ts';
import { tablesIn } from '../../src/storage/postgres/tables.ts';
import type { Store, Unit } from '../../src/storage/store.ts';
import { seededRandom, testSeeds } from '../seeded-random.ts';
import { freshSchema, openTestStore, sql } from './test-store.ts';
import { add, append, bytes, increment, numberIn, put, remove, sumOf, text, unit, valueAt } from './units.ts';

const opened: Store[] = [];

async function open(...args: Parameters<typeof openTestStore>): Promise<Store> {
  const store = await openTestStore(...args);
  opened.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

/** A store that lists its round trips, and can be made to do something just before its next swap is sent. */
async function openWatched(schema = freshSchema(), options: Parameters<typeof openTestStore>[0] = {}) {
  const trips: string[] = [];
  let intrusion: (() => Promise<unknown>) | undefined;
  const store = await open({
    schema,
    ...options,
    async onRoundTrip(statement) {
      trips.push(statement);
      if (!statement.startsWith('swap') || intrusion === undefined) return;
      const intrude = intrusion;
      intrusion = undefined;
      await intrude();
    },
  });
  trips.length = 0;
  return {
    store,
    schema,
    trips: () => trips.splice(0).map((statement) => statement.split('-')[0]),
    beforeSwap: (intrude: () => Promise<unknown>) => {
      intrusion = intrude;
    },
  };
}

test('each operation takes the round trips it should', async () => {
  const { store, trips } = await openWatched();
  await store.transact(increment('a'));
  expect(trips(), 'a conditional put reads, then swaps').toEqual(['read', 'swap']);

  await store.get(bytes('a'));
  expect(trips()).toEqual(['get']);
  await store.getMany([bytes('a'), bytes('b')]);
  expect(trips()).toEqual(['get']);
  await store.range({ limit: 10, also: [bytes('a')] });
  expect(trips()).toEqual(['range']);

  await store.transact(unit(['a', 'b'], () => ({ result: 'refused', mutations: [] })));
  expect(trips(), 'a unit that writes nothing ends after its read').toEqual(['read']);

  await store.transact({ ...increment('a'), guess: [bytes('1')] });
  expect(trips(), 'a right guess needs no read').toEqual(['swap']);
  expect(await store.transact({ ...increment('a'), guess: [bytes('7')] })).toBe(3);
  expect(trips(), 'a wrong guess brings what the next try needs').toEqual(['swap', 'swap']);
  const refused = unit(['a'], ({ values }) => ({ result: text(values[0]), mutations: [] }));
  expect(await store.transact({ ...refused, guess: [bytes('7')] })).toBe('3');
  expect(trips(), 'nothing is answered on a guess alone').toEqual(['read']);

  await store.transact(unit([], () => ({ result: 0, mutations: [put('blind', 1)] })));
  expect(trips(), 'a unit that reads nothing only swaps').toEqual(['swap']);

  const many = await store.transactMany(['d', 'e', 'f'].map((key) => increment(key, 'shared')));
  expect(trips()).toEqual(['read', 'swap']);
  expect(many).toEqual([1, 1, 1].map((result) => ({ ok: true, result })));

  await store.readLog(bytes('bucket'), 0, 10);
  expect(trips(), 'reading the log first gives positions').toEqual(['log', 'log']);
  const snapshot = await store.snapshot();
  expect(trips()).toHaveLength(1);
  await snapshot.get(bytes('a'));
  expect(trips()).toHaveLength(1);
  await snapshot.close();
});

test('units of one call that touch each other run apart, and each has its own outcome', async () => {
  const { store } = await openWatched();
  const bug = new Error('a bug');
  const outcomes = await store.transactMany<number | string>([
    increment('a'),
    increment('a'),
    unit(['b'], () => {
      throw bug;
    }),
    unit(['a'], () => ({ result: 'nothing to write', mutations: [] })),
    increment('c'),
  ]);
  expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, true, false, true, true]);
  expect(outcomes[2]).toEqual({ ok: false, error: bug });
  expect(await valueAt(store, 'a')).toBe('2');
  expect(await sumOf(store, 'n:a')).toBe(2);
});

test('a write between the read and the swap is not lost', async () => {
  const { store, schema, beforeSwap, trips } = await openWatched();
  const other = await open({ schema });
  beforeSwap(() => other.transact(increment('a')) as Promise<number>);
  expect(await store.transact(increment('a'))).toBe(2);
  expect(trips()).toEqual(['read', 'swap', 'swap']);
  expect(await sumOf(store, 'n:a')).toBe(2);
});

test('units of one process that meet go one after the other', async () => {
  const { store, schema, beforeSwap, trips } = await openWatched();
  const other = await open({ schema });
  let second: Promise<number> | undefined;
  const startSecond = () =>
    new Promise<void>((decided) => {
      const noting: Unit<number> = {
        ...increment('a'),
        decide(found) {
          decided();
          return increment('a').decide(found);
        },
      };
      second = Promise.resolve(store.transact(noting));
    });
  beforeSwap(async () => {
    await other.transact(increment('a'));
    beforeSwap(startSecond);
  });
  expect(await store.transact(increment('a'))).toBe(2);
  expect(await second).toBe(3);
  expect(trips(), 'what the second has read is outdated, but it is told').toEqual([
    ...['read', 'swap', 'swap'],
    ...['read', 'swap'],
  ]);
});

test('of many writers to one key nobody has to try often', async () => {
  // On a busy machine a line takes longer than the second after which nobody waits any more.
  const store = await open({ triesMax: 16, lineMsMax: 60_000 });
  const counts = await Promise.all(Array.from({ length: 100 }, () => store.transact(increment('a'))));
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  const guessing = { ...increment('a'), guess: [bytes('0')] };
  await Promise.all(Array.from({ length: 100 }, () => store.transact(guessing)));
  expect(await valueAt(store, 'a')).toBe('200');

  const counted = (key: string) => ({
    ...unit([key], ({ counters: [sum] }) => ({ result: sum!, mutations: [put(key, 1), add('sum', 1)] })),
    counters: [bytes('sum')],
  });
  const sums = await Promise.all(Array.from({ length: 100 }, (_, i) => store.transact(counted(`key ${i}`))));
  expect(sums.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

test('a unit that gets no answer does not keep others of its process from trying', async () => {
  let isStuck = false;
  let isTried = () => {};
  const tried = new Promise<void>((resolve) => {
    isTried = resolve;
  });
  let swaps = 0;
  const schema = freshSchema();
  const other = await open({ schema });
  const store = await open({
    schema,
    lineMsMax: 1,
    async onRoundTrip(statement) {
      if (!statement.startsWith('swap')) return;
      // The first try is refused, the second is the first in line, and waits for the third, which is another unit's.
      swaps++;
      if (swaps === 1) await other.transact(increment('a'));
      if (swaps === 2) {
        isStuck = true;
        await tried;
      }
      if (swaps === 3) isTried();
    },
  });
  const first = Promise.resolve(store.transact(increment('a')));
  await expect.poll(() => isStuck).toBe(true);
  const second = Promise.resolve(store.transact(increment('a')));
  expect((await Promise.all([first, second])).toSorted()).toEqual([2, 3]);
});

test('a guess that another writer makes wrong in the last moment is not believed', async () => {
  const { store, schema, beforeSwap } = await openWatched();
  const other = await open({ schema });
  await store.transact(increment('a'));
  beforeSwap(() => other.transact(increment('a')) as Promise<number>);
  expect(await store.transact({ ...increment('a'), guess: [bytes('1')] })).toBe(3);
});

test.each([
  ['present', 'on duty'],
  ['absent', undefined],
])('no write skew between units that read two %s keys and write one each', async (_, before) => {
  const { store, schema, beforeSwap } = await openWatched();
  const other = await open({ schema });
  if (before !== undefined)
    await store.transact(unit([], () => ({ result: 0, mutations: [put('a', before), put('b', before)] })));
  // Each may leave only while the other has not.
  const leave = (own: string, peer: string) =>
    unit([own, peer], ({ values }) =>
      text(values[1]) === 'left'
        ? { result: 'must stay', mutations: [] }
        : { result: 'left', mutations: [put(own, 'left')] },
    );
  beforeSwap(() => other.transact(leave('b', 'a')) as Promise<string>);
  expect(await store.transact(leave('a', 'b'))).toBe('must stay');
  expect(await valueAt(store, 'a')).toBe(before);
});

const skewSeeds = testSeeds('postgres write skew');
test.each(skewSeeds)('no write skew under random load from two stores, %i', async (seed) => {
  const random = seededRandom(seed);
  const schema = freshSchema();
  const stores = [await open({ schema }), await open({ schema })];
  const pairs = Array.from({ length: 300 }, (_, i) => i);
  // Two units race for each pair of absent keys; with both keys written, neither can have seen the other's.
  const claim = (own: string, peer: string) =>
    unit([own, peer], ({ values }) => ({
      result: values[1] === undefined,
      mutations: values[1] === undefined ? [put(own, 'claimed')] : [],
    }));
  await Promise.all(
    pairs.map(async (i) => {
      const [first, second] = random.chance(0.5) ? [0, 1] : [1, 0];
      const won = await Promise.all([
        stores[first]!.transact(claim(`${i}:a`, `${i}:b`)),
        stores[second]!.transact(claim(`${i}:b`, `${i}:a`)),
      ]);
      expect(won.filter(Boolean), `pair ${i}`).toHaveLength(1);
    }),
  );
});

test('a key that was deleted and made again with the same value is not the key that was read', async () => {
  const { store, schema, beforeSwap } = await openWatched();
  const other = await open({ schema });
  await other.transact(unit([], () => ({ result: 0, mutations: [put('a', 'v')] })));
  beforeSwap(async () => {
    await other.transact(unit(['a'], () => ({ result: 0, mutations: [remove('a')] })));
    await other.transact(unit(['a'], () => ({ result: 0, mutations: [put('a', 'v')] })));
  });
  let decided = 0;
  await store.transact(
    unit(['a'], () => {
      decided++;
      return { result: 0, mutations: [put('a', 'w')] };
    }),
  );
  expect(decided).toBe(2);
});

test('a counter that was read is compared like a key', async () => {
  const { store, schema, beforeSwap } = await openWatched();
  const other = await open({ schema });
  const addTwo = unit([], () => ({ result: 0, mutations: [add('size', 2)] }));
  beforeSwap(() => other.transact(addTwo) as Promise<number>);
  const seen = await store.transact({
    ...unit([], ({ counters }) => ({ result: counters[0], mutations: [add('size', 1)] })),
    counters: [bytes('size')],
  });
  expect(seen).toBe(2);
  expect(await sumOf(store, 'size')).toBe(3);
});

test('tries are bounded, and a unit that uses them up has written nothing', async () => {
  const schema = freshSchema();
  const other = await open({ schema });
  const store = await open({
    schema,
    triesMax: 4,
    async onRoundTrip(statement) {
      if (statement.startsWith('swap')) await other.transact(increment('a'));
    },
  });
  let decided = 0;
  const unlucky = unit(['a'], ({ values }) => {
    decided++;
    return { result: 0, mutations: [put('a', numberIn(values[0]) + 100), put('mine', 1)] };
  });
  await expect(store.transact(unlucky)).rejects.toMatchObject({ name: 'StoreError', trouble: 'contention' });
  expect(decided).toBe(4);
  expect(await valueAt(store, 'a')).toBe('4');
  expect(await valueAt(store, 'mine')).toBeUndefined();
});

test('an abort between the read and the swap writes nothing', async () => {
  const abort = new AbortController();
  const reason = new Error('the caller left');
  const store = await open();
  const leaving = unit(['a'], () => {
    abort.abort(reason);
    return { result: 0, mutations: [put('a', 1)] };
  });
  await expect(store.transact(leaving, { signal: abort.signal })).rejects.toBe(reason);
  expect(await valueAt(store, 'a')).toBeUndefined();
});

const incrementSeeds = testSeeds('postgres increments');
test.each(incrementSeeds)('two stores that increment the same keys lose nothing, %i', async (seed) => {
  const random = seededRandom(seed);
  const schema = freshSchema();
  const stores = [await open({ schema }), await open({ schema })];
  await Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      for (let i = 0; i < 25; i++)
        await stores[client % 2]!.transact(increment(`k${random.below(4)}`, 'all'));
    }),
  );
  const values = await stores[0]!.getMany(['k0', 'k1', 'k2', 'k3'].map(bytes));
  expect(values.map(numberIn).reduce((sum, value) => sum + value)).toBe(400);
  expect(await sumOf(stores[1]!, 'all')).toBe(400);
});

test('a frozen clock does not hinder guesses', async () => {
  const { store, trips } = await openWatched(freshSchema(), { nowMicros: () => 1_000 });
  await store.transact(increment('a'));
  trips();
  for (const guess of ['1', '2', '3']) await store.transact({ ...increment('a'), guess: [bytes(guess)] });
  expect(trips()).toEqual(['swap', 'swap', 'swap']);
});

test('a deleted range is gone with its rows, also while others write to it', async () => {
  const schema = freshSchema();
  const store = await open({ schema });
  const keys = Array.from({ length: 600 }, (_, i) => `t:${String(i).padStart(4, '0')}`);
  await store.transact(unit([], () => ({ result: 0, mutations: keys.map((key) => put(key, 0)) })));
  await store.transact(increment('kept'));
  let writing = true;
  // An update of a key that is there; once a key is gone it stays gone.
  const touch = (key: string) =>
    unit([key], ({ values }) => ({
      result: 0,
      mutations: values[0] === undefined ? [] : [put(key, numberIn(values[0]) + 1)],
    }));
  const writers = [0, 1, 2].map(async (writer) => {
    for (let i = writer; writing; i += 7) await store.transact(touch(keys[i % keys.length]!));
  });
  expect(await store.deleteRange(bytes('t:'), bytes('t;'))).toBe(600);
  writing = false;
  await Promise.all(writers);
  expect((await store.range({ limit: 10 })).entries.map((entry) => text(entry.key))).toEqual(['kept']);
  expect(await sql(`SELECT count(*)::int FROM ${schema}.kv`)).toEqual([[1]]);
});

test('old rows of deleted keys are removed, and their keys still only grow in version', async () => {
  const schema = freshSchema();
  const store = await open({ schema, tombstoneAgeMs: 0, janitorMs: 5 });
  await store.transact(unit([], () => ({ result: 0, mutations: [put('a', 1), put('b', 1)] })));
  await store.transact(unit(['a'], () => ({ result: 0, mutations: [remove('a')] })));
  const rows = async () => Number((await sql(`SELECT count(*) FROM ${schema}.kv`))[0]![0]);
  while ((await rows()) > 1);
  const [[horizon]] = (await sql(`SELECT version FROM ${schema}.horizon`)) as [[string]];
  const late = await open({ schema, nowMicros: () => 1 });
  await late.transact(unit(['a'], () => ({ result: 0, mutations: [put('a', 2)] })));
  const [[version]] = (await sql(`SELECT version FROM ${schema}.kv WHERE key = 'a'`)) as [[string]];
  expect(Number(version)).toBeGreaterThan(Number(horizon));
  expect(await sql(`SELECT count(*)::int FROM ${schema}.grave`)).toEqual([[0]]);
});

test('a snapshot stands still and closes with the store', async () => {
  const store = await open();
  await store.transact(increment('a'));
  const snapshot = await store.snapshot();
  await store.transact(increment('a'));
  expect(text(await snapshot.get(bytes('a')))).toBe('1');
  expect(await snapshot.counters([bytes('n:a')])).toEqual([1]);
  await store.close();
  await expect(async () => snapshot.get(bytes('a'))).rejects.toMatchObject({ trouble: 'closed' });
  await expect(async () => store.get(bytes('a'))).rejects.toMatchObject({ trouble: 'closed' });
});

test('values, keys and records of the largest sizes pass', async () => {
  const store = await open();
  const key = new Uint8Array(2_500).map((_, i) => (i * 31) % 256);
  const value = new Uint8Array(4 * 1024 * 1024).map((_, i) => (i * 17) % 256);
  await store.transact({
    reads: [key],
    decide: () => ({
      result: 0,
      mutations: [
        { kind: 'put', key, value },
        { kind: 'append', bucket: bytes('b'), of: key, record: value },
      ],
    }),
  });
  expect(Buffer.compare((await store.get(key))!, value)).toBe(0);
  expect(Buffer.compare((await store.readLog(bytes('b'), 0, 1))[0]!.record, value)).toBe(0);
  await store.transact({
    reads: [key],
    guess: [value],
    decide: () => ({ result: 0, mutations: [put('x', 1)] }),
  });
});

test('an unknown format is refused, and so are tables of somebody else', async () => {
  const schema = freshSchema();
  const store = await openTestStore({ schema });
  await store.close();
  await sql(`UPDATE ${schema}.meta SET value = '99' WHERE name = 'format'`);
  await expect(openTestStore({ schema })).rejects.toMatchObject({ trouble: 'format' });
  await sql(`ALTER TABLE ${schema}.meta RENAME COLUMN value TO other`);
  await expect(openTestStore({ schema })).rejects.toMatchObject({ trouble: 'format' });
});

test('a server that is not there is said to be', async () => {
  const nowhere = openPostgresStore({ url: 'postgres://stator@127.0.0.1:1/postgres' });
  await expect(nowhere).rejects.toMatchObject({ name: 'StoreError', trouble: 'unavailable' });
});

test('a session that lost its isolation level commits nothing', async () => {
  const schema = freshSchema();
  const store = await open({ schema });
  // A pooler in transaction mode may hand a unit to a session with the server's own isolation level.
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  const beliefs = { keys: [{ value: undefined, writeId: null }], sums: [] };
  const expected = { keys: [bytes('a')], counters: [], beliefs };
  const swap = new SwapPlanner(tablesIn(schema), 'REPEATABLE READ').plan(
    expected,
    { mutations: [put('a', 1)] },
    1_000,
    randomUUID(),
  );
  const query = { text: swap.statement.text, values: swap.values(0), rowMode: 'array' } as const;
  const { rows } = await client.query<unknown[]>(query);
  await client.end();
  expect(readAnswer(rows, beliefs)).toMatchObject({ committed: false, changed: false });
  expect(await valueAt(store, 'a')).toBeUndefined();
});

test('records of one unit keep their order, whatever the versions of their keys', async () => {
  const schema = freshSchema();
  const ahead = await open({ schema, nowMicros: () => 9e15 });
  await ahead.transact(unit([], () => ({ result: 0, mutations: [put('a', 1)] })));
  const store = await open({ schema });
  await store.transact(
    unit([], () => ({
      result: 0,
      mutations: [
        put('c', 1),
        append('log', 'c', 'first'),
        put('a', 2),
        append('log', 'a', 'second'),
        put('b', 1),
        append('log', 'b', 'third'),
      ],
    })),
  );
  const records = await store.readLog(bytes('log'), 0, 10);
  expect(records.map(({ position, record }) => [position, text(record)])).toEqual([
    [1, 'first'],
    [2, 'second'],
    [3, 'third'],
  ]);
  await store.trimLog(bytes('log'), 2);
  expect((await store.readLog(bytes('log'), 0, 10)).map(({ position }) => position)).toEqual([3]);
  await store.transact(
    unit([], () => ({ result: 0, mutations: [put('b', 2), append('log', 'b', 'fourth')] })),
  );
  await store.trimLog(bytes('log'), Number.MAX_SAFE_INTEGER);
  expect(await store.readLog(bytes('log'), 0, 10)).toEqual([]);
});
