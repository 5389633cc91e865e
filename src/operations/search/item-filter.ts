import { ConditionWork } from '../../expressions/condition-work.ts';
import { meetsCondition } from '../../expressions/evaluate-condition.ts';
import type { Condition } from '../../expressions/tree.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { type Portion, stepsPerSlice } from '../../model/slices.ts';
import type { Item } from '../../model/values/attribute-value.ts';

/** Judges the items of a page by a filter, in slices. */
export class ItemFilter {
  readonly #condition: Condition;
  readonly #portion: Portion;
  readonly #work = new ConditionWork(stepsPerSlice);
  #counted = 0;
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
    work.begin();
    const isMet = meetsCondition(this.#condition, item, work);
    this.waiting = this.#spend();
    return work.isStopped ? this.#goOn(item) : isMet;
  }

  async #goOn(item: Item): Promise<boolean> {
    const work = this.#work;
    let isMet = false;
    do {
      await this.waiting;
      work.goOn();
      isMet = meetsCondition(this.#condition, item, work);
      this.waiting = this.#spend();
    } while (work.isStopped);
    return isMet;
  }

  #spend(): Promise<void> | undefined {
    const { steps } = this.#work;
    const spent = steps - this.#counted;
    this.#counted = steps;
    return this.#portion.spend(spent);
  }
}
