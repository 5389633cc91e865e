import { afterEach, describe, expect, it } from 'vitest';
import { keyAfter, prefixEnd } from '../../src/model/values/bytes.ts';
import { type Bytes, type Mutation, type Store, storeLimits, type Unit } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { bytes, numberedKey, text } from './bytes.ts';
import { followUntil } from './follow.ts';
import { compareWithModel } from './model-comparison.ts';
import { pureStore } from './pure-store.ts';
import { checkBank, checkWriteSkew } from './serializability.ts';

/** Where a store keeps its data, so that it can be opened again, or twice. */
export interface Place {
  open(): Promise<Store>;
  /** Removes what `open` left behind; all its stores are closed by then. */
  remove(): Promise<void>;
  /** Whether what was written is there after closing and opening again. */
  readonly keeps: boolean;
  /** Sets the clock that the stores of this place see back by so many seconds, where they have one. */
  setClockBack?(seconds: number): void;
  /** How many keys a range delete is tried with; a million in long runs. */
  readonly manyKeys: number;
}

/** What every engine must do: the guarantees of `src/storage/store.ts`, each tried. */
export function storeContract(name: string, makePlace: () => Promise<Place>): void {
  describe(`${name} keeps the Store contract`, () => {
    const places: Place[] = [];
    const stores: Store[] = [];

    async function newPlace(): Promise<Place> {
      const place = await makePlace();
      places.push(place);
      return place;
    }

    async function openAt(place: Place): Promise<Store> {
      const store = pureStore(await place.open());
      stores.push(store);
      return store;
    }

    async function newStore(): Promise<Store> {
      return openAt(await newPlace());
    }

    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close();
      for (const place of places.splice(0)) await place.remove();
    });

    describe('reads and writes', () => {
      it('finds what was put, and nothing else', async () => {
        const store = await newStore();
        await store.transact(write(put('a', '1'), put('b', ''), put('c', '3')));
        await store.transact(write(remove('c'), remove('never there')));
        expect(text(await store.get(bytes('a')))).toBe('1');
        expect(text(await store.get(bytes('b')))).toBe('');
        expect(await store.get(bytes('c'))).toBeUndefined();
        expect((await store.getMany(['b', 'zz', 'a', 'a'].map(bytes))).map(text)).toEqual([
          '',
          undefined,
          '1',
          '1',
        ]);
      });

      it('hands decide what it reads and answers its result', async () => {
        const store = await newStore();
        await store.transact(write(put('a', '1'), add('n', 5)));
        const result = await store.transact({
          reads: [bytes('missing'), bytes('a')],
          counters: [bytes('n'), bytes('none')],
          decide: ({ values, counters }) => ({
            result: { values: values.map(text), counters },
            mutations: [],
          }),
        });
        expect(result).toEqual({ values: [undefined, '1'], counters: [5, 0] });
      });

      it('writes nothing when decide throws, and leaves others alone', async () => {
        const store = await newStore();
        const bug = new TypeError('a bug');
        const outcomes = await Promise.allSettled([
          store.transact(write(put('a', '1'))),
          (async () =>
            store.transact({
              reads: [],
              decide: () => {
                throw bug;
              },
            }))(),
          store.transact(write(put('b', '2'))),
        ]);
        expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(outcomes[1]).toEqual({ status: 'rejected', reason: bug });
        expect((await store.getMany(['a', 'b'].map(bytes))).map(text)).toEqual(['1', '2']);
      });

      it('refuses keys and values no engine could hold, before writing anything', async () => {
        const store = await newStore();
        const bad: Mutation[] = [
          { kind: 'put', key: new Uint8Array(storeLimits.keyBytesMax + 1), value: bytes('x') },
          { kind: 'put', key: new Uint8Array(0), value: bytes('x') },
          { kind: 'put', key: bytes('k'), value: new Uint8Array(storeLimits.valueBytesMax + 1) },
          { kind: 'append', bucket: new Uint8Array(65), of: bytes('a'), record: bytes('x') },
          { kind: 'add', counter: bytes('n'), delta: 0.5 },
        ];
        for (const mutation of bad)
          await expect((async () => store.transact(write(put('a', '1'), mutation)))()).rejects.toThrow(
            RangeError,
          );
        expect(await store.get(bytes('a'))).toBeUndefined();
      });

      it('holds the largest keys and values', async () => {
        const store = await newStore();
        const random = seededRandom(1);
        const key = random.bytes(storeLimits.keyBytesMax);
        const sibling = key.slice();
        sibling[sibling.length - 1]! ^= 1;
        // Text of the kind that a large item of many exponents becomes; not random, not all the same.
        const large = new Uint8Array(20_000_000).map((_, i) => 48 + ((i * 7919) % 10));
        await store.transact({
          reads: [],
          decide: () => ({
            result: undefined,
            mutations: [
              { kind: 'put', key, value: large },
              { kind: 'put', key: sibling, value: bytes('sibling') },
              { kind: 'append', bucket: bytes('log'), of: key, record: large },
              { kind: 'add', counter: key, delta: 1 },
            ],
          }),
        });
        expect(Buffer.compare(large, (await store.get(key))!)).toBe(0);
        expect(text(await store.get(sibling))).toBe('sibling');
        const page = await store.range({ from: key, to: keyAfter(key), limit: 10 });
        expect(page.entries.length).toBe(1);
        expect(Buffer.compare(large, page.entries[0]!.value)).toBe(0);
        expect(Buffer.compare(large, (await store.readLog(bytes('log'), 0, 10))[0]!.record)).toBe(0);
        expect(await store.counters([key])).toEqual([1]);
      });

      it('sees an acknowledged write in the next read', async () => {
        const store = await newStore();
        for (let i = 0; i < 200; i++) {
          await store.transact(write(put('k', String(i))));
          expect(text(await store.get(bytes('k')))).toBe(String(i));
          const page = await store.range({ limit: 5, also: [bytes('k')] });
          expect(text(page.entries[0]!.value)).toBe(String(i));
          expect(text(page.also[0])).toBe(String(i));
        }
      });

      it('comes to the same whether the guess was right, wrong, or not made', async () => {
        const store = await newStore();
        const append = (letter: string, guess?: string) =>
          store.transact({
            reads: [bytes('k'), bytes('other')],
            ...(guess !== undefined && { guess: [guess === '' ? undefined : bytes(guess), undefined] }),
            decide: ({ values: [found] }) => {
              const next = `${text(found) ?? ''}${letter}`;
              return { result: next, mutations: [put('k', next)] };
            },
          });
        expect(await append('a', '')).toBe('a');
        expect(await append('b', '')).toBe('ab');
        expect(await append('c', 'ab')).toBe('abc');
        expect(await append('d', 'xyz')).toBe('abcd');
        expect(await append('e')).toBe('abcde');
      });
    });

    describe('ranges', () => {
      it('end where they should, in both directions, with every bound', async () => {
        const store = await newStore();
        const keys = ['a', 'a\0', 'ab', 'b', 'b\xff', 'c', '\u00ff'].map(bytes);
        await store.transact(write(...keys.map((key): Mutation => ({ kind: 'put', key, value: key }))));
        const bounds = [
          undefined,
          ...keys,
          ...keys.map(keyAfter),
          ...keys.map((key) => prefixEnd(key)!),
          bytes('0'),
        ];
        const sorted = keys.toSorted(Buffer.compare);
        for (const from of bounds)
          for (const to of bounds)
            for (const reverse of [false, true]) {
              const inside = sorted.filter(
                (key) =>
                  (from === undefined || Buffer.compare(key, from) >= 0) &&
                  (to === undefined || Buffer.compare(key, to) < 0),
              );
              const expected = reverse ? inside.toReversed() : inside;
              const page = await store.range({
                ...(from && { from }),
                ...(to && { to }),
                reverse,
                limit: 100,
              });
              expect(page.entries.map((entry) => hex(entry.key))).toEqual(expected.map(hex));
              expect(page.entries.map((entry) => hex(entry.value))).toEqual(expected.map(hex));
              expect(page.more).toBe(false);
            }
      });

      it('stop at the limit and at the byte budget, and say whether there is more', async () => {
        const store = await newStore();
        await store.transact(write(...[1, 2, 3, 4, 5].map((i) => put(`k${i}`, 'x'.repeat(98)))));
        const keysOf = async (request: { limit: number; maxBytes?: number; reverse?: boolean }) => {
          const page = await store.range(request);
          return { keys: page.entries.map((entry) => text(entry.key)).join(' '), more: page.more };
        };
        expect(await keysOf({ limit: 2 })).toEqual({ keys: 'k1 k2', more: true });
        expect(await keysOf({ limit: 5 })).toMatchObject({ keys: 'k1 k2 k3 k4 k5' });
        expect(await keysOf({ limit: 6 })).toEqual({ keys: 'k1 k2 k3 k4 k5', more: false });
        expect(await keysOf({ limit: 10, maxBytes: 1 })).toEqual({ keys: 'k1', more: true });
        expect(await keysOf({ limit: 10, maxBytes: 100 })).toEqual({ keys: 'k1', more: true });
        expect(await keysOf({ limit: 10, maxBytes: 101 })).toEqual({ keys: 'k1 k2', more: true });
        expect(await keysOf({ limit: 2, reverse: true })).toEqual({ keys: 'k5 k4', more: true });
      });

      it('page through without skipping or repeating', async () => {
        const store = await newStore();
        const all = Array.from({ length: 257 }, (_, i) => numberedKey('k', i));
        await store.transact(write(...all.map((key): Mutation => ({ kind: 'put', key, value: key }))));
        const seen: string[] = [];
        for (let from: Bytes | undefined = bytes('k'); from !== undefined; ) {
          const page = await store.range({ from, limit: 10 });
          seen.push(...page.entries.map((entry) => text(entry.key)!));
          from = page.more ? keyAfter(page.entries.at(-1)!.key) : undefined;
        }
        expect(seen).toEqual(all.map(text));
      });
    });

    describe('isolation', () => {
      it('loses no update when many transacts change the same keys', async () => {
        const store = await newStore();
        const keys = ['x', 'y', 'z'].map(bytes);
        const increments = Array.from({ length: rounds(150) }, (_, i) => increment(keys[i % 3]!));
        await Promise.all(increments.map((unit) => store.transact(unit)));
        const values = (await store.getMany(keys)).map((value) => Number(text(value)));
        expect(values).toEqual(keys.map((_, k) => increments.filter((_, i) => i % 3 === k).length));
      });

      const bankSeeds = testSeeds(`${name} bank`);
      it.each(bankSeeds)(
        'keeps the total of transfers between accounts at every moment, %i',
        async (seed) => {
          await checkBank(await newStore(), {
            accounts: 8,
            clients: 8,
            transfers: rounds(25),
            seed,
          });
        },
      );

      it('allows no write skew, on keys that are there and on keys that are not', async () => {
        await checkWriteSkew(await newStore(), rounds(20));
      });

      it('commits nothing on older settings once new ones are committed', async () => {
        const store = await newStore();
        const settings = bytes('settings');
        const keys = ['a', 'b', 'c', 'd'].map(bytes);
        const settingIn = (value: Uint8Array | undefined) => Number((text(value) ?? '0').split(' ')[0]);
        // A store that answers at once must let the others have their turns.
        const turn = () => new Promise((resolve) => setImmediate(resolve));
        let isOver = false;
        const write = async (key: Uint8Array) => {
          for (let i = 0; !isOver; i++) {
            await turn();
            await store.transact({
              reads: [settings, key],
              settings: 1,
              decide: ({ values: [found] }) => ({
                result: undefined,
                mutations: [{ kind: 'put', key, value: bytes(`${settingIn(found)} ${i}`) }],
              }),
            });
          }
        };
        const writers = keys.map(write);
        const change = async (setting: number) => {
          await store.transact({
            reads: [settings],
            decide: () => ({
              result: undefined,
              mutations: [{ kind: 'put', key: settings, value: bytes(String(setting)) }],
              changesSettings: true,
            }),
          });
          const before = await store.getMany(keys);
          for (let i = 0; i < 5; i++) await turn();
          const after = await store.getMany(keys);
          for (const [i, value] of after.entries())
            if (text(value) !== text(before[i])) expect(settingIn(value)).toBe(setting);
        };
        for (let setting = 1; setting <= rounds(10); setting++) await change(setting);
        isOver = true;
        await Promise.all(writers);
      });

      it('runs units of one call each on its own', async () => {
        const store = await newStore();
        const failing: Unit<string> = {
          reads: [bytes('a')],
          decide: () => {
            throw new Error('a bug');
          },
        };
        const outcomes = await store.transactMany<string>([
          { reads: [], decide: () => ({ result: 'first', mutations: [put('a', '1')] }) },
          failing,
          {
            reads: [bytes('b')],
            decide: () => ({ result: 'third', mutations: [put('b', '2'), add('n', 1)] }),
          },
        ]);
        expect(outcomes).toMatchObject([
          { ok: true, result: 'first' },
          { ok: false },
          { ok: true, result: 'third' },
        ]);
        expect((await store.getMany(['a', 'b'].map(bytes))).map(text)).toEqual(['1', '2']);
        expect(await store.counters([bytes('n')])).toEqual([1]);
      });

      it('runs units of one call on the same key one after another', async () => {
        const store = await newStore();
        const outcomes = await store.transactMany(Array.from({ length: 20 }, () => increment(bytes('k'))));
        expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
        expect(text(await store.get(bytes('k')))).toBe('20');
        expect(await store.transactMany([])).toEqual([]);
      });

      it.each(testSeeds(`${name} model`))(
        'agrees with a simple model over random operations, %i',
        async (seed) => {
          for (let round = 0; round < rounds(3); round++)
            await compareWithModel(await newStore(), seed + round, 120);
        },
      );
    });

    describe('counters', () => {
      it.each(testSeeds(`${name} counters`))('are exact under contention, %i', async (seed) => {
        const store = await newStore();
        const random = seededRandom(seed);
        let [hot, cold] = [0, 0];
        const units = Array.from({ length: rounds(200) }, (_, i) => {
          const delta = random.below(2001) - 1000;
          hot += delta;
          if (i % 10 === 0) cold -= 3;
          return write(add('hot', delta), ...(i % 10 === 0 ? [add('cold', -3)] : []), put(`k${i}`, 'x'));
        });
        await Promise.all(units.map((unit) => store.transact(unit)));
        expect(await store.counters(['hot', 'cold', 'never'].map(bytes))).toEqual([hot, cold, 0]);
      });

      it('can bound what is added to them', async () => {
        const store = await newStore();
        const addUpTo = (most: number): Unit<boolean> => ({
          reads: [],
          counters: [bytes('n')],
          decide: ({ counters: [sum] }) =>
            sum! + 1 > most ? { result: false, mutations: [] } : { result: true, mutations: [add('n', 1)] },
        });
        const results = await Promise.all(Array.from({ length: 40 }, () => store.transact(addUpTo(25))));
        expect(results.filter(Boolean).length).toBe(25);
        expect(await store.counters([bytes('n')])).toEqual([25]);
      });
    });

    describe('the change log', () => {
      it('gives every record to a follower once and in order, also those whose commit was in flight', async () => {
        const place = await newPlace();
        const store = await openAt(place);
        const clients = 8;
        const perClient = rounds(25, 10);
        const follower = followUntil(store, bytes('bucket'), clients * perClient * 2);
        await Promise.all(
          Array.from({ length: clients }, async (_, client) => {
            for (let i = 0; i < perClient; i++) {
              if (client === 0 && i === Math.floor(perClient / 2)) place.setClockBack?.(3600);
              await store.transact(appendTwo(`item${(client + i) % 5}`));
            }
          }),
        );
        const records = (await follower).map(({ record }) => text(record)!);
        expect(new Set(records).size).toBe(clients * perClient * 2);
        for (let item = 0; item < 5; item++) {
          const own = records.filter((record) => record.startsWith(`item${item}:`));
          const expected = Array.from({ length: own.length / 2 }, (_, v) => [
            `${v + 1}a`,
            `${v + 1}b`,
          ]).flat();
          expect(own).toEqual(expected.map((version) => `item${item}:${version}`));
        }
      });

      it('keeps buckets apart, continues after a position, and reuses none after trimming', async () => {
        const store = await newStore();
        for (const bucket of ['b', 'bb', 'b'])
          await store.transact(write(put('k', bucket), append(bucket, 'k', `in ${bucket}`)));
        expect(await logOf(store, 'b', 0)).toEqual(['1 in b', '2 in b']);
        expect(await logOf(store, 'bb', 0)).toEqual(['1 in bb']);
        expect(await logOf(store, 'b', 1)).toEqual(['2 in b']);
        expect(await logOf(store, 'b', 0, 1)).toEqual(['1 in b']);
        expect(await logOf(store, 'nobody', 0)).toEqual([]);
        await store.trimLog(bytes('b'), 2);
        await store.transact(write(put('k', 'again'), append('b', 'k', 'after')));
        expect(await logOf(store, 'b', 0)).toEqual(['3 after']);
        expect(await logOf(store, 'bb', 0)).toEqual(['1 in bb']);
      });

      it('tells the end of a bucket, also of one whose records were trimmed', async () => {
        const store = await newStore();
        expect(await store.logEnd(bytes('b'))).toBe(0);
        for (const record of ['one', 'two', 'three'])
          await store.transact(write(put('k', record), append('b', 'k', record)));
        expect(await store.logEnd(bytes('b'))).toBe(3);
        expect(await logOf(store, 'b', 2)).toEqual(['3 three']);
        await store.trimLog(bytes('b'), 3);
        expect(await store.logEnd(bytes('b'))).toBe(3);
        expect(await store.logEnd(bytes('bb'))).toBe(0);
        await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            store.transact(write(put(`k${i}`, 'x'), append('b', `k${i}`, 'x'))),
          ),
        );
        expect(await store.logEnd(bytes('b'))).toBe(23);
        expect(await logOf(store, 'b', 3, 1)).toEqual(['4 x']);
      });

      it('keeps the order of an item that is deleted and made again while the clock is set back', async () => {
        const place = await newPlace();
        const store = await openAt(place);
        for (let i = 0; i < 20; i++) {
          await store.transact(
            write(i % 2 === 0 ? put('k', String(i)) : remove('k'), append('b', 'k', `#${i}`)),
          );
          place.setClockBack?.(60);
        }
        expect(await logOf(store, 'b', 0, 100)).toEqual(
          Array.from({ length: 20 }, (_, i) => `${i + 1} #${i}`),
        );
      });
    });

    describe('snapshots', () => {
      it('stand still while others write', async () => {
        const store = await newStore();
        await store.transact(write(put('a', '1'), put('b', '1'), add('n', 1)));
        const snapshot = await store.snapshot();
        await store.transact(write(put('a', '2'), remove('b'), put('c', '2'), add('n', 1)));
        expect((await snapshot.getMany(['a', 'b', 'c'].map(bytes))).map(text)).toEqual(['1', '1', undefined]);
        expect(text(await snapshot.get(bytes('a')))).toBe('1');
        expect(await snapshot.counters([bytes('n')])).toEqual([1]);
        const page = await snapshot.range({ limit: 10, also: [bytes('c')] });
        expect(page.entries.map((entry) => text(entry.key))).toEqual(['a', 'b']);
        expect(page.also).toEqual([undefined]);
        const reversed = await snapshot.range({ limit: 1, reverse: true });
        expect(text(reversed.entries[0]!.key)).toBe('b');
        await snapshot.close();
        await snapshot.close();
        expect(text(await store.get(bytes('a')))).toBe('2');
        await expect((async () => snapshot.get(bytes('a')))()).rejects.toMatchObject({ trouble: 'closed' });
      });
    });

    describe('range deletes', () => {
      it('delete exactly the range, values and counters', async () => {
        const store = await newStore();
        await store.transact(write(...['a', 'b1', 'b2', 'c'].flatMap((key) => [put(key, key), add(key, 1)])));
        expect(await store.deleteRange(bytes('b'), bytes('c'))).toBe(2);
        const page = await store.range({ limit: 10 });
        expect(page.entries.map((entry) => text(entry.key))).toEqual(['a', 'c']);
        expect(await store.counters(['a', 'b1', 'b2', 'c'].map(bytes))).toEqual([1, 0, 0, 1]);
        expect(await store.deleteRange(bytes('b'), bytes('c'))).toBe(0);
      });

      it('of very many keys let other writers through, stop when told, and finish when made again', async () => {
        const place = await newPlace();
        const store = await openAt(place);
        await load(store, place.manyKeys);
        const whole: [Bytes, Bytes] = [bytes('k'), bytes('l')];
        const controller = new AbortController();
        const deleting = (async () => store.deleteRange(...whole, { signal: controller.signal }))();
        deleting.catch(() => {});
        let between = 0;
        for (; between < 3; between++) {
          await new Promise((resolve) => setImmediate(resolve));
          await store.transact(write(put('other', String(between))));
        }
        controller.abort(new Error('told to stop'));
        await expect(deleting).rejects.toThrow('told to stop');
        const left = await store.range({ from: whole[0], to: whole[1], limit: 1 });
        expect(left.entries.length).toBe(1);
        const rest = await store.deleteRange(...whole);
        expect(rest).toBeGreaterThan(0);
        expect(rest).toBeLessThanOrEqual(place.manyKeys);
        expect((await store.range({ limit: 5 })).entries.map((entry) => text(entry.key))).toEqual(['other']);
      });
    });

    describe('the end of a store', () => {
      it('refuses calls after close, and closing twice is closing once', async () => {
        const store = await newStore();
        await store.transact(write(put('a', '1')));
        await Promise.all([store.close(), store.close()]);
        await store.close();
        for (const call of [
          async () => store.get(bytes('a')),
          async () => store.getMany([bytes('a')]),
          async () => store.range({ limit: 1 }),
          async () => store.transact(write(put('a', '2'))),
          async () => store.transactMany([write(put('a', '2'))]),
          async () => store.deleteRange(bytes('a'), bytes('b')),
          async () => store.readLog(bytes('b'), 0, 1),
          async () => store.logEnd(bytes('b')),
          async () => store.snapshot(),
        ])
          await expect(call()).rejects.toMatchObject({ name: 'StoreError', trouble: 'closed' });
      });

      it('gives work in flight its true outcome', async () => {
        const place = await newPlace();
        const store = await openAt(place);
        const writes = Array.from({ length: 50 }, (_, i) =>
          (async () => store.transact(write(put(`k${i}`, 'x'))))(),
        );
        const closed = store.close();
        const outcomes = await Promise.allSettled(writes);
        await closed;
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreError);
        if (!place.keeps) return;
        const again = await openAt(place);
        const found = await again.getMany(outcomes.map((_, i) => bytes(`k${i}`)));
        expect(found.map((value) => value !== undefined)).toEqual(
          outcomes.map(({ status }) => status === 'fulfilled'),
        );
      });

      it('keeps values, counters and log positions for the next time', async () => {
        const place = await newPlace();
        if (!place.keeps) return;
        const store = await openAt(place);
        await store.transact(write(put('a', '1'), add('n', 7), append('b', 'a', 'one')));
        await store.close();
        const again = await openAt(place);
        expect(text(await again.get(bytes('a')))).toBe('1');
        expect(await again.counters([bytes('n')])).toEqual([7]);
        await again.transact(write(put('a', '2'), add('n', 1), append('b', 'a', 'two')));
        expect(await again.counters([bytes('n')])).toEqual([8]);
        expect(await logOf(again, 'b', 0)).toEqual(['1 one', '2 two']);
      });

      it('writes nothing for a call that was aborted before it began', async () => {
        const store = await newStore();
        const reason = new Error('no longer wanted');
        const signal = AbortSignal.abort(reason);
        await expect((async () => store.transact(write(put('a', '1')), { signal }))()).rejects.toBe(reason);
        const outcomes = await store.transactMany([write(put('a', '1'))], { signal });
        expect(outcomes).toEqual([{ ok: false, error: reason }]);
        expect(await store.get(bytes('a'))).toBeUndefined();
      });
    });
  });
}

function put(key: string, value: string): Mutation {
  return { kind: 'put', key: bytes(key), value: bytes(value) };
}

function remove(key: string): Mutation {
  return { kind: 'delete', key: bytes(key) };
}

function add(counter: string, delta: number): Mutation {
  return { kind: 'add', counter: bytes(counter), delta };
}

function append(bucket: string, of: string, record: string): Mutation {
  return { kind: 'append', bucket: bytes(bucket), of: bytes(of), record: bytes(record) };
}

function write(...mutations: Mutation[]): Unit<undefined> {
  return { reads: [], decide: () => ({ result: undefined, mutations }) };
}

function increment(key: Bytes): Unit<number> {
  return {
    reads: [key],
    decide: ({ values: [found] }) => {
      const next = Number(text(found) ?? 0) + 1;
      return { result: next, mutations: [{ kind: 'put', key, value: bytes(String(next)) }] };
    },
  };
}

/** Raises an item's version and logs it twice, as a transaction on two indexes of one bucket might. */
function appendTwo(item: string): Unit<undefined> {
  return {
    reads: [bytes(item)],
    decide: ({ values: [found] }) => {
      const version = Number(text(found) ?? 0) + 1;
      return {
        result: undefined,
        mutations: [
          put(item, String(version)),
          append('bucket', item, `${item}:${version}a`),
          append('bucket', item, `${item}:${version}b`),
        ],
      };
    },
  };
}

async function logOf(store: Store, bucket: string, after: number, limit = 10): Promise<string[]> {
  const records = await store.readLog(bytes(bucket), after, limit);
  return records.map(({ position, record }) => `${position} ${text(record)}`);
}

async function load(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1_000) {
    const keys = Array.from({ length: Math.min(1_000, count - i) }, (_, j) => numberedKey('k', i + j));
    await store.transact(write(...keys.map((key): Mutation => ({ kind: 'put', key, value: key }))));
  }
}

function hex(value: Bytes): string {
  return Buffer.from(value).toString('hex');
}
