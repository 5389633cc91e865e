import type { Store } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { bytes, increment, numberIn, sumOf } from './units.ts';

/** Clients that each count up a key of their own, with what they were told. */
export class CountingLoad {
  readonly #store: Store;
  readonly #clients: Promise<void>[];
  readonly #acknowledged: number[];
  readonly #unknown: number[];
  /** Errors that no client should see. */
  readonly strange: unknown[] = [];
  #isRunning = true;
  #onAcknowledged = () => {};
  #onTrouble = () => {};

  constructor(store: Store, clients: number) {
    this.#store = store;
    this.#acknowledged = new Array<number>(clients).fill(0);
    this.#unknown = new Array<number>(clients).fill(0);
    this.#clients = this.#acknowledged.map((_, i) => this.#count(i));
  }

  /** Waits until so many more units were acknowledged. */
  acknowledged(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onAcknowledged = () => --count <= 0 && resolve();
    });
  }

  /** Waits until so many units more have failed. */
  troubled(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onTrouble = () => --count <= 0 && resolve();
    });
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#clients);
  }

  /** What a store holds that it should not, or lacks: every acknowledged count is there, and none twice. */
  async faultsIn(store: Store): Promise<string[]> {
    const faults: string[] = [];
    for (const [i, acknowledged] of this.#acknowledged.entries()) {
      const value = numberIn(await store.get(bytes(`k${i}`)));
      const sum = await sumOf(store, `n:k${i}`);
      const most = acknowledged + this.#unknown[i]!;
      if (value < acknowledged || value > most || sum !== value)
        faults.push(`k${i}: ${value}, counted ${sum}, acknowledged ${acknowledged} to ${most}`);
    }
    return faults;
  }

  async #count(i: number): Promise<void> {
    while (this.#isRunning) {
      try {
        await this.#store.transact(increment(`k${i}`));
        this.#acknowledged[i]!++;
        this.#onAcknowledged();
      } catch (error) {
        if (!(error instanceof StoreError)) this.strange.push(error);
        else if (error.trouble === 'unknown-outcome') this.#unknown[i]!++;
        else if (error.trouble !== 'unavailable') this.strange.push(error);
        this.#onTrouble();
        // Lets others in: a refused connection fails at once.
        await new Promise(setImmediate);
      }
    }
  }
}
