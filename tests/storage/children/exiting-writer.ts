// Begins a write to a shared lmdb store and ends in the way it is told.
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { bytes } from '../bytes.ts';
import { say } from './say.ts';

const [directory, ending] = process.argv.slice(2);
const store = await openLmdbStore({ directory: directory!, shared: true });
const put = (key: string) =>
  store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: [{ kind: 'put', key: bytes(key), value: bytes('value') }],
    }),
  });
await put('answered');
// The commit before is over in every respect, so that the next one is asked for at once.
await new Promise((resolve) => setImmediate(resolve));
process.on('exit', (code) => say(`exit ${code}`));
void put('unanswered');
switch (ending) {
  case 'exit in the turn of the write':
    process.exit(3);
    break;
  case 'exit while the writer waits':
    setImmediate(() => process.exit(3));
    break;
  case 'throw while the writer waits':
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    break;
  case 'exit for an error while the writer waits':
    process.on('uncaughtException', (error) => {
      console.error(`handled: ${error.message}`);
      process.exit(3);
    });
    setImmediate(() => {
      throw new Error('somebody catches this');
    });
    break;
}
