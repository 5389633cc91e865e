// Opens an lmdb store, says so with its process id, and holds it until it is killed.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';

await openLmdbStore({ directory: process.argv[2]!, shared: process.argv[3] === 'shared' });
console.log(`open ${process.pid}`);
setInterval(() => {}, 60_000);
