import { machine, wait } from '../../runtime/machine/machine.ts';

/** What the pace needs to know of time; a test hands in a clock of its own. */
export interface PaceClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const processClock: PaceClock = {
  now: machine.stopwatchMs,
  wait: (ms, signal) => wait(ms, undefined, { signal }),
};

/**
 * Holds calls to a number of units a second. What a page costs is known only afterwards, so that each page is paid by
 * waiting before the next one; pages are kept to about a second's worth, which keeps the rate even.
 */
export class UnitPace {
  readonly #rate: number | undefined;
  readonly #clock: PaceClock;
  #paidUntil: number | undefined;
  /** Items that one unit has read so far. */
  #itemsPerUnit: number | undefined;

  constructor(rate: number | undefined, clock: PaceClock = processClock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Waits until earlier pages are paid for. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.#rate === undefined || this.#paidUntil === undefined) return;
    const ms = this.#paidUntil - this.#clock.now();
    if (ms > 0) await this.#clock.wait(ms, signal);
  }

  /** Charges a page that was read. */
  charge(units: number, items: number): void {
    if (this.#rate === undefined) return;
    const from = Math.max(this.#clock.now(), this.#paidUntil ?? this.#clock.now());
    this.#paidUntil = from + (units / this.#rate) * 1_000;
    if (units > 0 && items > 0) this.#itemsPerUnit = items / units;
  }

  /** Items of a page for each of so many readers; undefined for as many as the service likes. */
  pageLimit(readers: number): number | undefined {
    if (this.#rate === undefined) return undefined;
    // The first page finds out how large the items are.
    if (this.#itemsPerUnit === undefined) return 10;
    return Math.max(1, Math.floor((this.#itemsPerUnit * this.#rate) / readers));
  }
}
