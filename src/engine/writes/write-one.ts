import type { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Slices } from '../../model/slices.ts';
import type { Store } from '../../storage/store.ts';
import type { Road } from '../road.ts';
import type { Table } from '../tables/table-record.ts';
import type { InFlight } from '../transactions/in-flight.ts';
import { evaluateWrite } from './evaluate-outside.ts';
import type { Evaluation, Evaluations, TooLong } from './evaluation.ts';
import type { LongEvaluations, LongUnit } from './long-evaluations.ts';
import {
  EntryInDoubt,
  type ItemPlan,
  type WriteResult,
  type WriteSettings,
  WriteUnit,
} from './write-item.ts';

export interface WriteOneDeps {
  readonly store: Store;
  readonly longEvaluations: LongEvaluations;
  /** The items under write, where transactions look for conflicts. */
  inFlightOf(table: Table): InFlight | undefined;
  /** Waits for as long as a write is under way, where that is acted out. */
  writeTime(): Promise<void>;
  writeSettings(road: Road): WriteSettings;
}

/** The result of a single write, whose evaluation has ended. */
type OneResult = Exclude<WriteResult, TooLong | EntryInDoubt>;

/** Runs the unit of a single write. */
export function writeOne(
  deps: WriteOneDeps,
  road: Road,
  plan: ItemPlan,
): MaybePromise<OneResult | DynamoError> {
  const inFlight = deps.inFlightOf(plan.table);
  return inFlight === undefined
    ? deps.longEvaluations.run(new LongWrite(deps, road, plan), true)
    : inFlight.writing(plan.key, () =>
        deps.writeTime().then(() => deps.longEvaluations.run(new LongWrite(deps, road, plan), false)),
      );
}

class LongWrite implements LongUnit<OneResult> {
  readonly #deps: WriteOneDeps;
  readonly #road: Road;
  readonly #plan: ItemPlan;

  constructor(deps: WriteOneDeps, road: Road, plan: ItemPlan) {
    this.#deps = deps;
    this.#road = road;
    this.#plan = plan;
  }

  get keys(): readonly Uint8Array[] {
    return [this.#plan.key];
  }

  run(evaluations: Evaluations, isAtOnce: boolean, plan = this.#plan): MaybePromise<OneResult | TooLong> {
    const { store } = this.#deps;
    // Where everything happens within this turn, nothing can happen to the table in between.
    const isCurrent = store.immediate && isAtOnce;
    const unit = new WriteUnit(plan, this.#deps.writeSettings(this.#road), isCurrent, evaluations.get(0));
    return whenDone(store.transact(unit), (result) =>
      result instanceof EntryInDoubt
        ? this.run(evaluations, isAtOnce, { ...plan, doubt: result.key })
        : result,
    );
  }

  evaluate(_position: number, stored: Uint8Array | undefined, slices: Slices): Promise<Evaluation> {
    const { encoder } = this.#deps.writeSettings(this.#road);
    return evaluateWrite(this.#plan, stored, encoder, slices, this.#plan.write.changes);
  }
}
