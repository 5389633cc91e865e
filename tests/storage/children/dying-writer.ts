// Writes to a shared lmdb store and is killed as a process is that dies while its commit is being synced: the meta page is
// in the file, and the number of the latest transaction, by which readers go, is not yet set.
import { openSync, readSync, writeSync } from 'node:fs';
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { bytes } from '../bytes.ts';
import { say } from './say.ts';

const directory = process.argv[2]!;
const store = await openLmdbStore({ directory, shared: true });

// Where LMDB's lock file has the number (u64): after its magic number and its format.
const numberAt = 8;
// It stays open: closing a file ends LMDB's locks on it.
const lockFile = openSync(`${directory}/stator.mdb-lock`, 'r+');
const before = Buffer.alloc(8);
process.once('SIGUSR2', async () => {
  readSync(lockFile, before, 0, 8, numberAt);
  await store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: [{ kind: 'put', key: bytes('late'), value: bytes('here') }],
    }),
  });
  void store.transact({
    reads: [],
    // Here this process holds the writer's lock.
    decide: () => {
      writeSync(lockFile, before, 0, 8, numberAt);
      process.kill(process.pid, 'SIGKILL');
      return { result: undefined, mutations: [] };
    },
  });
});
setInterval(() => {}, 60_000);
say('open');
