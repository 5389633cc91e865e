// Writes to an lmdb store until it is refused for want of room, checks what is there, and goes on when told (by
// SIGUSR2) that there is room again.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { checkLoad, nextVersion } from '../load.ts';

const store = await openLmdbStore({ directory: process.argv[2]! });
const acknowledged = [0, 0, 0, 0];

async function writeUntilRefused(client: number): Promise<StoreError> {
  try {
    for (;;) acknowledged[client] = await store.transact(nextVersion(client, 3_000));
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

const roomAgain = new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()));
const [refusal] = await Promise.all(acknowledged.map((_, client) => writeUntilRefused(client)));
console.log(`refused ${refusal!.trouble} ${refusal!.message}`);
await checkLoad(store, acknowledged, 0);
console.log('checked after the refusal');
const waiting = setInterval(() => {}, 60_000);
await roomAgain;
clearInterval(waiting);
for (let i = 0; i < 100; i++)
  for (const client of acknowledged.keys())
    acknowledged[client] = await store.transact(nextVersion(client, 3_000));
await checkLoad(store, acknowledged, 0);
console.log('went on and checked');
await store.close();
