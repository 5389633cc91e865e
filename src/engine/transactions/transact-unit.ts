import { ConditionWork, unfinished, type WorkLimit } from '../../expressions/condition-work.ts';
import { DynamoError } from '../../model/errors.ts';
import { readHeader, readItemBytes } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { toHex } from '../../model/values/hex.ts';
import { replayReadUnits, transactionFactor, transactWriteUnits } from '../../physics/units.ts';
import type { Decision, Mutation, Unit } from '../../storage/store.ts';
import { type Consumed, consumedAt } from '../consumed.ts';
import { IndexThrottle } from '../road.ts';
import { sameEpoch } from '../tables/table-record.ts';
import {
  decodeLooked,
  type Evaluation,
  type Evaluations,
  evaluationOf,
  TooLong,
  UnitWork,
} from '../writes/evaluation.ts';
import {
  collectionTooLarge,
  decideWrite,
  EntryInDoubt,
  type ItemFound,
  type ItemPlan,
  type ItemResult,
  type ItemWrite,
  planItem,
  RefusedWrite,
  stale,
  type WriteOutcome,
  type WriteSettings,
  writeTime,
} from '../writes/write-item.ts';
import { transactionCancelled } from './cancellation.ts';
import type { Replay, TokenPlan } from './request-tokens.ts';
import type { ActionPlan, PlannedAction } from './transact-actions.ts';

/** A ConditionCheck: an action that reads an item and leaves it unchanged. */
export interface ItemCheck extends ActionPlan {
  /** Returns the error of a failed check, or `unfinished`. Pure, like the `next` of a write. */
  check(before: Item | undefined, work: WorkLimit): DynamoError | typeof unfinished | undefined;
  /** The names of all attributes that `check` reads. Without it, the whole item is decoded. */
  readonly looksAt?: ReadonlySet<string>;
}

export type WritePlan = ItemWrite | ItemCheck;

/** A cancelled transaction. It is charged for all its actions, whichever of them failed. */
export class CancelledUnit {
  readonly error: DynamoError;
  readonly consumed: readonly Consumed[];
  /** The throttles of indexes among the reasons. */
  readonly throttles: readonly IndexThrottle[];

  constructor(error: DynamoError, consumed: readonly Consumed[], throttles: readonly IndexThrottle[]) {
    this.error = error;
    this.consumed = consumed;
    this.throttles = throttles;
  }
}

/**
 * The result of a unit that must run again and also read these index entries, each given by the position of its action.
 */
export class EntriesInDoubt {
  readonly keys: ReadonlyMap<number, Uint8Array>;

  constructor(keys: ReadonlyMap<number, Uint8Array>) {
    this.keys = keys;
  }
}

export type TransactResult =
  | readonly WriteOutcome[]
  | Replay
  | DynamoError
  | CancelledUnit
  | EntriesInDoubt
  | TooLong
  | typeof stale;

/**
 * The unit of a transaction. It reads the epoch of each table, every item and, if there is a token, its records. It
 * commits all writes or none. With `isCurrent` the tables are known to be unchanged since planning, and the unit does
 * not read the epochs.
 */
export function transactUnit(
  actions: readonly PlannedAction<WritePlan>[],
  doubts: ReadonlyMap<number, Uint8Array>,
  evaluations: Evaluations,
  token: TokenPlan | undefined,
  settings: WriteSettings,
  isCurrent: boolean,
): Unit<TransactResult> {
  const tables = isCurrent ? [] : [...new Set(actions.map(({ table }) => table))];
  const steps = actions.map(
    (action, i): Step => ({
      action,
      evaluation: evaluations.get(i),
      item:
        'check' in action.plan
          ? undefined
          : planItem(action.table, action.plan, settings.h16, doubts.get(i), action.key),
    }),
  );
  const collections = distinctCounters(steps);
  const doubted = [...doubts];
  const epochs = tables.map(({ epoch }) => epoch);
  const others = [...actions.map(({ key }) => key), ...doubted.map(([, key]) => key)];
  if (token !== undefined) others.push(...token.keys);
  return {
    reads: [...tables.map(({ epochKey }) => epochKey), ...others],
    settings: tables.length,
    guess: [...epochs, ...others.map((_, i) => evaluations.get(i)?.stored)],
    ...(collections.length > 0 && { counters: collections }),
    decide({ values, counters }) {
      const answered = token?.judge(values.slice(-token.keys.length));
      if (answered !== undefined) return { result: answered, mutations: [] };
      if (tables.some(({ epoch }, i) => !sameEpoch(values[i], epoch)))
        return { result: stale, mutations: [] };
      const itemsAt = tables.length;
      const doubtsAt = itemsAt + actions.length;
      const entries = new Map(doubted.map(([i], at) => [i, values[doubtsAt + at]]));
      const found = actions.map((_, i) => ({ item: values[itemsAt + i], doubted: entries.get(i) }));
      const sizes = new Map(collections.map((counter, i) => [toHex(counter), counters[i]!]));
      return decideAll(steps, found, sizes, token, settings);
    },
  };
}

interface Step {
  readonly action: PlannedAction<WritePlan>;
  /** The evaluation that an earlier attempt gave up. */
  readonly evaluation: Evaluation | undefined;
  /** The plan of a write. Undefined for a check. */
  readonly item: ItemPlan | undefined;
}

type StepFound = Omit<ItemFound, 'collectionBytes'>;

function distinctCounters(steps: readonly Step[]): Uint8Array[] {
  const byText = new Map<string, Uint8Array>();
  for (const { item } of steps)
    if (item?.collection !== undefined) byText.set(toHex(item.collection), item.collection);
  return [...byText.values()];
}

/**
 * Decides all actions. The items of one collection are measured together: each write adds to the size that the writes
 * before it left.
 */
function decideAll(
  steps: readonly Step[],
  found: readonly StepFound[],
  sizesBefore: ReadonlyMap<string, number>,
  token: TokenPlan | undefined,
  settings: WriteSettings,
): Decision<TransactResult> {
  const sizes = new Map(sizesBefore);
  const mutations: Mutation[] = [];
  const outcomes: WriteOutcome[] = [];
  const failures: (DynamoError | undefined)[] = [];
  const consumed: Consumed[] = [];
  const throttles: IndexThrottle[] = [];
  const doubts = new Map<number, Uint8Array>();
  const growers = new Map<string, number[]>();
  const tooLong = new Map<number, Uint8Array | undefined>();
  const work = new UnitWork(settings.unitLimits);
  // The limit of a collection is checked after all actions, so the single writes run without it.
  const nowMicros = commonTime(steps, found, settings.nowMicros);
  const unbounded = { ...settings, nowMicros, collectionBytesMax: Number.POSITIVE_INFINITY };
  for (const [i, step] of steps.entries()) {
    const decision = decideStep(step, found[i]!, sizes, unbounded, work);
    const { result } = decision;
    // Every action may be a reason of a cancellation, so that nothing is decided before all are evaluated.
    if (result instanceof TooLong) {
      tooLong.set(i, found[i]!.item);
      continue;
    }
    if (result instanceof EntryInDoubt) {
      failures.push(undefined);
      consumed.push(consumedAt(0, step.action.key));
      doubts.set(i, result.key);
      continue;
    }
    // A throttle of an index costs nothing; any other failure costs what the action would have cost the table.
    if (result instanceof IndexThrottle) {
      consumed.push(consumedAt(0, step.action.key));
      failures.push(result.error);
      throttles.push(result);
      continue;
    }
    consumed.push(ofTable(result.consumed));
    failures.push(result instanceof RefusedWrite ? result.error : undefined);
    if (result instanceof RefusedWrite) continue;
    outcomes.push(result);
    mutations.push(...decision.mutations);
    if (step.item?.collection === undefined) continue;
    const collection = toHex(step.item.collection);
    const { bytes } = result.collection!;
    if (bytes > sizes.get(collection)!) growers.set(collection, [...(growers.get(collection) ?? []), i]);
    sizes.set(collection, bytes);
  }
  if (tooLong.size > 0) return { result: new TooLong(tooLong), mutations: [] };
  // An item in doubt is not measured yet.
  if (doubts.size === 0)
    for (const [collection, positions] of growers) {
      if (!isOvergrown(sizesBefore.get(collection)!, sizes.get(collection)!, settings)) continue;
      for (const position of positions) failures[position] = collectionTooLarge();
    }
  if (failures.some((failure) => failure !== undefined))
    return { result: new CancelledUnit(transactionCancelled(failures), consumed, throttles), mutations: [] };
  if (doubts.size > 0) return { result: new EntriesInDoubt(doubts), mutations: [] };
  const all = summed(mutations);
  if (token !== undefined) all.push(token.mutation(outcomes.map(unitsOfReading)));
  return { result: outcomes, mutations: all };
}

/** The time of all writes of a transaction: a cut at a time in the past never falls between them. */
function commonTime(steps: readonly Step[], found: readonly StepFound[], nowMicros: number): number {
  let micros = nowMicros;
  for (const [i, { item: plan }] of steps.entries()) {
    const stored = found[i]!.item;
    if (plan !== undefined)
      micros = Math.max(micros, writeTime(plan.table, stored && readHeader(stored), nowMicros));
  }
  return micros;
}

/** Whether a collection grew beyond its limit. It may always shrink, however large it is. */
function isOvergrown(before: number, after: number, { collectionBytesMax }: WriteSettings): boolean {
  return after > before && after > collectionBytesMax;
}

function decideStep(
  { action, item: plan, evaluation }: Step,
  { item, doubted }: StepFound,
  sizes: ReadonlyMap<string, number>,
  settings: WriteSettings,
  unitWork: UnitWork,
): Decision<ItemResult> {
  const known = evaluationOf(evaluation, item);
  if (known === undefined && unitWork.isOver)
    return { result: new TooLong(new Map([[0, item]])), mutations: [] };
  const work = known ?? unitWork.begin(item);
  const decision: Decision<ItemResult> =
    plan === undefined
      ? { result: decideCheck(action.plan as ItemCheck, action, item, work), mutations: [] }
      : decideWrite(
          plan,
          { item, doubted, collectionBytes: plan.collection && sizes.get(toHex(plan.collection)) },
          settings,
          work,
        );
  if (work instanceof ConditionWork) unitWork.end(work);
  const { result, mutations } = decision;
  if (plan === undefined) return decision;
  if (result instanceof IndexThrottle || result instanceof EntryInDoubt || result instanceof TooLong)
    return decision;
  if (result instanceof RefusedWrite)
    return { result: new RefusedWrite(result.error, inTransaction(result.consumed)), mutations };
  return { result: { ...result, consumed: inTransaction(result.consumed) }, mutations };
}

/** Decides a check. It is charged like a write of the item that it read. */
function decideCheck(
  { check, looksAt }: ItemCheck,
  { table, key }: PlannedAction<WritePlan>,
  stored: Uint8Array | undefined,
  evaluation: Evaluation | ConditionWork,
): WriteOutcome | RefusedWrite | TooLong {
  const consumed = consumedAt(transactWriteUnits(stored && readItemBytes(stored), undefined), key);
  const evaluated = evaluation instanceof ConditionWork ? undefined : evaluation;
  const before = stored && evaluated === undefined ? decodeLooked(stored, looksAt) : undefined;
  const next = evaluation instanceof ConditionWork ? check(before, evaluation) : evaluation.next;
  if (next === unfinished) return new TooLong(new Map([[0, stored]]));
  if (next instanceof DynamoError) return new RefusedWrite(next, consumed);
  return {
    table,
    before,
    after: before,
    storedBefore: stored,
    storedAfter: stored,
    consumed,
    logged: undefined,
    indexChanges: [],
    expiry: undefined,
    collection: undefined,
  };
}

/**
 * Applies the price of transactions. Table writes cost more in a transaction, index writes do not (observed: public
 * captures, 2026).
 */
function inTransaction(consumed: Consumed): Consumed {
  return { ...consumed, table: consumed.table * transactionFactor };
}

function ofTable({ table, first }: Consumed): Consumed {
  return consumedAt(table, first);
}

/** The cost of replaying an action: a transactional read of the larger of the item's two states. */
function unitsOfReading({ storedBefore, storedAfter }: WriteOutcome): number {
  return replayReadUnits(
    storedBefore && readItemBytes(storedBefore),
    storedAfter && readItemBytes(storedAfter),
  );
}

/** Merges the additions to each counter into one, however many actions add to it. */
function summed(mutations: readonly Mutation[]): Mutation[] {
  const additions = new Map<string, { counter: Uint8Array; delta: number }>();
  const others: Mutation[] = [];
  for (const mutation of mutations) {
    if (mutation.kind !== 'add') {
      others.push(mutation);
      continue;
    }
    const text = toHex(mutation.counter);
    const delta = mutation.delta + (additions.get(text)?.delta ?? 0);
    additions.set(text, { counter: mutation.counter, delta });
  }
  for (const addition of additions.values())
    if (addition.delta !== 0) others.push({ kind: 'add', ...addition });
  return others;
}
