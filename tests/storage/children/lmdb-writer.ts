// Writes to an lmdb store from several clients until it is killed. Each unit puts the same version under two keys,
// adds one to a counter and appends a log record; once acknowledged, it is printed. Whoever kills this process can
// then tell what must be there and what must not be there by halves.
import { writeSync } from 'node:fs';
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { bytes } from '../bytes.ts';
import { type LoadClient, nextVersion } from '../load.ts';

const [directory, clients, durability] = process.argv.slice(2) as [string, string, 'durable' | 'relaxed'];
const store = openLmdbStore({ directory, durability });

async function write(client: LoadClient): Promise<never> {
  for (;;) {
    const version = await store.transact(nextVersion(client));
    // A plain synchronous write, so that what was acknowledged has left this process before it goes on.
    writeSync(1, `${client} ${version}\n`);
  }
}

writeSync(1, `open ${(await store.counters([bytes('units')]))[0]}\n`);
await Promise.all(Array.from({ length: Number(clients) }, (_, i) => write(i)));
