import { ConditionWork, unfinished } from '../../expressions/condition-work.ts';
import { DynamoError } from '../../model/errors.ts';
import { type Slices, stepsAtOnceMax, stepsPerSlice } from '../../model/slices.ts';
import type { ItemEncoder } from '../../model/stored/item-encoder.ts';
import { type ItemHeader, readItemBytes } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import type { ItemCheck } from '../transactions/transact-unit.ts';
import { decodeLooked, type Evaluation } from './evaluation.ts';
import { decodeBefore, type ItemPlan, sizeAfter } from './write-item.ts';

/** Evaluates a write in slices. `returned` has the names of attributes that the answer may show. */
export async function evaluateWrite(
  { table, write }: ItemPlan,
  stored: Uint8Array | undefined,
  encoder: ItemEncoder,
  slices: Slices,
  returned?: ReadonlySet<string>,
): Promise<Evaluation> {
  await slices.spend(codecSteps(stored));
  const before = stored && decodeBefore(table, write, stored, false);
  const beforeBytes = stored && readItemBytes(stored);
  const next = await finished((work) => write.next(before, beforeBytes ?? 0, work), slices);
  const kept = (item: Item) => onlyNamed(item, table.placingNames, returned);
  if (next instanceof DynamoError || next.item === undefined)
    return { stored, before: before && kept(before), next, encoded: undefined };
  const bytes = next.bytes ?? sizeAfter(write, before, beforeBytes, next.item);
  const encoded =
    before !== undefined && write.changes !== undefined
      ? encoder.encodeChanged(stored!, next.item, write.changes, noHeader)
      : encoder.encode(next.item, noHeader);
  await slices.spend(codecSteps(encoded));
  return { stored, before: before && kept(before), next: { item: kept(next.item), bytes }, encoded };
}

/** Evaluates a ConditionCheck in slices. */
export async function evaluateCheck(
  { check, looksAt }: ItemCheck,
  stored: Uint8Array | undefined,
  slices: Slices,
): Promise<Evaluation> {
  await slices.spend(codecSteps(stored));
  const before = stored && decodeLooked(stored, looksAt);
  const failure = await finished((work) => check(before, work), slices);
  return { stored, before: undefined, next: failure ?? { item: undefined }, encoded: undefined };
}

async function finished<R>(
  evaluate: (work: ConditionWork) => R,
  slices: Slices,
): Promise<Exclude<R, typeof unfinished>> {
  const work = new ConditionWork(stepsPerSlice);
  for (;;) {
    const { steps } = work;
    const result = evaluate(work);
    await slices.spend(work.steps - steps);
    if (result !== unfinished) return result as Exclude<R, typeof unfinished>;
    work.goOn();
  }
}

/** The steps of decoding or encoding an item, at 20 ns or more for 16 bytes. An item is one piece. */
function codecSteps(stored: Uint8Array | undefined): number {
  return Math.min((stored?.length ?? 0) >> 4, stepsAtOnceMax);
}

/** A hundred decoded items of 400 KB take too much memory to keep them until the unit runs. */
function onlyNamed(item: Item, names: ReadonlySet<string>, further: ReadonlySet<string> | undefined): Item {
  const kept = new Map();
  for (const [name, value] of item) if (names.has(name) || further?.has(name) === true) kept.set(name, value);
  return kept;
}

const noHeader: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 0,
  era: 0,
  writtenMicros: 0,
  region: 0,
  version: 1,
};
