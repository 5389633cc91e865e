// One door of a database of its own: a program comes by one of them, and not by all in turns.
import { pathToFileURL } from 'node:url';
import { ratePerSecond } from '../rates.ts';
import { answerJobs } from './asked-process.ts';
import { cases } from './cases.ts';
import { type Door, doors, fillPlainly } from './in-process.ts';
import { Orders, tableDefinition, type WireItem } from './items.ts';
import type { DoorJob, DoorRequest, DoorRound } from './measured-door.ts';
import { someOf } from './request-pool.ts';

interface Opened {
  readonly door: Door;
  readonly orders: Orders;
  readonly inputs: Readonly<Record<DoorRequest, readonly WireItem[]>>;
  /** How many of them were sent in all rounds so far. */
  readonly turns: Record<DoorRequest, number>;
}

/** So many items are asked for: what programs hold at once, and not all there is. */
const inputsMax = 4_096;

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
  return { door: doors[door](db), orders, inputs: inputsOf(orders, seed), turns: { get: 0, put: 0 } };
}

/** One call after the other, for items from all over the table. Puts go on where the last round stopped. */
async function round(
  { door, inputs, turns }: Opened,
  { name, seconds }: Extract<DoorJob, { kind: 'round' }>,
): Promise<DoorRound> {
  const act = name === 'get' ? door.get : door.put;
  const those = inputs[name];
  const first = turns[name];
  const before = door.ourMs?.() ?? 0;
  const start = performance.now();
  const rate = await ratePerSecond(seconds, (turn) => {
    turns[name] = first + turn + 1;
    return act(those[(first + turn) % those.length]!);
  });
  return { rate, ourShare: ((door.ourMs?.() ?? 0) - before) / (performance.now() - start) };
}

/** Each item is there in two versions, one pass after the other, so that no put finds what it would write. */
function inputsOf(orders: Orders, seed: number): Opened['inputs'] {
  const indexes = [...someOf(orders.count, Math.min(orders.count, inputsMax), seed)];
  return {
    get: indexes.map((index) => orders.key(index)),
    put: cases.put.versions!.flatMap((version) => indexes.map((index) => orders.item(index, version))),
  };
}

async function item({ door, orders }: Opened, index: number): Promise<WireItem> {
  const answer = await door.get(orders.key(index));
  const { Item } = (answer instanceof Uint8Array ? JSON.parse(Buffer.from(answer).toString()) : answer) as {
    readonly Item: WireItem;
  };
  return { ...Item };
}
