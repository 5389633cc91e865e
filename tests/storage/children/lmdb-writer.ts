// Writes to an lmdb store from several clients until it is killed. Each unit puts the same version under two keys,
// adds one to a counter and appends a log record; once acknowledged, it is printed. Whoever kills this process can
// then tell what must be there and what must not be there by halves.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { bytes } from '../bytes.ts';
import { type LoadClient, nextVersion } from '../load.ts';
import { say } from './say.ts';

const [directory, clients, durability] = process.argv.slice(2) as [string, string, 'durable' | 'relaxed'];
const store = await openLmdbStore({ directory, durability });

async function write(client: LoadClient): Promise<never> {
  for (;;) {
    const version = await store.transact(nextVersion(client));
    say(`${client} ${version}`);
  }
}

say(`open ${(await store.counters([bytes('units')]))[0]}`);
await Promise.all(Array.from({ length: Number(clients) }, (_, i) => write(i)));
