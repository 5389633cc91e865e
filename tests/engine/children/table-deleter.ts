// Deletes a table of an lmdb store and tells how far the removal of its data has come, until it is killed.
import { writeSync } from 'node:fs';
import { Stator } from '../../../src/index.ts';

const [directory, tableName] = process.argv.slice(2) as [string, string];
const db = await Stator.open({ store: { directory } });
const { store } = db.engine;
const firstEntry = async () => {
  const page = await store.range({ from: Uint8Array.of(0x10), limit: 1 });
  return page.entries[0] === undefined ? '' : Buffer.from(page.entries[0].key).toString('hex');
};

const before = await firstEntry();
await db.deleteTable({ TableName: tableName });
writeSync(1, 'deleted\n');
while ((await firstEntry()) === before) await new Promise((resolve) => setImmediate(resolve));
writeSync(1, 'removing\n');
// Whatever kills this process does so while the data is being removed; there is nothing else to do.
setInterval(() => {}, 60_000);
