import { DynamoError } from '../model/errors.ts';
import type { Hash16 } from '../model/keys.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { Unit } from '../storage/store.ts';
import { transactionCancelled, transactionConflict } from './cancellation.ts';
import type { InFlight } from './in-flight.ts';
import { type Replay, type RequestToken, TokenPlan } from './request-tokens.ts';
import { sameEpoch } from './table-record.ts';
import type { TableDesk } from './table-requests.ts';
import { type ActionPlan, type PlannedAction, planActions, type TransactAction } from './transact-actions.ts';
import { EntriesInDoubt, StaleTables, transactUnit, type WritePlan } from './transact-unit.ts';
import type { WriteOutcome, WriteSettings } from './write-item.ts';

/** What the transactions of an engine need besides its tables. */
export interface TransactDesk extends TableDesk {
  /** Where those that meet others are refused; without it they wait their turn. */
  readonly inFlight: InFlight | undefined;
  writeSettings(): WriteSettings;
}

/** Writes and checks of distinct items, of several tables: all of them or none. */
export interface TransactWrite {
  readonly actions: readonly TransactAction<WritePlan>[];
  readonly token?: RequestToken;
}

/**
 * Does a transaction in one unit of the Store. Answers what came of each action, in their order; or, for a token under
 * which the same was done before, that it was; or the error, which for a cancelled transaction has the reasons.
 */
export function transactWrite(
  desk: TransactDesk,
  request: TransactWrite,
): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError> {
  const settings = desk.writeSettings();
  const nowMs = Math.floor(settings.nowMicros / 1000);
  const token = request.token && new TokenPlan(request.token, settings.h16, nowMs);
  const run = () => planAndRun(desk, request, token, settings);
  return desk.inFlight === undefined || token === undefined ? run() : desk.inFlight.under(token.id, run);
}

function planAndRun(
  desk: TransactDesk,
  request: TransactWrite,
  token: TokenPlan | undefined,
  settings: WriteSettings,
): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError> {
  return whenDone(planActions(desk, settings.h16, request.actions), (planned) => {
    if (planned instanceof DynamoError) return planned;
    const run = () => runUnit(desk, planned, new Map(), token, settings);
    const done = desk.inFlight === undefined ? run() : unlessMet(desk.inFlight, planned, run);
    return whenDone(done, (result) => {
      if (!(result instanceof StaleTables)) return result;
      for (const table of result.tables) desk.catalogue.forget(table);
      return planAndRun(desk, request, token, settings);
    });
  });
}

function runUnit(
  desk: TransactDesk,
  planned: readonly PlannedAction<WritePlan>[],
  doubts: ReadonlyMap<number, Uint8Array>,
  token: TokenPlan | undefined,
  settings: WriteSettings,
): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError | StaleTables> {
  // Where all happens within this turn, nothing can happen to the tables in between.
  const isCurrent = desk.store.immediate && desk.inFlight === undefined;
  const unit = transactUnit(planned, doubts, token, settings, isCurrent);
  return whenDone(desk.store.transact(unit), (result) =>
    result instanceof EntriesInDoubt
      ? runUnit(desk, planned, new Map([...doubts, ...result.keys]), token, settings)
      : result,
  );
}

/** An item of one write transaction that is in another one: the later of them is cancelled. */
function unlessMet<R>(
  inFlight: InFlight,
  planned: readonly PlannedAction<ActionPlan>[],
  run: () => MaybePromise<R>,
): MaybePromise<R | DynamoError> {
  return (
    cancelledByConflict(planned, (key) => inFlight.isInTransaction(key)) ??
    inFlight.holding(
      'transaction',
      planned.map(({ key }) => key),
      run,
    )
  );
}

function cancelledByConflict(
  planned: readonly PlannedAction<ActionPlan>[],
  isHeld: (key: Uint8Array) => boolean,
): DynamoError | undefined {
  const conflicts = planned.map(({ key }) => (isHeld(key) ? transactionConflict() : undefined));
  return conflicts.some((conflict) => conflict !== undefined) ? transactionCancelled(conflicts) : undefined;
}

/**
 * Reads distinct items of several tables at one moment among all writes, each as it is stored and in the order of the actions.
 * An item that anything is writing to cancels the transaction, where that is acted out.
 */
export function transactRead(
  desk: TransactDesk,
  h16: Hash16,
  actions: readonly TransactAction<ActionPlan>[],
): MaybePromise<readonly (Uint8Array | undefined)[] | DynamoError> {
  return whenDone(planActions(desk, h16, actions), (planned) => {
    if (planned instanceof DynamoError) return planned;
    const { inFlight } = desk;
    const met = inFlight && cancelledByConflict(planned, (key) => inFlight.isBeingWritten(key));
    if (met !== undefined) return met;
    if (desk.store.exclusive) return desk.store.getMany(planned.map(({ key }) => key));
    return whenDone(desk.store.transact(readUnit(planned)), (result) => {
      if (!(result instanceof StaleTables)) return result;
      for (const table of result.tables) desk.catalogue.forget(table);
      return transactRead(desk, h16, actions);
    });
  });
}

/**
 * Where others write too, a TransactGetItems is a unit, though it writes nothing: some engines of PostgreSQL's protocol
 * keep plain reads outside of their serializable transactions, and a state between two commits may then fit no order of
 * them (tests/serializability).
 */
function readUnit(
  planned: readonly PlannedAction<ActionPlan>[],
): Unit<readonly (Uint8Array | undefined)[] | StaleTables> {
  const tables = [...new Set(planned.map(({ table }) => table))];
  return {
    reads: [...tables.map(({ epochKey }) => epochKey), ...planned.map(({ key }) => key)],
    settings: tables.length,
    decide({ values }) {
      const stale = tables.filter(({ epoch }, i) => !sameEpoch(values[i], epoch));
      return {
        result: stale.length > 0 ? new StaleTables(stale) : values.slice(tables.length),
        mutations: [],
      };
    },
  };
}
