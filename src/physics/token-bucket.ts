import { debtSecondsMax } from './constants.ts';

/**
 * A balance of capacity units that fills at a rate up to a depth. A request is admitted while the balance is positive
 * and charged afterwards, so a balance can go into debt. The debt has a floor: after `debtSecondsMax` seconds any
 * balance is positive again. A bucket of infinite rate is always full.
 */
export class TokenBucket {
  /** Units a second. */
  rate: number;
  depth: number;
  balance: number;
  #floor: number;

  constructor(rate: number, depthSeconds: number) {
    this.rate = rate;
    this.depth = rate * depthSeconds;
    this.balance = this.depth;
    this.#floor = -rate * debtSecondsMax;
  }

  /** `seconds` must be positive: an infinite rate times zero is no number. */
  refill(seconds: number): void {
    this.balance = Math.min(this.depth, this.balance + this.rate * seconds);
  }

  spend(units: number): void {
    this.balance = Math.max(this.#floor, this.balance - units);
  }

  /** A balance keeps what it has, within the new depth and the new floor. */
  setRate(rate: number, depthSeconds: number): void {
    if (rate === this.rate && rate * depthSeconds === this.depth) return;
    const wasUnlimited = this.rate === Number.POSITIVE_INFINITY;
    this.rate = rate;
    this.depth = rate * depthSeconds;
    this.#floor = -rate * debtSecondsMax;
    this.balance = wasUnlimited ? this.depth : Math.min(this.depth, Math.max(this.#floor, this.balance));
    if (rate === Number.POSITIVE_INFINITY) this.balance = rate;
  }

  /** Milliseconds until the balance is positive, if nothing is charged meanwhile. */
  get waitMs(): number {
    return this.balance > 0 ? 0 : Math.ceil((-this.balance / this.rate) * 1000) + 1;
  }
}
