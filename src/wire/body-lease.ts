import { machine } from '../runtime/machine/machine.ts';
import type { BodyBudget } from './body-budget.ts';

/** The room that one request body takes of the budgets, from its first byte to its answer. */
export class BodyLease {
  readonly #budget: BodyBudget;
  /** The bytes that are reserved while the body arrives. */
  #reserved = 0;
  /** The estimated memory of the work on the body, since it began. */
  #weight = 0;
  /** Gives up waiting for room. */
  #cancelWait: (() => void) | undefined;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Whether the body waits for room to arrive. */
  get isWaiting(): boolean {
    return this.#cancelWait !== undefined;
  }

  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Reserves room for bytes to arrive, and calls `goOn` once there is. If that is later, `resume` is called too, in a
   * turn of its own. Returns false if too many bodies wait already.
   */
  reserve(bytes: number, goOn: () => void, resume: () => void): boolean {
    const granted = () => {
      this.#cancelWait = undefined;
      this.#reserved += bytes;
      goOn();
    };
    const grantedLater = () => {
      granted();
      machine.soon(resume);
    };
    const found = this.#budget.reserve(bytes, grantedLater, this.#reserved);
    if (found === undefined) return false;
    if (found === true) granted();
    else this.#cancelWait = found;
    return true;
  }

  /** Begins work on the whole body, if there is room for it. The body then no longer counts as arriving. */
  begin(weight: number): boolean {
    if (!this.#budget.begin(weight)) return false;
    this.#began(weight);
    return true;
  }

  beginLater(weight: number, run: () => void): void {
    this.#budget.beginLater(weight, () => {
      this.#began(weight);
      run();
    });
  }

  /** Gives everything back. */
  end(): void {
    const [weight, reserved, cancel] = [this.#weight, this.#reserved, this.#cancelWait];
    this.#weight = 0;
    this.#reserved = 0;
    this.#cancelWait = undefined;
    cancel?.();
    if (reserved > 0) this.#budget.release(reserved);
    if (weight > 0) this.#budget.end(weight);
  }

  #began(weight: number): void {
    this.#weight = weight;
    const reserved = this.#reserved;
    this.#reserved = 0;
    if (reserved > 0) this.#budget.release(reserved);
  }
}
