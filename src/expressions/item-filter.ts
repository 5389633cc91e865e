import type { MaybePromise } from '../model/maybe-promise.ts';
import { type Portion, stepsPerSlice } from '../model/slices.ts';
import type { Item } from '../model/values/attribute-value.ts';
import { ConditionWork, keptSteps } from './condition-work.ts';
import { meetsCondition } from './evaluate-condition.ts';
import type { Condition } from './tree.ts';

/** Judges items by a filter, in slices. */
export class ItemFilter {
  readonly #condition: Condition;
  readonly #portion: Portion;
  readonly #work = new ConditionWork(stepsPerSlice);
  /** The wait that the last item ended with. */
  waiting: Promise<void> | undefined;

  constructor(condition: Condition, portion: Portion) {
    this.#condition = condition;
    this.#portion = portion;
  }

  /**
   * Whether an item meets the filter. `waiting` is then what the next item has to wait for; a promise has waited
   * already.
   */
  meets(item: Item): MaybePromise<boolean> {
    const work = this.#work;
    work.steps = 0;
    const isMet = meetsCondition(this.#condition, item, work);
    this.waiting = this.#portion.spend(work.steps);
    if (work.steps < keptSteps) return isMet;
    if (work.isStopped) return this.#goOn(item);
    work.begin();
    return isMet;
  }

  async #goOn(item: Item): Promise<boolean> {
    const work = this.#work;
    let isMet = false;
    do {
      await this.waiting;
      const before = work.steps;
      work.goOn();
      isMet = meetsCondition(this.#condition, item, work);
      this.waiting = this.#portion.spend(work.steps - before);
    } while (work.isStopped);
    work.begin();
    return isMet;
  }
}
