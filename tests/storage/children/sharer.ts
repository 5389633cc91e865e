// One of several processes on one lmdb store: writes twenty versions, telling of each once it is acknowledged.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { nextVersion } from '../load.ts';
import { say } from './say.ts';

const store = await openLmdbStore({ directory: process.argv[2]!, shared: true });
for (let step = 1; step <= 20; step++) {
  await store.transact(nextVersion(Number(process.argv[3])));
  say(`wrote ${step}`);
}
await store.close();
