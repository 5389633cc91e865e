import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import type { Bytes, Mutation, Unit } from '../../src/storage/store.ts';
import { bytes, text } from './bytes.ts';
import { newDirectory } from './directories.ts';

/** Units that share a commit run in order, and each sees what those before it did. */

const key = bytes('k');

/** Answers what it finds under the key, and writes. */
function unit(...mutations: Mutation[]): Unit<string | undefined> {
  return {
    reads: [key, bytes('other')],
    decide: ({ values }) => ({ result: text(values[0]), mutations }),
  };
}

const put = (at: Bytes, value: string): Mutation => ({ kind: 'put', key: at, value: bytes(value) });

it('shows a unit what those before it did to the key that all of them begin with', async () => {
  const directory = await newDirectory();
  const store = await openLmdbStore({ directory });
  try {
    const outcomes = await store.transactMany([
      unit(),
      unit(put(bytes('k'), 'of an equal key')),
      unit(put(key, 'of the same key')),
      unit(put(bytes('kk'), 'of another key')),
      unit({ kind: 'delete', key: bytes('k') }),
      unit(put(key, 'again')),
      unit(),
    ]);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.result : outcome.error))).toEqual([
      undefined,
      undefined,
      'of an equal key',
      'of the same key',
      'of the same key',
      undefined,
      'again',
    ]);
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
});

it('decides few units in one turn if they read or write large values', async () => {
  const directory = await newDirectory();
  const store = await openLmdbStore({ directory });
  try {
    let isDone = false;
    let [now, most] = [0, 0];
    const tick = () => {
      now = 0;
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    const large = new Uint8Array(1_000_000);
    const outcomes = await store.transactMany(
      Array.from({ length: 20 }, (_, i): Unit<undefined> => {
        const at = bytes(`k${i}`);
        return {
          reads: [at],
          decide() {
            most = Math.max(most, ++now);
            return { result: undefined, mutations: [{ kind: 'put', key: at, value: large }] };
          },
        };
      }),
    );
    isDone = true;
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(5);
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
});
