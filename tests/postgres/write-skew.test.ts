import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store, Unit } from '../../src/storage/store.ts';
import { type HeldRow, holdRow, until, waitingStatements } from './held-row.ts';
import { freshSchema, openTestStore } from './test-store.ts';
import { add, bytes, numberIn, put, sumOf, text, unit, valueAt } from './units.ts';

/**
 * PostgreSQL's SERIALIZABLE forgets what a transaction has read once it has more committed transactions to remember
 * than ten for each connection it allows. Measured with plain SQL on PostgreSQL 18: a write skew with 1,000 commits in
 * between is refused, one with 1,500 is committed. Units must not depend on that memory.
 */

const commitsBetween = 2_000;

let schema: string;
let store: Store;
let row: HeldRow;

beforeEach(async () => {
  schema = freshSchema();
  store = await openTestStore({ schema });
  // Rows between those of the test and those of the others: PostgreSQL remembers reads by the page.
  const padding = ['g', 'p'].flatMap((letter) =>
    Array.from({ length: 2_000 }, (_, i) => put(`${letter}${String(i).padStart(5, '0')}`, 0)),
  );
  await store.transact(unit([], () => ({ result: 0, mutations: [put('a', 'held-value'), ...padding] })));
  await commitOthers(32);
  row = await holdRow(schema, 'held-value');
});

afterEach(async () => {
  await store.close();
});

/** Units that have nothing to do with the test, committed one after another by several callers. */
async function commitOthers(count: number, areBlind = true): Promise<void> {
  const callers = 16;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = 0; i < count / callers; i++)
        await store.transact(
          unit(areBlind ? [] : [`m${caller}`], () => ({ result: 0, mutations: [put(`m${caller}`, i)] })),
        );
    }),
  );
}

/** Runs a unit that stands still at the held row, another one beside it, and then very many more, before it goes on. */
async function stall<R>(slow: Unit<R>, quick: Unit<R>): Promise<[R, R]> {
  const stalled = store.transact(slow) as Promise<R>;
  await until(async () => (await waitingStatements(schema)) === 1);
  let isDone = false;
  const beside = (store.transact(quick) as Promise<R>).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await waitingStatements(schema)) > 1);
  await commitOthers(commitsBetween);
  await row.release();
  return await Promise.all([stalled, beside]);
}

describe('two units that each read what the other writes', () => {
  /** Writes under one key what it saw under the other; the slow one writes the held row as well. */
  const crossing = (reads: string, writes: string, isSlow: boolean) =>
    unit([reads], ({ values: [found] }) => {
      const seen = text(found) ?? 'nothing';
      const mutations = [put(writes, `saw ${seen}`)];
      return { result: seen, mutations: isSlow ? [put('a', 'held-value'), ...mutations] : mutations };
    });

  test.each([
    ['that are there', ['x', 'y']],
    ['that are not there', []],
    ['of which one is there', ['y']],
  ])('do not both see what was before, of keys %s', async (_, there) => {
    if (there.length > 0)
      await store.transact(unit([], () => ({ result: 0, mutations: there.map((key) => put(key, 'old')) })));
    const before = new Set(['old', 'nothing']);
    const seen = await stall(crossing('x', 'y', true), crossing('y', 'x', false));
    expect(seen.filter((value) => before.has(value))).toHaveLength(1);
    expect([await valueAt(store, 'x'), await valueAt(store, 'y')]).toContainEqual(
      expect.stringMatching(/^saw saw (old|nothing)$/),
    );
  });
});

test('two units that read a counter and add to it do not both find it empty', async () => {
  const bounded = (own: string, isSlow: boolean): Unit<number> => ({
    ...unit([own], ({ counters: [sum], values: [found] }) => ({
      result: sum!,
      mutations: [
        ...(isSlow ? [put('a', 'held-value')] : []),
        put(own, numberIn(found) + 1),
        ...(sum! < 1 ? [add('sum', 1)] : []),
      ],
    })),
    counters: [bytes('sum')],
  });
  const seen = await stall(bounded('x', true), bounded('y', false));
  expect(seen.toSorted()).toEqual([0, 1]);
  expect(await sumOf(store, 'sum')).toBe(1);
});

// SERIALIZABLE ended units that had read anything, over and over, until the one that stood still had ended.
test('a unit that stands still holds up none that has nothing to do with it', async () => {
  const stalled = store.transact(unit(['x'], () => ({ result: 0, mutations: [put('a', 1), put('y', 1)] })));
  await until(async () => (await waitingStatements(schema)) === 1);
  await commitOthers(commitsBetween, false);
  await row.release();
  await stalled;
});
