import { afterEach, expect, test } from 'vitest';
import type { Bytes, LogRecord, Store } from '../../src/storage/store.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { freshSchema, openTestStore } from './test-store.ts';
import { append, bytes, numberIn, put, remove, text, unit } from './units.ts';

const stores: Store[] = [];

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

/** Writes the next number under a key, tells the key's bucket, and now and then deletes in between. */
function change(key: string, bucket: string, last: Map<string, number>, deletes: boolean) {
  return unit([key, `${key}:count`], ({ values }) => {
    const next = numberIn(values[1]) + 1;
    const count = put(`${key}:count`, next);
    const records = [append(bucket, key, `${key} ${next}`), append(bucket, key, `${key} ${next} again`)];
    return {
      result: () => last.set(key, Math.max(next, last.get(key) ?? 0)),
      mutations: [deletes ? remove(key) : put(key, next), count, ...records],
    };
  });
}

/** Reads a bucket in small pages until the writers have ended and nothing more comes. */
async function follow(
  store: Store,
  bucket: Bytes,
  limit: number,
  ended: () => boolean,
): Promise<LogRecord[]> {
  const seen: LogRecord[] = [];
  for (;;) {
    const over = ended();
    const page = await store.readLog(bucket, seen.at(-1)?.position ?? 0, limit);
    seen.push(...page);
    if (over && page.length === 0) return seen;
  }
}

const seeds = testSeeds('postgres log order');
test.each(seeds)('followers see every record once and in order while clocks jump, %i', async (seed) => {
  const random = seededRandom(seed);
  const schema = freshSchema();
  const hourMicros = 3_600_000_000;
  for (let i = 0; i < 3; i++) {
    const nowMicros = () => Date.now() * 1_000 + (random.next() - 0.5) * hourMicros;
    stores.push(await openTestStore({ schema, nowMicros }));
  }
  const buckets = ['log 0', 'log 1'];
  const last = new Map<string, number>();
  let writing = true;
  const followers = buckets.flatMap((bucket) =>
    [1, 7, 100].map((limit, i) => follow(stores[i]!, bytes(bucket), limit, () => !writing)),
  );
  await Promise.all(
    Array.from({ length: 9 }, async (_, writer) => {
      for (let i = 0; i < rounds(40); i++) {
        const key = random.below(8);
        const bucket = buckets[key % 2]!;
        const done = await stores[writer % 3]!.transact(change(`k${key}`, bucket, last, random.chance(0.2)));
        done();
      }
    }),
  );
  writing = false;
  const logs = await Promise.all(followers);

  const told = new Map<string, string[]>();
  for (const [i, log] of logs.entries()) {
    const positions = log.map(({ position }) => position);
    expect(positions, 'positions have no gaps').toEqual(positions.map((_, at) => at + 1));
    expect(log, 'all followers of a bucket see the same').toEqual(logs[i - (i % 3)]);
  }
  for (const log of [logs[0]!, logs[3]!]) {
    for (const { record } of log) {
      const words = text(record)!.split(' ');
      told.set(words[0]!, [...(told.get(words[0]!) ?? []), words.slice(1).join(' ')]);
    }
  }
  for (const [key, count] of last) {
    const expected = Array.from({ length: count }, (_, i) => [`${i + 1}`, `${i + 1} again`]).flat();
    expect(told.get(key), key).toEqual(expected);
  }
});

test('a commit in flight is not passed by', async () => {
  const schema = freshSchema();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reached = () => {};
  const atSwap = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const slow = await openTestStore({
    schema,
    async onRoundTrip(statement) {
      if (!statement.startsWith('swap')) return;
      reached();
      await held;
    },
  });
  const fast = await openTestStore({ schema });
  stores.push(slow, fast);
  // The slow unit takes its version first and is committed last.
  const late = slow.transact(
    unit([], () => ({ result: 0, mutations: [put('a', 1), append('log', 'a', 'late')] })),
  );
  await atSwap;
  await fast.transact(unit([], () => ({ result: 0, mutations: [put('b', 1), append('log', 'b', 'early')] })));
  const first = await fast.readLog(bytes('log'), 0, 10);
  expect(first.map(({ record }) => text(record))).toEqual(['early']);
  release();
  await late;
  const second = await fast.readLog(bytes('log'), first.at(-1)!.position, 10);
  expect(second.map(({ position, record }) => [position, text(record)])).toEqual([[2, 'late']]);
});

test('a writer whose clock is behind, and who has not read the key, still comes after', async () => {
  const schema = freshSchema();
  const ahead = await openTestStore({ schema, nowMicros: () => 9e14 });
  const behind = await openTestStore({ schema, nowMicros: () => 1 });
  stores.push(ahead, behind);
  const tell = (record: string) =>
    unit([], () => ({ result: 0, mutations: [put('a', record), append('log', 'a', record)] }));
  await ahead.transact(tell('first'));
  await behind.transact(tell('second'));
  await ahead.transact(tell('third'));
  const records = await behind.readLog(bytes('log'), 0, 10);
  expect(records.map(({ record }) => text(record))).toEqual(['first', 'second', 'third']);
});
