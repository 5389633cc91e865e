import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { Janitor } from '../../src/storage/postgres/janitor.ts';
import { tablesIn } from '../../src/storage/postgres/tables.ts';
import type { Store, Unit } from '../../src/storage/store.ts';
import { type Cut, type CuttingProxy, cuts, startCuttingProxy } from './cutting-proxy.ts';
import { freshSchema, openTestStore } from './test-store.ts';
import { add, append, bytes, increment, numberIn, put, remove, sumOf, text, unit, valueAt } from './units.ts';

let proxy: CuttingProxy;
let schema: string;
/** The store whose connections are cut, and one that goes straight to the server. */
let store: Store;
let direct: Store;
let swaps: number;
/** What to do just before the swap with this number is sent. */
let beforeSwap: Map<number, () => unknown>;

beforeEach(async () => {
  proxy = await startCuttingProxy(inject('postgresUrl'));
  schema = freshSchema();
  beforeSwap = new Map();
  swaps = 0;
  direct = await openTestStore({ schema });
  store = await openTestStore({
    schema,
    url: proxy.url,
    async onRoundTrip(statement) {
      if (statement.startsWith('swap')) await beforeSwap.get(++swaps)?.();
    },
  });
});

afterEach(async () => {
  await store.close();
  await direct.close();
  await proxy.close();
});

function cutSwap(number: number, cut: Cut): void {
  beforeSwap.set(number, () => proxy.cutNext(cut));
}

async function removeTombstones(): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  const run: ConstructorParameters<typeof Janitor>[1] = async ({ text: sql }, values) =>
    (await client.query<unknown[]>({ text: sql, values: [...values], rowMode: 'array' })).rows;
  await new Janitor(tablesIn(schema), run, 0).sweep();
  await client.end();
}

const ownKey = 'a unit that writes a key it read';

describe.each(cuts)('%s', (cut) => {
  test.each([
    ['after a read', undefined],
    ['on a guess', [undefined]],
  ])(`${ownKey} is committed exactly once, %s`, async (_, guess) => {
    cutSwap(1, cut);
    const once = { ...increment('a'), ...(guess === undefined ? {} : { guess }) };
    expect(await store.transact(once)).toBe(1);
    await proxy.deliverLate();
    expect(await valueAt(direct, 'a')).toBe('1');
    expect(await sumOf(direct, 'n:a')).toBe(1);
    expect(swaps).toBe(2);
  });

  test('the connection that asks may be cut as well', async () => {
    for (const [i, other] of cuts.entries()) cutSwap(i + 2, other);
    cutSwap(1, cut);
    expect(await store.transact(increment('a'))).toBe(1);
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n:a')).toBe(1);
    expect(await store.transact(increment('a')), 'the next unit runs as if nothing had been').toBe(2);
  });

  test('a unit that deletes the key it read is committed exactly once', async () => {
    await direct.transact(unit([], () => ({ result: 0, mutations: [put('a', 'v')] })));
    cutSwap(1, cut);
    const deletion = unit(['a'], ({ values }) => ({
      result: text(values[0]),
      mutations: values[0] === undefined ? [] : [remove('a'), add('deleted', 1), append('log', 'a', 'gone')],
    }));
    expect(await store.transact(deletion)).toBe('v');
    await proxy.deliverLate();
    expect(await sumOf(direct, 'deleted')).toBe(1);
    expect(await direct.readLog(bytes('log'), 0, 10)).toHaveLength(1);
  });

  test('a unit that found nothing under the key it read is committed exactly once', async () => {
    cutSwap(1, cut);
    const reserving = unit(['a'], () => ({ result: 0, mutations: [put('b', 1), add('n', 1)] }));
    await store.transact(reserving);
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n')).toBe(1);
    expect(await valueAt(direct, 'a')).toBeUndefined();
  });

  test('a unit that writes none of its reads is not sent again', async () => {
    await direct.transact(unit([], () => ({ result: 0, mutations: [put('a', 'there')] })));
    cutSwap(1, cut);
    const blind = unit(['a'], () => ({ result: 0, mutations: [put('b', 1), add('n', 1)] }));
    await expect(store.transact(blind)).rejects.toMatchObject({ trouble: 'unknown-outcome' });
    expect(swaps).toBe(1);
    await proxy.deliverLate();
    const committed = cut === 'answer lost' || cut === 'request late';
    expect(await sumOf(direct, 'n')).toBe(committed ? 1 : 0);
    expect(await valueAt(direct, 'b')).toBe(committed ? '1' : undefined);
  });

  test('several units in one call are committed exactly once', async () => {
    cutSwap(1, cut);
    const outcomes = await store.transactMany(['a', 'b', 'c'].map((key) => increment(key, 'all')));
    expect(outcomes).toEqual([1, 1, 1].map((result) => ({ ok: true, result })));
    await proxy.deliverLate();
    expect(await sumOf(direct, 'all')).toBe(3);
  });

  test('a key overwritten before the question leaves the outcome unknown, and nothing done twice', async () => {
    cutSwap(1, cut);
    beforeSwap.set(2, () => direct.transact(increment('a', 'other')));
    await expect(store.transact(increment('a'))).rejects.toMatchObject({ trouble: 'unknown-outcome' });
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n:a')).toBe(cut === 'answer lost' ? 1 : 0);
    expect(numberIn(await direct.get(bytes('a')))).toBe(cut === 'answer lost' ? 2 : 1);
  });
});

describe('a request that arrives long after it was sent again', () => {
  const same: Unit<number> = {
    ...unit(['a'], () => ({ result: 0, mutations: [put('a', 'v'), add('n', 1)] })),
  };

  test.each([
    ['after a read', undefined],
    ['on a guess', bytes('v')],
  ])('is refused when the value is back to what it was, %s', async (_, guess) => {
    await direct.transact(unit([], () => ({ result: 0, mutations: [put('a', 'v')] })));
    cutSwap(1, 'request late');
    await store.transact(guess === undefined ? same : { ...same, guess: [guess] });
    await direct.transact(unit([], () => ({ result: 0, mutations: [put('a', 'other')] })));
    await direct.transact(unit([], () => ({ result: 0, mutations: [put('a', 'v')] })));
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n')).toBe(1);
  });

  test.each([
    ['after a read', false],
    ['on a guess', true],
  ])('is refused when the key was deleted and its row removed, %s', async (_, guessed) => {
    cutSwap(1, 'request late');
    await store.transact(guessed ? { ...same, guess: [undefined] } : same);
    await direct.transact(unit([], () => ({ result: 0, mutations: [remove('a')] })));
    await removeTombstones();
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n')).toBe(1);
    expect(await direct.get(bytes('a'))).toBeUndefined();
  });

  test('is refused when the range of the key was deleted', async () => {
    cutSwap(1, 'request late');
    await store.transact(same);
    await direct.deleteRange(bytes('a'), bytes('b'));
    await proxy.deliverLate();
    expect(await sumOf(direct, 'n')).toBe(1);
    expect(await direct.get(bytes('a'))).toBeUndefined();
  });
});

test.each(cuts)('a connection cut before the unit was sent is no mystery: %s', async (cut) => {
  await store.transact(increment('a'));
  proxy.cutNext(cut);
  await expect(store.transact(increment('a'))).rejects.toMatchObject({ trouble: 'unavailable' });
  await proxy.deliverLate();
  expect(await sumOf(direct, 'n:a')).toBe(1);
  expect(await store.transact(increment('a')), 'the next unit finds a connection').toBe(2);
});

test('a server that stays away leaves the outcome unknown after a bounded time of asking', async () => {
  const lonely = await openTestStore({
    schema,
    url: proxy.url,
    resolveMsMax: 50,
    async onRoundTrip(statement) {
      if (statement.startsWith('swap')) await proxy.close();
    },
  });
  const outcome = lonely.transact(increment('a'));
  // Whether the unit was sent depends on who learns first that the connection is gone; both answers are true.
  await expect(outcome).rejects.toMatchObject({
    trouble: expect.stringMatching(/^(unknown-outcome|unavailable)$/),
  });
  await lonely.close();
  expect(await sumOf(direct, 'n:a')).toBe(0);
  proxy = await startCuttingProxy(inject('postgresUrl'));
});
