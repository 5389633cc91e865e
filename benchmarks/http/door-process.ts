// One door of a database of its own: a program comes by one of them, and not by all in turns.
import { pathToFileURL } from 'node:url';
import { collectGarbage } from '../compare.ts';
import { answerJobs } from './asked-process.ts';
import { cases } from './cases.ts';
import { type Door, doors, fillPlainly } from './in-process.ts';
import { Orders, tableDefinition, type WireItem } from './items.ts';
import type { DoorJob, DoorRequest, DoorRound } from './measured-door.ts';
import { someOf } from './request-pool.ts';

interface Opened {
  readonly door: Door;
  readonly orders: Orders;
  /** All items in random order, as the load generator asks for them over HTTP. */
  readonly indexes: Uint32Array;
  /** How many calls there were in all rounds so far. */
  readonly turns: Record<DoorRequest, number>;
}

/** So many inputs are made at a time, just before they are used, as a program does it. */
const inputsAtOnce = 64;

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
  const indexes = someOf(orders.count, orders.count, seed);
  return { door: doors[door](db), orders, indexes, turns: { get: 0, put: 0 } };
}

/** One call after the other. What the inputs take to be made is not counted. */
async function round(
  opened: Opened,
  { name, seconds }: Extract<DoorJob, { kind: 'round' }>,
): Promise<DoorRound> {
  const { door, turns } = opened;
  const act = name === 'get' ? door.get : door.put;
  const before = door.ourMs?.() ?? 0;
  collectGarbage();
  let calls = 0;
  let ms = 0;
  while (ms < seconds * 1_000) {
    const inputs = Array.from({ length: inputsAtOnce }, () => input(opened, name, turns[name]++));
    const start = performance.now();
    for (const each of inputs) await act(each);
    ms += performance.now() - start;
    calls += inputs.length;
  }
  return { rate: (calls / ms) * 1_000, ourShare: ((door.ourMs?.() ?? 0) - before) / ms };
}

/** Puts write two versions, one pass after the other, so that none finds what it would write. */
function input({ orders, indexes }: Opened, name: DoorRequest, turn: number): WireItem {
  const index = indexes[turn % indexes.length]!;
  const pass = Math.floor(turn / indexes.length) % 2;
  return name === 'get' ? orders.key(index) : orders.item(index, cases.put.versions![pass]!);
}

async function item({ door, orders }: Opened, index: number): Promise<WireItem> {
  const answer = await door.get(orders.key(index));
  const { Item } = (answer instanceof Uint8Array ? JSON.parse(Buffer.from(answer).toString()) : answer) as {
    readonly Item: WireItem;
  };
  return { ...Item };
}
