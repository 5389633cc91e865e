import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type IndexKeyValues, indexKey, isCutKey, itemHash } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { decodeItem, encodeItem } from '../../model/stored/stored-item.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { concatBytes, prefixEnd } from '../../model/values/bytes.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { Entry, RangePage, RangeRequest, Reader } from '../../storage/store.ts';
import type { Table } from '../tables/table-record.ts';
import { stale } from '../writes/write-item.ts';
import { type EvaluatedPage, type PagePlan, readPage } from './read-range.ts';

const epochKey = Uint8Array.of(2);
const epoch = Uint8Array.of(7);
const table = { epochKey, epoch } as unknown as Table;
const prefix = Uint8Array.of(0x10, 1);
const header = { encrypted: false, tombstone: false, era: 0, writtenMicros: 1, region: 0, version: 1 };

function put(store: MemoryStore, key: Uint8Array, item: Item, itemBytes: number): void {
  store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: [{ kind: 'put', key, value: encodeItem(item, { ...header, itemBytes }) }],
    }),
  });
}

const keyOf = (i: number) => concatBytes(prefix, Uint8Array.of(i >> 8, i & 0xff));
const itemOf = (i: number): Item => new Map([['n', { N: String(i) }]]);

/** A store of entries numbered from 0, each with a size. */
function storeOf(count: number, itemBytes: number): MemoryStore {
  const store = new MemoryStore();
  for (let i = 0; i < count; i++) put(store, keyOf(i), itemOf(i), itemBytes);
  return store;
}

const plan: PagePlan = {
  from: prefix,
  to: prefixEnd(prefix),
  reverse: false,
  after: undefined,
  limit: undefined,
  accepts: undefined,
  range: [],
  sink: { take: () => {} },
};

/** A page and the entries that it passed to its sink. */
interface Taken extends EvaluatedPage {
  readonly entries: readonly Entry[];
}

function takePage(
  from: Reader,
  on: Table,
  asked: PagePlan,
  checksEpoch: boolean,
): MaybePromise<Taken | typeof stale> {
  const entries: Entry[] = [];
  const sink = { take: (entry: Entry) => void entries.push(entry) };
  return whenDone(readPage(from, on, { ...asked, sink }, checksEpoch), (page) =>
    page === stale ? stale : { ...page, entries },
  );
}

const numbersOf = (page: Taken | typeof stale) => {
  if (page === stale) throw new Error('stale');
  return page.entries.map(({ key }) => (key[2]! << 8) | key[3]!);
};

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A reader in small chunks that answers asynchronously and calls `between` after every chunk. */
function reader(store: MemoryStore, between: (chunk: RangePage) => void = () => {}): Reader {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    counters: (keys) => store.counters(keys),
    range: async (request: RangeRequest) => {
      // Makes chunks as small as a store may make them.
      const chunk = store.range({ ...request, limit: Math.min(request.limit, 3) });
      await Promise.resolve();
      between(chunk);
      return chunk;
    },
  };
}

describe('a page', () => {
  it('is read in as many chunks as it takes', async () => {
    const store = storeOf(2_500, 10);
    for (const from of [store, reader(store)]) {
      const page = await takePage(from, table, plan, false);
      expect(numbersOf(page)).toEqual(upTo(2_500));
      expect(page).toMatchObject({ stopped: false, bytes: 25_000 });
      const backward = await takePage(from, table, { ...plan, reverse: true }, false);
      expect(numbersOf(backward)).toEqual(upTo(2_500).reverse());
    }
  });

  it('stops at its limit, whether or not something follows', async () => {
    const store = storeOf(5, 10);
    expect(await takePage(store, table, { ...plan, limit: 5 }, false)).toMatchObject({ stopped: true });
    expect(await takePage(store, table, { ...plan, limit: 6 }, false)).toMatchObject({ stopped: false });
  });

  it('stops with the entry that makes it 1 MB', async () => {
    const half = 512 * 1024;
    expect(numbersOf(await takePage(storeOf(3, half), table, plan, false))).toEqual([0, 1]);
    expect(numbersOf(await takePage(storeOf(4, half - 1), table, plan, false))).toEqual([0, 1, 2]);
    const whole = await takePage(storeOf(2, half), table, plan, false);
    expect(whole).toMatchObject({ stopped: true, bytes: 2 * half });
  });

  it('goes on behind a key, in both directions', () => {
    const store = storeOf(6, 10);
    store.transact({
      reads: [],
      decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key: keyOf(3) }] }),
    });
    const after = { key: keyOf(3), item: itemOf(3) };
    const page = (more: Partial<PagePlan>) => takePage(store, table, { ...plan, after, ...more }, false);
    expect(numbersOf(page({}) as Taken)).toEqual([4, 5]);
    expect(numbersOf(page({ reverse: true }) as Taken)).toEqual([2, 1, 0]);
  });

  it('has every entry that stays exactly once while others come and go', async () => {
    const store = storeOf(100, 10);
    let next = 100;
    const busy = reader(store, ({ entries }) => {
      // Deletes the entry that was just read, and adds an entry at the end.
      const last = entries.at(-1)!.key;
      store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key: last }] }),
      });
      put(store, keyOf(next++), itemOf(0), 10);
    });
    const found = numbersOf(await takePage(busy, table, { ...plan, limit: 100 }, false));
    expect(found).toEqual(upTo(100));
  });

  it('is given up when the table is no longer the one it was planned for', async () => {
    const store = storeOf(10, 10);
    const setEpoch = (value: Uint8Array) =>
      store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'put', key: epochKey, value }] }),
      });
    setEpoch(epoch);
    expect(numbersOf(await takePage(reader(store), table, plan, true))).toEqual(upTo(10));
    let chunks = 0;
    const changing = reader(store, () => {
      if (++chunks === 2) setEpoch(Uint8Array.of(8));
    });
    expect(await takePage(changing, table, plan, true)).toBe(stale);
  });

  it('leaves out what its bounds should not have reached', () => {
    const accepts = (item: Item) => Number((item.get('n') as { N: string }).N) % 2 === 0;
    const page = takePage(storeOf(10, 10), table, { ...plan, accepts, limit: 3 }, false);
    expect(numbersOf(page as Taken)).toEqual([0, 2, 4]);
    expect(page).toMatchObject({ bytes: 30, stopped: true });
  });
});

describe('entries with cut keys', () => {
  const h16 = (bytes: Uint8Array) =>
    new Uint8Array(createHash('sha256').update(bytes).digest().subarray(0, 16));
  const range: KeyAttribute[] = ['r1', 'r2', 'r3'].map((name) => ({ name, type: 'S' }));
  const long = 'x'.repeat(1_024);

  /** Entries with short keys, entries cut to the same bytes, and entries cut to other bytes. */
  function entries(hash = 'h'): { key: Uint8Array; item: Item; rank: string }[] {
    const firsts = ['a', long, 'z'];
    return firsts.flatMap((first) =>
      Array.from({ length: 40 }, (_, i) => {
        const r3 = `${long.slice(0, 1_000)}${String((i * 17) % 40).padStart(2, '0')}`;
        const values = [first, first === long ? long : 'm', r3];
        const key: IndexKeyValues = {
          hash: [{ S: hash }],
          range: values.map((S) => ({ S })),
        };
        const suffix = itemHash({ hash: { S: String(i) }, range: undefined }, h16);
        const item: Item = new Map(range.map(({ name }, at) => [name, { S: values[at]! }]));
        return { key: indexKey(prefix, key, suffix, h16), item, rank: values.join('|') };
      }),
    );
  }

  /** The entries of all pages. */
  async function readPages(store: MemoryStore, asked: PagePlan): Promise<Entry[]> {
    const found: Entry[] = [];
    let after: PagePlan['after'];
    for (;;) {
      const page = await takePage(reader(store), table, { ...asked, after }, false);
      if (page === stale) throw new Error('stale');
      found.push(...page.entries);
      if (!page.stopped) return found;
      const { key, value } = page.entries.at(-1)!;
      after = { key, item: decodeItem(value) };
    }
  }

  it.each([false, true])('stand in the order of their values (backward: %s)', async (reverse) => {
    const all = entries();
    expect(all.filter(({ key }) => isCutKey(key))).toHaveLength(40);
    const store = new MemoryStore();
    for (const { key, item } of all) put(store, key, item, 4_000);
    const ranks = new Map(all.map(({ key, rank }) => [key.join(), rank]));
    const sorted = all.map(({ rank }) => rank).sort();
    const expected = reverse ? sorted.reverse() : sorted;
    for (const limit of [undefined, 1, 7, 120]) {
      const found = await readPages(store, { ...plan, range, reverse, limit });
      expect(found.map(({ key }) => ranks.get(key.join())!)).toEqual(expected);
    }
  });

  it('all come though a page ends among those of one partition and the next has smaller values', async () => {
    const all = [...entries('h'), ...entries('i')].filter(({ key }) => isCutKey(key));
    const store = new MemoryStore();
    for (const { key, item } of all) put(store, key, item, 4_000);
    for (const limit of [1, 7, 39, 40, 41]) {
      const found = await readPages(store, { ...plan, range, limit });
      expect(new Set(found.map(({ key }) => key.join())).size).toBe(80);
      expect(found).toHaveLength(80);
    }
  });

  it('are read to the end of a group though a page has room for few', async () => {
    const all = entries().filter(({ key }) => isCutKey(key));
    const store = new MemoryStore();
    for (const { key, item } of all) put(store, key, item, 400_000);
    const page = await takePage(reader(store), table, { ...plan, range }, false);
    expect(page).toMatchObject({ stopped: true, bytes: 1_200_000 });
  });
});
