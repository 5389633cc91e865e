import { machine } from '../runtime/machine/machine.ts';
import { bodyBudgetLimits, patienceLimits, type ServerLimits } from './wire-limits.ts';

const { smallBodyBytes, waitersMax, memoryPerByte } = bodyBudgetLimits;
/** The weight of the longest small body. */
const smallWeight = smallBodyBytes * memoryPerByte;

/** A body, or the work on it, that waits for room. */
interface Waiter {
  readonly bytes: number;
  /** The bytes that the same body has reserved already. */
  readonly own: number;
  readonly run: () => void;
}

/**
 * The memory that request bodies may take in one process. A body takes part in two budgets, one after the other:
 *
 * - While it **arrives**, and until work on it begins, its announced length is reserved. These bytes are nobody's yet:
 *   where signatures are verified, the signature needs the last of them.
 * - While an operation **works** on it, an estimate of what becomes of it: text, tree, inflated bytes.
 *
 * A body without room waits in its order. The whole length is reserved at once, so bodies that have begun never wait
 * for each other. Small bodies do not wait behind large ones, and have a share of both budgets for themselves.
 */
export class BodyBudget {
  readonly #limits: ServerLimits;
  #arriving = 0;
  #working = 0;
  /** Bytes of unfinished heads and of requests that wait behind another one of their connection. */
  #held = 0;
  readonly #arrivals = new Set<Waiter>();
  readonly #works = new Set<Waiter>();
  #isBeginning = false;
  #isAdmitting = false;
  /** The most bytes that were reserved at one time. */
  arrivingPeak = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  get arriving(): number {
    return this.#arriving;
  }

  get working(): number {
    return this.#working;
  }

  get held(): number {
    return this.#held;
  }

  /** How full the budget for arriving bytes is, from 0 to 1. */
  get pressure(): number {
    if (this.#arrivals.size > 0) return 1;
    return Math.min(1, (this.#arriving + this.#held) / this.#limits.arrivingBytesMax);
  }

  hold(bytes: number): void {
    this.#held += bytes;
  }

  /**
   * Reserves room for a body. Returns true if there is room. Otherwise `run` is called when there is, unless the
   * returned function cancels it; undefined if too many wait already. `own` is what the same body has reserved before.
   */
  reserve(bytes: number, run: () => void, own = 0): true | (() => void) | undefined {
    if (this.#hasRoom(bytes, own) && (bytes <= smallBodyBytes || this.#arrivals.size === 0)) {
      this.#take(bytes);
      return true;
    }
    if (this.#arrivals.size >= waitersMax) return undefined;
    const waiter = { bytes, own, run };
    this.#arrivals.add(waiter);
    return () => {
      this.#arrivals.delete(waiter);
      this.#admit();
    };
  }

  release(bytes: number): void {
    this.#arriving -= bytes;
    this.#admit();
  }

  /** The estimated memory of work on a body of this length. */
  static weightOf(bytes: number): number {
    return bytes * memoryPerByte;
  }

  /** Begins work if there is room for it; `end` must follow. */
  begin(weight: number): boolean {
    if (!this.#hasRoomFor(weight) || (weight > smallWeight && this.#works.size > 0)) return false;
    this.#working += weight;
    return true;
  }

  /** Begins work when there is room for it; `end` must follow. */
  beginLater(weight: number, run: () => void): void {
    this.#works.add({ bytes: weight, own: 0, run });
    this.#beginNext();
  }

  end(weight: number): void {
    this.#working -= weight;
    this.#beginNext();
  }

  /** Begins waiting work, one body in each turn of the event loop, so that other connections come in between. */
  #beginNext(): void {
    if (this.#works.size === 0 || this.#isBeginning) return;
    this.#isBeginning = true;
    machine.soon(() => {
      this.#isBeginning = false;
      const [waiter] = this.#works;
      if (waiter === undefined || !this.#hasRoomFor(waiter.bytes)) return;
      this.#works.delete(waiter);
      this.#working += waiter.bytes;
      waiter.run();
      this.#beginNext();
    });
  }

  #hasRoom(bytes: number, own: number): boolean {
    const { arrivingBytesMax } = this.#limits;
    const share = bytes <= smallBodyBytes ? arrivingBytesMax : (arrivingBytesMax / 4) * 3;
    // A body that is larger than the budget still gets in, alone.
    return this.#arriving + bytes <= share || this.#arriving === own;
  }

  #take(bytes: number): void {
    this.#arriving += bytes;
    this.arrivingPeak = Math.max(this.arrivingPeak, this.#arriving);
  }

  #admit(): void {
    // An admitted body may release its room before this call returns.
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    for (const waiter of this.#arrivals) {
      if (!this.#hasRoom(waiter.bytes, waiter.own)) break;
      this.#arrivals.delete(waiter);
      this.#take(waiter.bytes);
      waiter.run();
    }
    this.#isAdmitting = false;
  }

  #hasRoomFor(weight: number): boolean {
    const { workingBytesMax } = this.#limits;
    const share = weight <= smallWeight ? (workingBytesMax / 4) * 5 : workingBytesMax;
    return this.#working + weight <= share || this.#working === 0;
  }
}

/** A time limit under pressure: unchanged up to a share of the budget, then shrinking to its minimum. */
export function underPressure(ms: number, msMin: number, pressure: number): number {
  const { calmShare } = patienceLimits;
  if (pressure <= calmShare || ms <= msMin) return ms;
  return msMin + ((ms - msMin) * (1 - pressure)) / (1 - calmShare);
}
