import { DynamoError } from '../../model/errors.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Slices } from '../../model/slices.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { readUnits } from '../../physics/units.ts';
import type { Unit } from '../../storage/store.ts';
import { type Consumed, consumedAt } from '../consumed.ts';
import { itemTouch, type Refusals, type Road, type Touch } from '../road.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { onTables, type TableDeps } from '../tables/table-requests.ts';
import { evaluateCheck, evaluateWrite } from '../writes/evaluate-outside.ts';
import type { Evaluation, Evaluations, TooLong } from '../writes/evaluation.ts';
import type { LongEvaluations, LongUnit } from '../writes/long-evaluations.ts';
import { planItem, stale, type WriteOutcome, type WriteSettings } from '../writes/write-item.ts';
import { canBeReason, transactionCancelled, transactionConflict } from './cancellation.ts';
import type { InFlight } from './in-flight.ts';
import { Replay, type RequestToken, TokenPlan } from './request-tokens.ts';
import { type ActionPlan, type PlannedAction, planActions, type TransactAction } from './transact-actions.ts';
import {
  CancelledUnit,
  EntriesInDoubt,
  type TransactResult,
  transactUnit,
  type WritePlan,
} from './transact-unit.ts';

/** The parts of the engine that transactions need. */
export interface TransactDeps extends TableDeps {
  readonly h16: Hash16;
  /** The items under write, where transactions that meet are refused; without it they wait their turn. */
  inFlightOf(table: Table): InFlight | undefined;
  /** Waits for as long as a transaction is under way, where that is acted out. */
  transactionTime(): Promise<void>;
  writeSettings(road: Road): WriteSettings;
  readonly longEvaluations: LongEvaluations;
}

/** A transaction of writes and checks of distinct items in any tables: all of them or none. */
export interface TransactWrite {
  readonly actions: readonly TransactAction<WritePlan>[];
  readonly token?: RequestToken;
}

/**
 * Runs a transaction in one unit of the Store. Returns the outcome of each action, in order; or a replay, if the same
 * request was done before under its token; or an error, which for a cancelled transaction has the reasons.
 */
export function transactWrite(
  deps: TransactDeps,
  road: Road,
  { actions, token: sent }: TransactWrite,
): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError> {
  const { h16, nowMicros } = deps.writeSettings(road);
  const token = sent && new TokenPlan(sent, h16, Math.floor(nowMicros / 1000));
  const run = () =>
    onTables<Planned<WritePlan>, readonly WriteOutcome[] | Replay>(deps, road, {
      names: actions,
      writes: true,
      plan: (tables) => planActions(h16, actions, tables),
      touches: (planned) => planned.map((action) => touchOf('write', action)),
      refused: cancelledByRefusals,
      run(planned) {
        const held = heldIn(deps, planned);
        const work = () => runUnit(deps, road, planned, token, held === undefined);
        if (held === undefined) return work();
        const late = () => deps.transactionTime().then(work);
        const met = unlessInConflict(held.inFlight, planned, held.planned, late);
        return token === undefined ? met() : held.inFlight.under(token.id, met);
      },
    });
  return run();
}

/** The actions on tables whose transactions can meet, and where they do. */
function heldIn<Plan extends ActionPlan>(
  deps: TransactDeps,
  planned: Planned<Plan>,
): { readonly inFlight: InFlight; readonly planned: Planned<Plan> } | undefined {
  const held = planned.filter(({ table }) => deps.inFlightOf(table) !== undefined);
  const inFlight = held[0] && deps.inFlightOf(held[0].table);
  return inFlight && { inFlight, planned: held };
}

/** The result of a transaction whose evaluations have ended. */
type UnitResult = Exclude<TransactResult, TooLong | EntriesInDoubt>;

type Planned<Plan extends ActionPlan> = readonly PlannedAction<Plan>[];

function touchOf(access: 'read' | 'write', { table, key, plan }: PlannedAction<ActionPlan>): Touch {
  return itemTouch(access, table, key, plan.key);
}

/** Turns refused touches into cancellation reasons, unless such an error is never a reason. */
function cancelledByRefusals({ each, first }: Refusals): DynamoError {
  return canBeReason(first) ? transactionCancelled(each) : first;
}

function runUnit(
  deps: TransactDeps,
  road: Road,
  planned: Planned<WritePlan>,
  token: TokenPlan | undefined,
  isAtOnce: boolean,
): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError | typeof stale> {
  const unit = new LongTransaction(deps, road, planned, token);
  return whenDone(deps.longEvaluations.run(unit, isAtOnce), (result) => {
    if (result === stale || result instanceof DynamoError) return result;
    const charge = (access: 'read' | 'write', consumed: readonly Consumed[]) =>
      road.chargeTogether(planned.map(({ table }, i) => ({ table, access, consumed: consumed[i]! })));
    if (result instanceof CancelledUnit) {
      for (const throttle of result.throttles) road.countThrottle(throttle);
      charge('write', result.consumed);
      return result.error;
    }
    if (result instanceof Replay) {
      road.noteReplay?.();
      charge(
        'read',
        result.readUnits.map((units, i) => consumedAt(units, planned[i]!.key)),
      );
    } else
      charge(
        'write',
        result.map(({ consumed }) => consumed),
      );
    return result;
  });
}

class LongTransaction implements LongUnit<UnitResult> {
  readonly #deps: TransactDeps;
  readonly #road: Road;
  readonly #planned: Planned<WritePlan>;
  readonly #token: TokenPlan | undefined;

  constructor(deps: TransactDeps, road: Road, planned: Planned<WritePlan>, token: TokenPlan | undefined) {
    this.#deps = deps;
    this.#road = road;
    this.#planned = planned;
    this.#token = token;
  }

  get keys(): readonly Uint8Array[] {
    return this.#planned.map(({ key }) => key);
  }

  run(
    evaluations: Evaluations,
    isAtOnce: boolean,
    doubts: ReadonlyMap<number, Uint8Array> = new Map(),
  ): MaybePromise<UnitResult | TooLong> {
    const { store } = this.#deps;
    // Each run has its own time: a long evaluation before it may have taken a while.
    const settings = this.#deps.writeSettings(this.#road);
    // Where everything happens within this turn, nothing can happen to the tables in between.
    const isCurrent = store.immediate && isAtOnce;
    const unit = transactUnit(this.#planned, doubts, evaluations, this.#token, settings, isCurrent);
    return whenDone(store.transact(unit), (result) =>
      result instanceof EntriesInDoubt
        ? this.run(evaluations, isAtOnce, new Map([...doubts, ...result.keys]))
        : result,
    );
  }

  evaluate(position: number, stored: Uint8Array | undefined, slices: Slices): Promise<Evaluation> {
    const { table, plan, key } = this.#planned[position]!;
    if ('check' in plan) return evaluateCheck(plan, stored, slices);
    const { h16, encoder } = this.#deps.writeSettings(this.#road);
    return evaluateWrite(planItem(table, plan, h16, undefined, key), stored, encoder, slices);
  }
}

/** Runs a write transaction, unless another one holds one of its items. Then the later transaction is cancelled. */
function unlessInConflict<R>(
  inFlight: InFlight,
  planned: Planned<ActionPlan>,
  held: Planned<ActionPlan>,
  run: () => MaybePromise<R>,
): () => MaybePromise<R | DynamoError> {
  const keys = held.map(({ key }) => key);
  return () =>
    cancelledByConflict(planned, (key) => inFlight.isInTransaction(key)) ??
    inFlight.holding('transaction', keys, run);
}

function cancelledByConflict(
  planned: Planned<ActionPlan>,
  isHeld: (key: Uint8Array) => boolean,
): DynamoError | undefined {
  const conflicts = planned.map(({ key }) => (isHeld(key) ? transactionConflict() : undefined));
  return conflicts.some((conflict) => conflict !== undefined) ? transactionCancelled(conflicts) : undefined;
}

/** The stored items and their costs, in the order of the actions. */
export interface TransactRead {
  readonly stored: readonly (Uint8Array | undefined)[];
  readonly consumed: readonly Consumed[];
}

/**
 * Reads distinct items of several tables at one point in the order of all writes. If physics is enforced, an item under
 * write cancels the transaction.
 */
export function transactRead(
  deps: TransactDeps,
  road: Road,
  actions: readonly TransactAction<ActionPlan>[],
): MaybePromise<TransactRead | DynamoError> {
  const { store } = deps;
  return onTables<Planned<ActionPlan>, TransactRead>(deps, road, {
    names: actions,
    plan: (tables) => planActions(deps.h16, actions, tables),
    touches: (planned) => planned.map((action) => touchOf('read', action)),
    refused: cancelledByRefusals,
    run(planned) {
      const inFlight = heldIn(deps, planned)?.inFlight;
      const conflict = inFlight && cancelledByConflict(planned, (key) => inFlight.isBeingWritten(key));
      if (conflict !== undefined) return conflict;
      const read = store.exclusive
        ? store.getMany(planned.map(({ key }) => key))
        : store.transact(readUnit(planned));
      return whenDone<readonly (Uint8Array | undefined)[] | typeof stale, TransactRead | typeof stale>(
        read,
        (stored) => (stored === stale ? stale : charged(road, planned, stored)),
      );
    },
  });
}

function charged(
  road: Road,
  planned: Planned<ActionPlan>,
  stored: readonly (Uint8Array | undefined)[],
): TransactRead {
  const consumed = planned.map(({ key }, i) => {
    const item = stored[i];
    return consumedAt(readUnits(item === undefined ? 0 : readItemBytes(item), 'transactional'), key);
  });
  road.chargeTogether(planned.map(({ table }, i) => ({ table, access: 'read', consumed: consumed[i]! })));
  return { stored, consumed };
}

/**
 * The unit of a TransactGetItems on a shared store. It is a unit although it writes nothing: some engines of
 * PostgreSQL's protocol keep plain reads outside of their serializable transactions. Such a read could see a state
 * between two commits that fits no order of them (tests/serializability).
 */
function readUnit(planned: Planned<ActionPlan>): Unit<readonly (Uint8Array | undefined)[] | typeof stale> {
  const tables = [...new Set(planned.map(({ table }) => table))];
  return {
    reads: [...tables.map(({ epochKey }) => epochKey), ...planned.map(({ key }) => key)],
    settings: tables.length,
    decide({ values }) {
      const isStale = tables.some(({ epoch }, i) => !sameEpoch(values[i], epoch));
      return { result: isStale ? stale : values.slice(tables.length), mutations: [] };
    },
  };
}
