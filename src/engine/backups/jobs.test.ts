import { expect, it } from 'vitest';
import { FakeBackground } from '../../../tests/engine/fake-background.ts';
import { newHash16 } from '../../hash16.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { Clock } from '../../runtime/clock.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import { droppedKey, retiredKey } from '../store-keys.ts';
import { Catalogue } from '../tables/catalogue.ts';
import { newStoredTable } from '../tables/stored-table.fixture.ts';
import { decodeRecord, encodeRecord } from '../tables/table-record.ts';
import { Jobs } from './jobs.ts';

const dayMs = 86_400_000;
const storageId = '0123456789abcdef';

/** A dropped table with a reader that another process noted by its clock, before it wrote the reader's job. */
function readerWithoutJob(notedAt: number) {
  let ms = 1_000 * dayMs;
  const clock: Clock = { nowMicros: () => ms * 1000 };
  const background = new FakeBackground(clock);
  const store = new MemoryStore();
  // Older versions noted the time.
  const readers = [{ jobId: 'aa', period: 0, notedAt }];
  const value = encodeRecord({ ...decodeRecord(encodeUtf8(newStoredTable)), storageId, readers });
  void store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [{ kind: 'put', key: retiredKey(storageId), value }] }),
  });
  const catalogue = new Catalogue(store, clock);
  const deps = { store, catalogue, h16: newHash16(), begun: () => {}, expired: () => expect.unreachable() };
  const jobs = new Jobs(deps, background);
  return {
    /** When the reader would be let go, from now. */
    dueInMs: async () => (await jobs.tidyAtMs()) - ms,
    /** Tidies, and tells whether the reader is still there. */
    async isKept() {
      await jobs.tidy();
      const [retired, dropped] = [store.get(retiredKey(storageId)), store.get(droppedKey(storageId))];
      expect(retired === undefined).toBe(dropped !== undefined);
      return retired !== undefined;
    },
    setClock: (by: number) => {
      ms += by;
    },
    pass: (by: number) => {
      ms += by;
      background.realMs += by;
    },
  };
}

it.each([
  ['is right', 0],
  ['is a day ahead', dayMs],
  ['is a day behind', -dayMs],
])(
  'keeps a reader for the minute in which its job may come, if the clock of its process %s',
  async (_, by) => {
    const reader = readerWithoutJob(1_000 * dayMs + by);
    expect(await reader.dueInMs()).toBe(60_000);
    expect(await reader.isKept()).toBe(true);
    reader.pass(59_999);
    expect(await reader.isKept()).toBe(true);
    reader.pass(1);
    expect(await reader.dueInMs()).toBe(0);
    expect(await reader.isKept()).toBe(false);
  },
);

it.each([dayMs, -dayMs])('keeps a reader when the own clock is set by %d ms', async (by) => {
  const reader = readerWithoutJob(1_000 * dayMs);
  expect(await reader.isKept()).toBe(true);
  reader.setClock(by);
  expect(await reader.isKept()).toBe(true);
  reader.pass(60_000);
  expect(await reader.isKept()).toBe(false);
});
