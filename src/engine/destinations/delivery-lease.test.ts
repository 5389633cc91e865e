import { expect, it } from 'vitest';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { decodeReader, encodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { deliveryLease } from './delivery-lease.ts';

const key = Uint8Array.of(9, 1);
const note: ReaderNote = {
  account: '000000000000',
  region: 'us-east-1',
  tableName: 'orders',
  name: 'kinesis-1',
  positions: [1, 2, 3, 4],
  seenAt: 5,
  retainMs: 6,
};

/** A store that others may write to as well, a clock, and processes that ask for the lease. */
function sharedDeps(isNoted = true) {
  const memory = new MemoryStore();
  void memory.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: isNoted ? [{ kind: 'put', key, value: encodeReader(note) }] : [],
    }),
  });
  const store = new Proxy(memory, {
    get: (target, name) => {
      if (name === 'exclusive') return false;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as Store;
  const deps = {
    now: 1_000_000,
    pauses: 0,
    stopwatchMs: 0,
    noted: () => decodeReader(memory.get(key)!, key),
    lease: (holder: string, pause = async () => {}) => {
      const off = new AbortController();
      const lease = deliveryLease({
        ...{ store, holder, key, signal: off.signal },
        nowMs: () => deps.now,
        stopwatchMs: () => deps.stopwatchMs,
        pause: async (ms) => {
          deps.pauses++;
          deps.stopwatchMs += ms;
          await pause();
        },
      });
      return { lease, off };
    },
  };
  return deps;
}

const ignore = () => {};

it('is held by one at a time, until it is released', async () => {
  const deps = sharedDeps();
  const first = deps.lease('first');
  expect(await first.lease.take(ignore)).toBe(true);
  let waits = 0;
  const second = deps.lease('second', async () => {
    if (++waits === 3) await first.lease.release();
  });
  expect(await second.lease.take(ignore)).toBe(true);
  expect(waits).toBe(3);
  deps.now += 20_000;
  expect(await first.lease.isHeld()).toBe(false);
  expect(await second.lease.isHeld()).toBe(true);
  expect(deps.noted()).toEqual({ ...note, lease: { holder: 'second', untilMs: deps.now + 30_000 } });
  await first.lease.release();
  expect(deps.noted().lease?.holder).toBe('second');
});

it('of a process that was killed ends by the clock, or when nobody renews it', async () => {
  const deps = sharedDeps();
  await deps.lease('killed').lease.take(ignore);
  deps.now += 30_000;
  expect(await deps.lease('second').lease.take(ignore)).toBe(true);
  expect(deps.pauses).toBe(0);
  // The clock stands still: half a minute of waiting is enough.
  expect(await deps.lease('third').lease.take(ignore)).toBe(true);
  expect(deps.pauses).toBe(60);
});

it('is not waited for when the reader is gone, or when told to stop', async () => {
  const deps = sharedDeps();
  await deps.lease('first').lease.take(ignore);
  const { lease, off } = deps.lease('second', async () => off.abort());
  expect(await lease.take(ignore)).toBe(false);
  const empty = sharedDeps(false);
  expect(await empty.lease('any').lease.take(ignore)).toBe(false);
});
