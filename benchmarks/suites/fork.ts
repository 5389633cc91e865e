import { testDatabase } from '../../src/testing/test-database.ts';
import { collectGarbage, median } from '../compare.ts';
import { fillPlainly, type PlainItem, plainDoor } from '../http/in-process.ts';
import { Orders, tableDefinition } from '../http/items.ts';
import { grouped } from '../report.ts';
import { atMost, type Suite } from '../suite.ts';

/** Copies of a database: one by itself, and one for each of many tests. */
export const fork: Suite = async (options, onProgress) => {
  const { small, seed } = options;
  const orders = new Orders(options.items ?? (small ? 200 : 100_000), seed);
  const tests = small ? 20 : 1_000;
  onProgress(`filling ${orders.count} items`);
  const base = await testDatabase({ tables: tableDefinition, setup: ({ db }) => fillPlainly(db, orders) });
  try {
    onProgress('forks');
    const forks = timeForks(() => base.fork(), small ? 20 : 2_000);
    const rounds = options.rounds ?? (small ? 1 : 5);
    const added: number[] = [];
    const rows: string[][] = [];
    for (let round = small ? 0 : -1; round < rounds; round++) {
      onProgress(`${tests} tests, round ${round + 1} of ${rounds}`);
      const without = await runTests(tests, orders, () => plainDoor(base.db));
      const withReset = await runTests(tests, orders, () => {
        base.reset();
        return plainDoor(base.db);
      });
      const withFork = await runTests(tests, orders, () => plainDoor(base.fork()));
      base.reset();
      if (round < 0) continue;
      added.push(Math.max(withReset, withFork) - without);
      rows.push([String(round + 1), ...[without, withReset, withFork].map((ms) => ms.toFixed(1))]);
    }
    return {
      findings: [
        atMost(`fork() with ${grouped(orders.count)} items`, median(forks), 0.2, 'ms'),
        atMost(`${grouped(tests)} tests with a fork each, added`, median(added), 1_000, 'ms'),
      ],
      tables: [
        {
          title: `${grouped(tests)} tests of one put and one get, milliseconds together`,
          head: ['round', 'on one database', 'put back before each', 'a fork for each'],
          rows,
        },
      ],
      notes: [`The slowest of ${grouped(forks.length)} forks took ${Math.max(...forks).toFixed(3)} ms.`],
    };
  } finally {
    await base.close();
  }
};

/** Milliseconds of each. */
function timeForks(make: () => unknown, count: number): number[] {
  collectGarbage();
  return Array.from({ length: count }, () => {
    const start = performance.now();
    make();
    return performance.now() - start;
  });
}

/** Each test writes an item that no other may see, and reads one of those it begins with. */
async function runTests(
  count: number,
  orders: Orders,
  begin: () => ReturnType<typeof plainDoor>,
): Promise<number> {
  collectGarbage();
  const start = performance.now();
  for (let test = 0; test < count; test++) {
    const door = begin();
    const index = (test * 7_919) % orders.count;
    await door.put(orders.item(index, 1 + (test % 9)));
    const { Item: item } = (await door.get(orders.key(index))) as { Item?: PlainItem };
    if (item === undefined) throw new Error(`Test ${test} did not find its item`);
  }
  return performance.now() - start;
}
