import { expect } from 'vitest';
import type { Mutation, Store } from '../../src/storage/store.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { bytes, text } from './bytes.ts';

/** The Store as simply as it can be said: an object of strings, searched and sorted in full every time. */
class NaiveStore {
  values = new Map<string, string>();
  counters = new Map<string, number>();
  log: { bucket: string; position: number; record: string }[] = [];
  heads = new Map<string, number>();

  apply(mutation: Mutation): void {
    if (mutation.kind === 'put') this.values.set(text(mutation.key)!, text(mutation.value)!);
    else if (mutation.kind === 'delete') this.values.delete(text(mutation.key)!);
    else if (mutation.kind === 'add') {
      const counter = text(mutation.counter)!;
      this.counters.set(counter, (this.counters.get(counter) ?? 0) + mutation.delta);
    } else {
      const bucket = text(mutation.bucket)!;
      const position = (this.heads.get(bucket) ?? 0) + 1;
      this.heads.set(bucket, position);
      this.log.push({ bucket, position, record: text(mutation.record)! });
    }
  }

  range(from: string | undefined, to: string | undefined, reverse: boolean): [string, string][] {
    const inside = [...this.values]
      .filter(([key]) => (from === undefined || key >= from) && (to === undefined || key < to))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return reverse ? inside.reverse() : inside;
  }

  deleteRange(from: string, to: string): number {
    const keys = this.range(from, to, false).map(([key]) => key);
    for (const key of keys) this.values.delete(key);
    for (const key of [...this.counters.keys()]) if (key >= from && key < to) this.counters.delete(key);
    return keys.length;
  }
}

/** Does the same random things to a store and to the naive one, and compares all there is to see after each. */
export async function compareWithModel(store: Store, seed: number, steps: number): Promise<void> {
  const random = seededRandom(seed);
  const naive = new NaiveStore();
  for (let step = 0; step < steps; step++) {
    if (random.chance(0.08)) {
      const [from, to] = [key(random), key(random)].sort() as [string, string];
      expect(await store.deleteRange(bytes(from), bytes(to))).toBe(naive.deleteRange(from, to));
    } else if (random.chance(0.05)) {
      const through = random.below(5);
      await store.trimLog(bytes('b'), through);
      naive.log = naive.log.filter(({ bucket, position }) => bucket !== 'b' || position > through);
    } else {
      const mutations = mutationsFor(random, step);
      const reads = [key(random), 'zz'];
      const found = await store.transact({
        reads: reads.map(bytes),
        ...(random.chance(0.5) && {
          guess: reads.map((read) =>
            random.chance(0.5) && naive.values.has(read) ? bytes(naive.values.get(read)!) : undefined,
          ),
        }),
        decide: ({ values }) => ({ result: values.map(text), mutations }),
      });
      expect(found).toEqual(reads.map((read) => naive.values.get(read)));
      for (const mutation of mutations) naive.apply(mutation);
    }
    await compare(store, naive, random);
  }
}

async function compare(store: Store, naive: NaiveStore, random: SeededRandom): Promise<void> {
  const from = random.chance(0.3) ? undefined : key(random);
  const to = random.chance(0.3) ? undefined : key(random);
  const reverse = random.chance(0.5);
  const limit = 1 + random.below(12);
  const expected = naive.range(from, to, reverse);
  const page = await store.range({
    ...(from !== undefined && { from: bytes(from) }),
    ...(to !== undefined && { to: bytes(to) }),
    reverse,
    limit,
    also: [bytes('a1')],
  });
  expect(page.entries.map((entry) => [text(entry.key), text(entry.value)])).toEqual(expected.slice(0, limit));
  if (expected.length > limit) expect(page.more).toBe(true);
  if (expected.length < limit) expect(page.more).toBe(false);
  expect(text(page.also[0])).toBe(naive.values.get('a1'));
  const counters = ['a1', 'b2', 'c3'];
  expect(await store.counters(counters.map(bytes))).toEqual(
    counters.map((name) => naive.counters.get(name) ?? 0),
  );
  const log = await store.readLog(bytes('b'), 0, 1_000);
  expect(log.map(({ position, record }) => [position, text(record)])).toEqual(
    naive.log.filter(({ bucket }) => bucket === 'b').map(({ position, record }) => [position, record]),
  );
}

function mutationsFor(random: SeededRandom, step: number): Mutation[] {
  const keys = [...new Set(Array.from({ length: random.below(4) }, () => key(random)))];
  const mutations = keys.map(
    (name, i): Mutation =>
      random.chance(0.7)
        ? { kind: 'put', key: bytes(name), value: bytes(`${step}.${i}`) }
        : { kind: 'delete', key: bytes(name) },
  );
  for (const name of keys) {
    if (random.chance(0.3))
      mutations.push({ kind: 'add', counter: bytes(name), delta: random.below(20) - 10 });
    if (random.chance(0.3))
      mutations.push({
        kind: 'append',
        bucket: bytes(random.pick(['b', 'bb'])),
        of: bytes(name),
        record: bytes(`${step} ${name}`),
      });
  }
  return mutations;
}

function key(random: SeededRandom): string {
  return `${random.pick(['a', 'b', 'c'])}${random.below(12)}`;
}
