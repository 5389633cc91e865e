/**
 * The time, handed in. Nothing in the engine reads the wall clock: with a virtual clock a test moves the time, and
 * everything that depends on it follows.
 */
export interface Clock {
  /** Microseconds since 1970. */
  nowMicros(): number;
  /**
   * Tells of every move, on a clock that moves by hand; the answer ends that. A clock that goes by itself has nothing
   * to tell, and whoever waits for a moment waits in real time.
   */
  onMove?(listener: () => void): () => void;
}

export function nowMs(clock: Clock): number {
  return Math.floor(clock.nowMicros() / 1000);
}

/** A clock that stands still until it is moved. */
export class VirtualClock implements Clock {
  #micros: number;
  readonly #listeners = new Set<() => void>();

  constructor(startMs: number) {
    this.#micros = startMs * 1000;
  }

  nowMicros(): number {
    return this.#micros;
  }

  nowMs(): number {
    return nowMs(this);
  }

  /** Moves the time, also backwards, as an operator setting a clock would. */
  advanceMs(ms: number): void {
    this.#micros += ms * 1000;
    this.#moved();
  }

  setMs(ms: number): void {
    this.#micros = ms * 1000;
    this.#moved();
  }

  onMove(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #moved(): void {
    for (const listener of this.#listeners) listener();
  }
}
