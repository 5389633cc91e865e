import { type Clock, nowMs } from './clock.ts';

/**
 * Moments between writes. The clock alone cannot tell writes before a moment from those after it: it may stand still,
 * and writes to one item get times a microsecond apart then. So a moment is the end of a millisecond, and whoever
 * writes after it in this process writes in a later one.
 */
export class Moments {
  readonly #clock: Clock;
  /** The earliest time of a write: after the latest moment that was taken. */
  #floorMicros = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time of a write that is made now, in microseconds. */
  nowMicros(): number {
    return Math.max(this.#clock.nowMicros(), this.#floorMicros);
  }

  /** A moment that has all writes of this process so far and none of its later ones, in microseconds. */
  take(): number {
    const ms = Math.max(nowMs(this.#clock), Math.ceil(this.#floorMicros / 1000));
    this.#floorMicros = (ms + 1) * 1000;
    return endOfMs(ms);
  }

  /** The moment of a time in milliseconds. That of now has all writes so far. */
  of(ms: number): number {
    const floorMs = Math.ceil(this.#floorMicros / 1000);
    return endOfMs(ms < nowMs(this.#clock) ? ms : Math.max(ms, floorMs));
  }
}

/** The last microsecond of a millisecond. */
function endOfMs(ms: number): number {
  return ms * 1000 + 999;
}
