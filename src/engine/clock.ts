import { shown } from '../model/check-options.ts';

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

  /** Starts at a time in milliseconds since 1970. */
  constructor(startMs: number) {
    this.#micros = microsOf(startMs, 'new VirtualClock takes the time to start at');
  }

  nowMicros(): number {
    return this.#micros;
  }

  nowMs(): number {
    return nowMs(this);
  }

  /** Moves the time, also backwards, as an operator setting a clock would. */
  advanceMs(ms: number): void {
    this.#micros += microsOf(ms, 'advanceMs takes how far to move');
    this.#moved();
  }

  setMs(ms: number): void {
    this.#micros = microsOf(ms, 'setMs takes the new time');
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

/**
 * Whole microseconds, because records keep times as integers: a pause of 161.8 ms with some chance in it may have more
 * decimals than that. A clock at `NaN` would make every comparison of times false, without any error.
 */
function microsOf(ms: number, takes: string): number {
  if (Number.isFinite(ms)) return Math.round(ms * 1000);
  const example = takes.includes('far') ? '60_000' : "Date.parse('2026-01-01')";
  throw new TypeError(`${takes} in milliseconds, such as ${example}, and not ${shown(ms)}`);
}
