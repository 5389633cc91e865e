// Grows an lmdb store to 64 MB, reading all of it after each step, and says how many maps of its file this process has.
import { readFileSync } from 'node:fs';
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { numberedKey } from '../bytes.ts';
import { say } from './say.ts';

const store = await openLmdbStore({ directory: process.argv[2]!, durability: 'relaxed' });
const value = Buffer.alloc(1024 * 1024, 7);
for (let step = 0; step < 64; step++) {
  await store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [{ kind: 'put', key: numberedKey('v', step), value }] }),
  });
  await store.range({ limit: 100, maxBytes: 100 * value.length });
}
const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
say(`maps ${maps.filter((line) => line.endsWith('stator.mdb')).length}`);
await store.close();
