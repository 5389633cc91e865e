import type { Reader, Snapshot, Store } from '../../storage/store.ts';

/** The time and the turns of whoever runs a check; the engine has neither of its own. */
export interface Pace {
  /** Milliseconds that pass with the world's time, from any beginning. */
  nowMs(): number;
  /** Lets others have their turn. */
  pause(): Promise<void>;
}

/** The committed states that a check reads, one after another. */
export interface CheckStates {
  readonly isOld: boolean;
  readonly number: number;
  current(): Promise<Reader>;
  next(): Promise<Reader>;
}

/**
 * How long one state is held. It keeps a store from reusing space, and a store may close it after a minute; most
 * databases are checked in less.
 */
const ageMsMax = 20_000;

/**
 * The committed states that a check reads, one after another. All that is read in one state fits together however
 * busy the database is, so what is wrong there is wrong indeed. `number` tells the states apart.
 */
export class CommittedStates implements CheckStates {
  readonly #store: Store;
  readonly #pace: Pace;
  #snapshot: Snapshot | undefined;
  #since = 0;
  number = 0;

  constructor(store: Store, pace: Pace) {
    this.#store = store;
    this.#pace = pace;
  }

  get isOld(): boolean {
    return this.#pace.nowMs() - this.#since >= ageMsMax;
  }

  /** The state at hand, however old. */
  async current(): Promise<Reader> {
    return this.#snapshot ?? this.next();
  }

  /** The state of now. */
  async next(): Promise<Reader> {
    await this.close();
    this.#snapshot = await this.#store.snapshot();
    this.#since = this.#pace.nowMs();
    this.number++;
    return this.#snapshot;
  }

  async close(): Promise<void> {
    const before = this.#snapshot;
    this.#snapshot = undefined;
    await before?.close();
  }
}
