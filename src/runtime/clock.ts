import { shown } from '../model/check-options.ts';
import { VirtualTimers } from './virtual-timers.ts';

/**
 * The time, handed in. Nothing in the engine reads the wall clock: with a virtual clock a test moves the time, and
 * everything that depends on it follows.
 */
export interface Clock {
  /** Microseconds since 1970. */
  nowMicros(): number;
  /**
   * Calls the listener after every move, on a clock that moves by hand; the returned function ends that. A clock that goes
   * by itself has no moves to report.
   */
  onMove?(listener: () => void): () => void;
}

export function nowMs(clock: Clock): number {
  return Math.floor(clock.nowMicros() / 1000);
}

/** The timers that go off as a virtual clock is moved; a function, because users of the clock have no need of them. */
export function timersOf(clock: VirtualClock | SimulatedClock): VirtualTimers {
  return clock instanceof SimulatedClock ? clock.timers : timersByHand(clock);
}

let timersByHand: (clock: VirtualClock) => VirtualTimers;

/** A clock that stands still until it is moved. */
export class VirtualClock implements Clock {
  static {
    timersByHand = (clock) => clock.#timers;
  }

  #micros: number;
  readonly #timers = new VirtualTimers();
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
    this.#set(this.#micros + microsOf(ms, 'advanceMs takes how far to move'));
  }

  setMs(ms: number): void {
    this.#set(microsOf(ms, 'setMs takes the new time'));
  }

  onMove(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(micros: number): void {
    const passed = micros - this.#micros;
    this.#micros = micros;
    if (passed > 0) this.#timers.pass(passed);
    for (const listener of this.#listeners) listener();
  }
}

/**
 * The clock of a simulation, which jumps from timer to timer. It reports no moves: on it all work sleeps until its time
 * has come, requests too.
 */
export class SimulatedClock implements Clock {
  readonly timers = new VirtualTimers();
  readonly #startMicros: number;

  /** Starts at a time in milliseconds since 1970. */
  constructor(startMs: number) {
    this.#startMicros = Math.round(startMs * 1000);
  }

  nowMicros(): number {
    return this.#startMicros + this.timers.nowMicros;
  }
}

/** The clock of a fork: one that is moved by hand is copied, and then moves on its own. */
export function forkedClock(clock: Clock): Clock {
  return clock instanceof VirtualClock ? new VirtualClock(clock.nowMicros() / 1000) : clock;
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
