import { Seeded } from '../../workload/seeded.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { typed } from '../items.ts';
import { throttleNames } from '../ledger.ts';
import { Lesson, mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'inventory.json';
const seconds = 60;
const growth = 10;

interface Row {
  readonly second: number;
  readonly operation: 'read' | 'write';
  readonly tenant: string;
  readonly bytes: number;
}

export const measureTheTraffic: Exercise = {
  id: 'measure-the-traffic',
  files: [file],
  topics: ['partitions', 'method'],
  generated() {
    const lines = rows().map(({ second, operation, tenant, bytes }) =>
      [second, operation, tenant, bytes].join(),
    );
    return { 'traffic.csv': `${['second,operation,tenant,bytes', ...lines].join('\n')}\n` };
  },
  async judge(bench) {
    const all = rows();
    const writes = all.filter(({ operation }) => operation === 'write');
    let given: Readonly<Record<string, unknown>> = {};
    for (const kind of ['read', 'write'] as const)
      await bench.step(`The busiest second has that many ${kind}s`, async () => {
        given = await bench.fields(file);
        const name = `${kind}sPerSecondAtPeak`;
        const own = all.filter(({ operation }) => operation === kind);
        const peak = Math.max(...countsBy(own, ({ second }) => String(second)).values());
        const mean = own.length / seconds;
        mustHold(given[name] === peak, () => ({
          saw: `${name} is ${JSON.stringify(given[name])}; the recording has another number in its busiest second.`,
          rule:
            typeof given[name] === 'number' && Math.abs(given[name] - mean) < 1
              ? `${numberText(mean)} is the average of the minute. A partition is throttled by the second, so count each second by itself and take the largest.`
              : 'Count the lines of each second, and take the largest count.',
          topic: 'method',
        }));
        return `${peak} a second, against ${numberText(mean)} on average`;
      });
    await bench.step('The hottest tenant and its share', () => {
      const counts = countsBy(writes, ({ tenant }) => tenant);
      const [tenant, count] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
      const share = count / writes.length;
      mustHold(given.hottestTenant === tenant, () => ({
        saw: `hottestTenant is ${JSON.stringify(given.hottestTenant)}; another tenant writes more often.`,
        rule: 'Count the writes of each tenant. A key is judged by its own load, not by how many keys there are.',
      }));
      const told = given.shareOfHottestTenant;
      const ofAll = all.filter((row) => row.tenant === tenant).length / all.length;
      mustHold(typeof told === 'number' && Math.abs(told - share) <= 0.01, () => ({
        saw: `shareOfHottestTenant is ${JSON.stringify(told)}; ${count} of ${writes.length} writes are of ${tenant}.`,
        rule:
          typeof told === 'number' && Math.abs(told - ofAll) <= 0.01
            ? 'That is its share of all requests. Reads and writes have ceilings of their own, so count writes only.'
            : 'The share is a number between 0 and 1: writes of the tenant, divided by all writes.',
      }));
      return `${tenant} makes ${numberText(share * 100)} % of the writes`;
    });
    const throttled = new Map<string, number>();
    await bench.step('Which tenants are too much for one partition', async () => {
      const told = given.tenantsBeyondOnePartition;
      if (!Array.isArray(told))
        throw new Lesson({
          saw: 'tenantsBeyondOnePartition is no list.',
          rule: 'Write ["t1", "t2"], or [].',
        });
      const units = countsBy(
        writes,
        ({ second, tenant }) => `${tenant} ${second}`,
        ({ bytes }) => Math.ceil(bytes / 1024),
      );
      const most = new Map<string, number>();
      for (const [key, count] of units) {
        const tenant = key.split(' ')[0]!;
        most.set(tenant, Math.max(most.get(tenant) ?? 0, count * growth));
      }
      const beyond = [...most].filter(([, count]) => count > 1_000).map(([tenant]) => tenant);
      const lab = await bench.lab({
        tables: [appTable({ warm: [12_000, 8_000] })],
        physics: 'enforce',
      });
      // The busiest seconds are enough to see who is throttled.
      const busiest = [...countsBy(writes, ({ second }) => String(second))].sort((a, b) => b[1] - a[1]);
      const [second] = busiest[0]!;
      for (const row of writes.filter((one) => String(one.second) === second))
        for (let copy = 0; copy < growth; copy++) {
          const item = { PK: row.tenant, SK: `${copy}`, note: 'x'.repeat(row.bytes - 40) };
          await lab.db.putItem({ TableName: 'app', Item: typed(item) }).catch((error: Error) => {
            if (!throttleNames.includes(error.name)) throw error;
            throttled.set(row.tenant, (throttled.get(row.tenant) ?? 0) + 1);
          });
        }
      const named = [...new Set(told.map(String))].sort().join(', ');
      mustHold(named === beyond.sort().join(', '), () => ({
        saw: `You name ${named === '' ? 'no tenant' : named}. The busiest second, played ten times over, throttled ${[...throttled].map(([tenant, count]) => `${tenant} ${count} times`).join(' and ')}, and nobody else.`,
        rule: 'Units count, not requests: an item of 2,300 bytes costs 3 units. Sum them by tenant and second, times ten, and compare with 1,000.',
        topic: 'partitions',
      }));
      return `played ten times over: ${[...throttled].map(([tenant, count]) => `${tenant} throttled ${count} times`).join(', ')}, the others never`;
    });
  },
};

function countsBy(
  list: readonly Row[],
  keyOf: (row: Row) => string,
  weightOf: (row: Row) => number = () => 1,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of list) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + weightOf(row));
  return counts;
}

/** Tenant t07 writes most often and small items, t12 less often but large ones. Most reads are of t12. */
function rows(): Row[] {
  const random = new Seeded(11, 'traffic');
  const list: Row[] = [];
  for (let second = 0; second < seconds; second++) {
    const wave = second >= 40 && second < 45 ? 3 : 1;
    for (let i = 0; i < 12 * wave; i++) list.push(newRow(second, 'read', random));
    for (let i = 0; i < 28 * wave; i++) list.push(newRow(second, 'write', random));
  }
  return list;
}

function newRow(second: number, operation: Row['operation'], random: Seeded): Row {
  const drawn = random.next();
  if (drawn < (operation === 'read' ? 0.2 : 0.45))
    return { second, operation, tenant: 't07', bytes: 300 + random.below(400) };
  if (drawn < 0.9) return { second, operation, tenant: 't12', bytes: 3_100 + random.below(900) };
  return { second, operation, tenant: `t${20 + random.below(30)}`, bytes: 300 + random.below(400) };
}
