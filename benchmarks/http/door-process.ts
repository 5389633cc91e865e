// One door of a database of its own: a program comes by one of them, and not by all in turns.
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../tests/seeded-random.ts';
import { ratePerSecond } from '../rates.ts';
import { answerJobs } from './asked-process.ts';
import { type Door, doors, fillPlainly } from './in-process.ts';
import { Orders, tableDefinition, type WireItem } from './items.ts';
import type { DoorJob, DoorRound } from './measured-door.ts';

interface Opened {
  readonly door: Door;
  readonly orders: Orders;
}

let opened: Opened | undefined;

answerJobs(async (job: DoorJob) => {
  if (job.kind === 'open') opened = await open(job);
  else return job.kind === 'round' ? round(opened!, job) : item(opened!, job.index);
});

async function open({ door, index, items, seed }: Extract<DoorJob, { kind: 'open' }>): Promise<Opened> {
  const { Stator } = (await import(pathToFileURL(index).href)) as typeof import('../../src/index.ts');
  const db = await Stator.open();
  const orders = new Orders(items, seed);
  await db.createTable(tableDefinition as unknown as Parameters<typeof db.createTable>[0]);
  await fillPlainly(db, orders);
  return { door: doors[door](db), orders };
}

/** One call after the other, for items from all over the table. */
async function round(
  { door, orders }: Opened,
  { name, seconds, version }: Extract<DoorJob, { kind: 'round' }>,
): Promise<DoorRound> {
  const random = seededRandom(version);
  const indexes = Array.from({ length: 4096 }, () => random.below(orders.count));
  const inputs = indexes.map((index) => (name === 'get' ? orders.key(index) : orders.item(index, version)));
  const act = name === 'get' ? door.get : door.put;
  const before = door.ourMs?.() ?? 0;
  const start = performance.now();
  const rate = await ratePerSecond(seconds, (turn) => act(inputs[turn & 4095]!));
  return { rate, ourShare: ((door.ourMs?.() ?? 0) - before) / (performance.now() - start) };
}

async function item({ door, orders }: Opened, index: number): Promise<WireItem> {
  const answer = await door.get(orders.key(index));
  const { Item } = (answer instanceof Uint8Array ? JSON.parse(Buffer.from(answer).toString()) : answer) as {
    readonly Item: WireItem;
  };
  return { ...Item };
}
