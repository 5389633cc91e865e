import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import type { Bytes, RangePage, Store } from '../../src/storage/store.ts';
import { type Comparison, compare, type Result, type Settings } from '../compare.ts';
import { batchesOf, withClients } from './clients.ts';
import { hashOf, Items, type Write } from './items.ts';
import { RawLmdb } from './raw-lmdb.ts';
import { batchesToFill, conditionalPut, fill } from './units.ts';

/** The durable LMDB store beside the bare package, in two files of the same content on the same disk. */
export async function compareLmdb(count: number, settings: Settings): Promise<Result[]> {
  const directory = await mkdtemp(join(tmpdir(), 'stator-bench-'));
  const store = await openLmdbStore({ directory: join(directory, 'ours') });
  const raw = new RawLmdb(join(directory, 'raw.mdb'));
  try {
    const items = new Items(count, settings.seed);
    for (const batch of batchesToFill(items)) {
      await store.transact(fill(batch));
      await raw.fill(batch);
    }
    const results: Result[] = [];
    for (const comparison of reads(store, raw, items)) results.push(await compare(comparison, settings));
    for (const comparison of writes(store, raw, items)) results.push(await compare(comparison, settings));
    return results;
  } finally {
    await store.close();
    await raw.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Reads of an LMDB store are answered at once, which is what its callers make use of. */
function reads(store: Store, { db }: RawLmdb, items: Items): Comparison<Uint8Array[]>[] {
  const about = { store: 'lmdb', items: items.count, clients: 1 };
  const keys = (round: number, operations: number) => items.keys(operations, round);
  const get: Comparison<Uint8Array[]> = {
    ...about,
    operation: 'get',
    rate: 250_000,
    ratioMin: 0.7,
    prepare: keys,
    ours: (input) => {
      let hash = 0;
      for (const key of input) hash = (hash + hashOf(store.get(key) as Bytes)) | 0;
      return hash;
    },
    raw: (input) => {
      let hash = 0;
      for (const key of input) hash = (hash + hashOf(db.getBinary(key))) | 0;
      return hash;
    },
  };
  const getMany: Comparison<Uint8Array[]> = {
    ...about,
    operation: 'get, 100 in one call',
    rate: 250_000,
    perCall: 100,
    prepare: keys,
    ours: (input) => {
      let hash = 0;
      for (const batch of batchesOf(input, 100))
        for (const value of store.getMany(batch) as Bytes[]) hash = (hash + hashOf(value)) | 0;
      return hash;
    },
    raw: (input) => {
      let hash = 0;
      for (const batch of batchesOf(input, 100))
        for (const key of batch) hash = (hash + hashOf(db.getBinary(key))) | 0;
      return hash;
    },
  };
  const range = (limit: number, rate: number): Comparison<Uint8Array[]> => ({
    ...about,
    operation: `range of ${limit}`,
    rate,
    ratioMin: 0.7,
    prepare: keys,
    ours: (input) => {
      let hash = 0;
      for (const from of input)
        for (const entry of (store.range({ from, limit }) as RangePage).entries)
          hash = (hash + hashOf(entry.value) + entry.key.length) | 0;
      return hash;
    },
    raw: (input) => {
      let hash = 0;
      for (const start of input)
        for (const entry of db.getRange({ start, limit }))
          hash = (hash + hashOf(entry.value) + entry.key.length) | 0;
      return hash;
    },
  });
  return [get, getMany, range(10, 60_000), range(100, 8_000)];
}

function writes(store: Store, raw: RawLmdb, items: Items): Comparison<Write[]>[] {
  const about = { store: 'lmdb', items: items.count };
  const prepare = (round: number, operations: number) => items.writes(operations, round);
  const puts = (clients: number, rate: number): Comparison<Write[]> => ({
    ...about,
    operation: 'conditional put, durable',
    clients,
    rate,
    ...(clients === 64 && { ratioMin: 0.8 }),
    prepare,
    ours: (input) =>
      withClients(clients, input, (write) => store.transact(conditionalPut(write)) as Promise<number>),
    raw: (input) => withClients(clients, input, (write) => raw.conditionalPuts([write])),
  });
  const batches: Comparison<Write[]> = {
    ...about,
    operation: 'conditional put, durable, 25 in one call',
    clients: 4,
    rate: 15_000,
    perCall: 25,
    prepare,
    ours: (input) =>
      withClients(4, batchesOf(input, 25), async (batch) => {
        let hash = 0;
        for (const outcome of await store.transactMany(batch.map(conditionalPut)))
          if (outcome.ok) hash = (hash + outcome.result) | 0;
        return hash;
      }),
    raw: (input) => withClients(4, batchesOf(input, 25), (batch) => raw.conditionalPuts(batch)),
  };
  return [puts(1, 3_000), puts(16, 10_000), puts(64, 15_000), batches];
}
