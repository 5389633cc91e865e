import { testDatabase } from '../../../src/testing/index.ts';
import { orderKey, ordersTable } from '../orders-table.ts';

/**
 * Makes a thousand forks, writes to each, closes none, and prints how many are left when memory was reclaimed. In each
 * something will expire in an hour, for which a timer waits.
 */

const forks = 1_000;
const gc = globalThis.gc!;
const expires = { N: String(Math.floor(Date.now() / 1000) + 3_600) };

const base = await testDatabase({
  tables: ordersTable,
  setup: async ({ db }) => {
    await db.updateTimeToLive({
      TableName: 'orders',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    for (let order = 0; order < 2_000; order++) {
      await db.putItem({
        TableName: 'orders',
        Item: { ...orderKey('ada', order), text: { S: 'x'.repeat(200) } },
      });
    }
  },
});
gc();
const before = process.memoryUsage().heapUsed;
const left: WeakRef<object>[] = [];
for (let i = 0; i < forks; i++) {
  const fork = base.fork();
  fork.client();
  await fork.putItem({ TableName: 'orders', Item: { ...orderKey('fork', i), expires } });
  left.push(new WeakRef(fork));
}
// What a turn of the event loop has looked at through a WeakRef stays alive until its end.
for (let turn = 0; turn < 5; turn++) {
  await new Promise((resolve) => setImmediate(resolve));
  gc();
}
const alive = left.filter((reference) => reference.deref() !== undefined).length;
const grownBytes = process.memoryUsage().heapUsed - before;
console.log(JSON.stringify({ alive, grownBytes }));
