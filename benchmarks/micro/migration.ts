/** How close a backfill comes to the rate that it was allowed, and what an item costs it. In process, real time. */
import { compile, createTableRequests, planMigration } from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { Migration, sdkCalls } from '../../src/migrate/index.ts';
import { first, withCustomers } from '../../tests/migrate/tracking-models.ts';

const [items, rate] = [Number(process.argv[2] ?? 4_000), Number(process.argv[3] ?? 400)];
const plan = planMigration({ model: first }, { model: withCustomers });
const db = Stator.inMemory({ physics: 'off', seed: 1 });
for (const request of createTableRequests(first, plan.from.design)) await db.createTable(request as never);
const old = compile(first, plan.from.design);
for (let n = 0; n < items; n++) {
  const values = {
    shipmentId: `S${n}`,
    createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    ...{ customer: `C${n % 500}`, code: `K${n}`, status: 'OPEN', total: n % 1_000 },
  };
  await db.putItem({ TableName: 'tracking', Item: old.item('Shipment', values).item as never });
}
let last = { writeUnits: 0, seconds: 1, items: 0 };
const migration = new Migration(plan, {
  calls: sdkCalls(db.client() as never),
  surroundings: {
    now: () => performance.timeOrigin + performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
  },
  owner: 'benchmark',
  signal: new AbortController().signal,
  ...{ settleMs: 0, pollMs: 5, readRate: 1e6, writeRate: rate, segments: 4 },
  report: (event) => {
    if (event.kind === 'progress' && event.text.startsWith('backfill')) last = event.figures;
  },
});
await migration.up({ writersReady: true, until: 'dual-write' });
const cpu = process.cpuUsage();
await migration.up({ writersReady: true, until: 'verified' });
const { user, system } = process.cpuUsage(cpu);
const used = last.writeUnits / last.seconds;
console.log(
  `backfill of ${last.items} items: ${used.toFixed(0)} of ${rate} write units a second, ${((used / rate) * 100).toFixed(1)} % of what was allowed; ${((user + system) / items).toFixed(0)} µs of processor time an item, reconciliation and database included`,
);
await db.close();
