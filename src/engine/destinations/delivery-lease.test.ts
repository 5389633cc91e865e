import { expect, it } from 'vitest';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { decodeReader, encodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { DeliveryLease } from './delivery-lease.ts';

const key = Uint8Array.of(9, 1);
const note: ReaderNote = {
  format: 1,
  account: '000000000000',
  region: 'us-east-1',
  tableName: 'orders',
  name: 'kinesis-1',
  positions: [1, 2, 3, 4],
  seenAt: 5,
  retainMs: 6,
};

/** A store that others may write to as well, a clock, and processes that ask for the lease. */
function sharedDesk(isNoted = true) {
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
  const desk = {
    now: 1_000_000,
    pauses: 0,
    noted: () => decodeReader(memory.get(key)!),
    lease: (holder: string, pause = async () => {}) => {
      const off = new AbortController();
      const lease = new DeliveryLease({
        ...{ store, holder, key, signal: off.signal },
        nowMs: () => desk.now,
        pause: async () => {
          desk.pauses++;
          await pause();
        },
      });
      return { lease, off };
    },
  };
  return desk;
}

const ignore = () => {};

it('is held by one at a time, until it is released', async () => {
  const desk = sharedDesk();
  const first = desk.lease('first');
  expect(await first.lease.take(ignore)).toBe(true);
  let waits = 0;
  const second = desk.lease('second', async () => {
    if (++waits === 3) await first.lease.release();
  });
  expect(await second.lease.take(ignore)).toBe(true);
  expect(waits).toBe(3);
  desk.now += 20_000;
  expect(await first.lease.isHeld()).toBe(false);
  expect(await second.lease.isHeld()).toBe(true);
  expect(desk.noted()).toEqual({ ...note, lease: { holder: 'second', untilMs: desk.now + 30_000 } });
  await first.lease.release();
  expect(desk.noted().lease?.holder).toBe('second');
});

it('of a process that was killed ends by the clock, or when nobody renews it', async () => {
  const desk = sharedDesk();
  await desk.lease('killed').lease.take(ignore);
  desk.now += 30_000;
  expect(await desk.lease('second').lease.take(ignore)).toBe(true);
  expect(desk.pauses).toBe(0);
  // The clock stands still: half a minute of waiting is enough.
  expect(await desk.lease('third').lease.take(ignore)).toBe(true);
  expect(desk.pauses).toBe(60);
});

it('is not waited for when the reader is gone, or when told to stop', async () => {
  const desk = sharedDesk();
  await desk.lease('first').lease.take(ignore);
  const { lease, off } = desk.lease('second', async () => off.abort());
  expect(await lease.take(ignore)).toBe(false);
  const empty = sharedDesk(false);
  expect(await empty.lease('any').lease.take(ignore)).toBe(false);
});
