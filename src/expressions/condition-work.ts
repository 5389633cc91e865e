import type { AttributeValue } from '../model/values/attribute-value.ts';
import { decodeBase64 } from '../model/values/base64.ts';
import { mayTake, type StepCount } from '../model/values/find-part.ts';

/** The answer of an evaluation that stopped before its end. */
export const unfinished = Symbol('unfinished evaluation');

/**
 * Counts the steps of evaluating a condition on one item, and lets a long evaluation stop and go on. A condition of 4 KB
 * may search an item of 400 KB 240 times, which takes millions of steps (`model/slices.ts`).
 *
 * It stops after `stepsMax` steps: whatever is left counts as not met, and the result has no meaning. Evaluated again,
 * with the same item, the condition goes on where it stopped, because the costly parts that were judged are kept. The
 * cheap ones are judged again: they take less than `keptSteps` each, and a condition has at most 1,400 of them.
 */
export class ConditionWork implements StepCount {
  /** The steps of the evaluations of this item so far. */
  steps = 0;
  readonly cutAt: number;
  readonly #stepsMax: number;
  #stopAt: number;
  #isStopped = false;
  #judged: Map<object, boolean> | undefined;
  #decoded: Map<AttributeValue, Uint8Array> | undefined;

  /**
   * With `cuts`, the evaluation also stops within a part of the condition. It cannot go on then: another evaluation has
   * to begin anew.
   */
  constructor(stepsMax = unlimited, cuts = false) {
    this.#stepsMax = stepsMax;
    this.#stopAt = stepsMax;
    this.cutAt = cuts ? stepsMax : unlimited;
  }

  /** Whether the evaluation stopped before its end. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Lets the evaluation of the same item go on for another `stepsMax` steps. */
  goOn(): void {
    this.#isStopped = false;
    this.#stopAt = this.steps + this.#stepsMax;
  }

  /**
   * Lets the evaluation of another item begin. After fewer than `keptSteps` nothing was kept of the last one, and setting
   * `steps` to zero is enough.
   */
  begin(): void {
    this.steps = 0;
    this.#isStopped = false;
    this.#stopAt = this.#stepsMax;
    this.#judged = undefined;
    this.#decoded = undefined;
  }

  /** What an earlier evaluation of this item found out about a part of the condition. */
  known(part: object): boolean | undefined {
    return this.#judged?.get(part);
  }

  /** Notes what became of a part, which began when `steps` was `before`. */
  note(part: object, result: boolean, before: number): void {
    if (this.steps - before >= keptSteps && !this.#isStopped) {
      this.#judged ??= new Map();
      this.#judged.set(part, result);
    }
    if (this.steps >= this.#stopAt) this.#isStopped = true;
  }

  /** The bytes of a binary value, decoded once for an item however often it is searched. */
  bytesOf(value: AttributeValue & { readonly B: string }): Uint8Array {
    const steps = value.B.length >> 4;
    if (steps < keptSteps) return decodeBase64(value.B);
    let bytes = this.#decoded?.get(value);
    if (bytes === undefined) {
      if (!mayTake(steps, this)) return noBytes;
      bytes = decodeBase64(value.B);
      this.#decoded ??= new Map();
      this.#decoded.set(value, bytes);
    }
    return bytes;
  }
}

/** The work of an evaluation, or the steps after which a new one is cut. */
export type WorkLimit = ConditionWork | number;

const noBytes = new Uint8Array(0);

/** More steps than any evaluation takes, and still a small integer for V8. */
const unlimited = 1_000_000_000;

/** The fewest steps of a part whose result is kept. */
export const keptSteps = 16;
