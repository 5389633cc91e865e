// Waits until an lmdb store is being compacted, opens it as soon as it is let in, writes one value, and closes it.
import { readdirSync } from 'node:fs';
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { bytes } from '../bytes.ts';
import { say } from './say.ts';

const [directory, key] = process.argv.slice(2);
// The copy, or the file that it became: before there is one, the compaction may not have the directory yet.
const files = () =>
  readdirSync(directory!)
    .filter((name) => /mdb(-part)?$/.test(name))
    .join();
const before = files();
say('ready');
while (files() === before);
let refusals = 0;
const store = await opened();
await store.transact({
  reads: [],
  decide: () => ({
    result: undefined,
    mutations: [{ kind: 'put', key: bytes(key!), value: bytes('value') }],
  }),
});
say(`wrote after ${refusals} refusals`);
await store.close();

async function opened(): Promise<Store> {
  for (;;) {
    try {
      return await openLmdbStore({ directory: directory! });
    } catch (error) {
      if (!(error instanceof StoreError) || error.trouble !== 'in-use') throw error;
      refusals++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
