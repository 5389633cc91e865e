// Deletes a range of an lmdb store and says so after every step it can see, until it is done or killed.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { bytes } from '../bytes.ts';
import { say } from './say.ts';

const store = await openLmdbStore({ directory: process.argv[2]! });
const deleting = store.deleteRange(bytes('k'), bytes('l'));
let over = false;
void Promise.resolve(deleting).then(() => {
  over = true;
});
let first = '';
while (!over) {
  const page = await store.range({ from: bytes('k'), to: bytes('l'), limit: 1 });
  const now = page.entries[0] === undefined ? '' : Buffer.from(page.entries[0].key).toString();
  if (now !== first) say(`from ${now}`);
  first = now;
  await new Promise((resolve) => setImmediate(resolve));
}
say('done');
await store.close();
