import { expect } from 'vitest';
import type { Store, Unit } from '../../src/storage/store.ts';
import { seededRandom } from '../seeded-random.ts';
import { bytes, numberedKey, text } from './bytes.ts';

/** Concurrent transfers between accounts, while readers add up all accounts: the total is the same in every read. */
export async function checkBank(
  store: Store,
  {
    accounts,
    clients,
    transfers,
    seed,
  }: { accounts: number; clients: number; transfers: number; seed: number },
): Promise<void> {
  const keys = Array.from({ length: accounts }, (_, i) => numberedKey('account', i));
  const total = accounts * 100;
  await store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: keys.map((key) => ({ kind: 'put', key, value: bytes('100') })),
    }),
  });
  const sum = (values: readonly (Uint8Array | undefined)[]) =>
    values.reduce((all, value) => all + Number(text(value)), 0);
  let writing = true;
  const reading = (async () => {
    for (let turn = 0; writing; turn++) {
      expect(sum(await store.getMany(keys))).toBe(total);
      const page = await store.range({ from: keys[0]!, limit: accounts });
      expect(sum(page.entries.map((entry) => entry.value))).toBe(total);
      if (turn % 5 === 0) {
        const found = await store.transact({
          reads: keys,
          decide: ({ values }) => ({ result: sum(values), mutations: [] }),
        });
        expect(found).toBe(total);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  try {
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const random = seededRandom(seed + client);
        for (let i = 0; i < transfers; i++) {
          const from = random.below(accounts);
          const to = (from + 1 + random.below(accounts - 1)) % accounts;
          await store.transact(transfer(keys[from]!, keys[to]!, random.below(60)));
        }
      }),
    );
  } finally {
    writing = false;
  }
  await reading;
  const balances = (await store.getMany(keys)).map((value) => Number(text(value)));
  expect(balances.reduce((a, b) => a + b, 0)).toBe(total);
  expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
}

function transfer(from: Uint8Array, to: Uint8Array, amount: number): Unit<boolean> {
  return {
    reads: [from, to],
    decide: ({ values }) => {
      const [source, target] = values.map((value) => Number(text(value)));
      if (source! < amount) return { result: false, mutations: [] };
      return {
        result: true,
        mutations: [
          { kind: 'put', key: from, value: bytes(String(source! - amount)) },
          { kind: 'put', key: to, value: bytes(String(target! + amount)) },
        ],
      };
    },
  };
}

/**
 * Pairs of units that each read both keys and write one of them. Run one after another, at most one of a pair can
 * find its condition true; under anything weaker than serializability both can.
 */
export async function checkWriteSkew(store: Store, pairs: number): Promise<void> {
  for (let i = 0; i < pairs; i++) {
    const [left, right] = [bytes(`left${i}`), bytes(`right${i}`)];
    const claim = (own: Uint8Array, other: Uint8Array): Unit<boolean> => ({
      reads: [own, other],
      decide: ({ values }) =>
        values[1] === undefined
          ? { result: true, mutations: [{ kind: 'put', key: own, value: bytes('taken') }] }
          : { result: false, mutations: [] },
    });
    const absent = await Promise.all([
      store.transact(claim(left, right)),
      store.transact(claim(right, left)),
    ]);
    expect(absent.filter(Boolean).length).toBe(1);

    const [on, also] = [bytes(`on${i}`), bytes(`also${i}`)];
    await store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [on, also].map((key) => ({ kind: 'put', key, value: bytes('on') })),
      }),
    });
    const leave = (own: Uint8Array, other: Uint8Array): Unit<boolean> => ({
      reads: [own, other],
      decide: ({ values }) =>
        text(values[1]) === 'on'
          ? { result: true, mutations: [{ kind: 'put', key: own, value: bytes('off') }] }
          : { result: false, mutations: [] },
    });
    const present = await Promise.all([store.transact(leave(on, also)), store.transact(leave(also, on))]);
    expect(present.filter(Boolean).length).toBe(1);
  }
}
