import type { Stator } from '../../src/stator.ts';
import { median } from '../compare.ts';
import { type PlainItem, plainDoor } from '../http/in-process.ts';
import { Orders, tableName } from '../http/items.ts';
import { someOf } from '../http/request-pool.ts';
import { ratePerSecond } from '../rates.ts';
import { grouped } from '../report.ts';
import { indexKey, itemKey, RawOrders } from '../storage/raw-orders.ts';
import {
  atLeast,
  atMost,
  type Finding,
  type OnProgress,
  type Options,
  type Report,
  ratio,
} from '../suite.ts';
import { filledDatabase, inFolder, type Pace, paceOf } from './databases.ts';

/** As many callers share a commit as in the other benchmarks of durable writes. */
const writers = 64;
const sampleMax = 20_000;

/** The same reads and writes on a small table and on a large one, on lmdb, by us and by the bare engine. */
export function measureSizes(options: Options, onProgress: OnProgress): Promise<Report> {
  const { small, seed } = options;
  const sizes = small ? [100, 500] : [...new Set([1_000, options.items ?? 10_000_000])];
  return inFolder(async (folder) => {
    const sides: Side[] = [];
    try {
      for (const size of sizes) {
        onProgress(`filling ${size} items twice`);
        const orders = new Orders(size, seed);
        const raw = new RawOrders(`${folder}/raw-${size}.mdb`);
        sides.push({ orders, raw, db: undefined, sample: someOf(size, Math.min(size, sampleMax), seed) });
        await fillRaw(raw, orders);
        sides.at(-1)!.db = await filledDatabase(`${folder}/ours-${size}`, orders);
      }
      const rates = await takeTurns(sides, paceOf(options), onProgress);
      await expectAlike(sides);
      return { findings: findingsOf(rates, sizes), tables: [tableOf(rates)], notes: [] };
    } finally {
      for (const { db, raw } of sides) {
        await db?.close();
        await raw.close();
      }
    }
  });
}

interface Side {
  readonly orders: Orders;
  readonly raw: RawOrders;
  db: Stator | undefined;
  /** Items in random order that the turns are about. */
  readonly sample: Uint32Array;
}

interface Rates {
  readonly operation: 'GetItem' | 'Query of 10' | 'PutItem, durable';
  readonly items: number;
  readonly ours: number;
  readonly raw: number;
}

async function fillRaw(raw: RawOrders, orders: Orders): Promise<void> {
  for (let from = 0; from < orders.count; from += 5_000)
    await raw.commit(() => {
      for (let index = from; index < Math.min(from + 5_000, orders.count); index++)
        raw.put(orders.item(index, 0));
    });
}

async function takeTurns(sides: readonly Side[], pace: Pace, onProgress: OnProgress): Promise<Rates[]> {
  const results: Rates[] = [];
  for (const { operation, callers, prepare } of operations) {
    const acts = sides.map((side) => prepare(side));
    const rates = sides.map(() => ({ ours: [] as number[], raw: [] as number[] }));
    for (let round = -1; round < pace.rounds; round++) {
      onProgress(`${operation}, round ${round + 1} of ${pace.rounds}`);
      for (const [at, act] of acts.entries()) {
        const raw = await ratePerSecond(pace.seconds, act.raw, callers);
        const ours = await ratePerSecond(pace.seconds, act.ours, callers);
        // The round before the first warms up.
        if (round < 0) continue;
        rates[at]!.raw.push(raw);
        rates[at]!.ours.push(ours);
      }
    }
    for (const [at, { ours, raw }] of rates.entries())
      results.push({ operation, items: sides[at]!.orders.count, ours: median(ours), raw: median(raw) });
  }
  return results;
}

interface Act {
  ours(turn: number): Promise<unknown>;
  raw(turn: number): unknown;
}

/** What a side needs for an operation is made beforehand, so that neither pays for making it. */
const operations: readonly {
  readonly operation: Rates['operation'];
  readonly callers: number;
  prepare(side: Side): Act;
}[] = [
  {
    operation: 'GetItem',
    callers: 1,
    prepare: ({ orders, raw, db, sample }) => {
      const door = plainDoor(db!);
      const keys = Array.from(sample, (index) => orders.key(index));
      const rawKeys = keys.map(itemKey);
      return {
        ours: (turn) => door.get(keys[turn % keys.length]!),
        raw: (turn) => raw.get(rawKeys[turn % keys.length]!),
      };
    },
  },
  {
    operation: 'Query of 10',
    callers: 1,
    prepare: ({ orders, raw, db, sample }) => {
      const customers = Array.from(sample, (index) => orders.partitionKey(index));
      const rawKeys = customers.map((customer) => Buffer.from(`item ${customer} `));
      return {
        ours: (turn) =>
          db!.query({
            TableName: tableName,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': { S: customers[turn % customers.length]! } },
          }),
        raw: (turn) => raw.range(rawKeys[turn % customers.length]!, 10),
      };
    },
  },
  {
    operation: 'PutItem, durable',
    callers: writers,
    prepare: ({ orders, raw, db, sample }) => {
      const door = plainDoor(db!);
      const items = Array.from(sample, (index) => [orders.item(index, 1), orders.item(index, 2)] as const);
      const keys = items.map(([item]) => [itemKey(item), indexKey(item)] as const);
      const values = items.map((versions) => versions.map((item) => Buffer.from(JSON.stringify(item))));
      let written = 0;
      let rawWritten = 0;
      const version = (turn: number) => Math.floor(turn / items.length) % 2;
      return {
        ours: () => {
          const turn = written++;
          return door.put(items[turn % items.length]![version(turn)]!);
        },
        raw: () => {
          const turn = rawWritten++;
          const at = turn % items.length;
          return raw.commit(() => raw.putBytes(...keys[at]!, values[at]![version(turn)]!));
        },
      };
    },
  },
];

/** Both sides hold the same items, whatever their versions. */
async function expectAlike(sides: readonly Side[]): Promise<void> {
  for (const { db, raw, orders } of sides)
    for (const index of orders.spread(0, 25)) {
      const key = orders.key(index);
      const { Item: ours } = await db!.getItem({ TableName: tableName, Key: key as PlainItem });
      const bare = JSON.parse(raw.getText(key)) as typeof ours;
      for (const item of [ours, bare])
        if (JSON.stringify(item?.note) !== JSON.stringify(orders.item(index, 0).note))
          throw new Error(`Item ${index} of ${orders.count} is not what was put: ${JSON.stringify(item)}`);
    }
}

function findingsOf(rates: readonly Rates[], sizes: readonly number[]): Finding[] {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const of = (operation: Rates['operation'], items: number) =>
    rates.find((each) => each.operation === operation && each.items === items);
  const span = `${grouped(least)} items to ${grouped(most)}`;
  return [
    ...(['GetItem', 'Query of 10'] as const).map((operation) =>
      atMost(
        `${operation}, lmdb, rate with ${span}`,
        ratio(of(operation, least)?.ours, of(operation, most)?.ours),
        1.5,
      ),
    ),
    ...sizes.map((items) => {
      const put = of('PutItem, durable', items);
      return atLeast(
        `PutItem in process, durable, ${grouped(items)} items, to the raw engine`,
        ratio(put?.ours, put?.raw),
        0.7,
      );
    }),
  ];
}

function tableOf(rates: readonly Rates[]) {
  return {
    title: `In process, lmdb; puts by ${writers} callers`,
    head: ['operation', 'items', 'raw/s', 'ours/s', 'ratio'],
    rows: rates.map(({ operation, items, ours, raw }) => [
      operation,
      grouped(items),
      grouped(raw),
      grouped(ours),
      (ours / raw).toFixed(2),
    ]),
  };
}
