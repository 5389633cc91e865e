import type { Clock } from '../../runtime/clock.ts';
import type { Caller } from '../events.ts';

/** The first pause of the SDKs before they try again, and the longest. */
const firstBackoffMs = 50;
const backoffMsMax = 20_000;

/**
 * The time by which balances fill: the time of the database's clock.
 *
 * On a clock that somebody moves by hand, time may stand still while an SDK tries a throttled request again and again.
 * Its pauses are real, but the clock does not show them. So a second or later attempt (the header `amz-sdk-request`
 * says which it is) counts as having waited: if nobody has moved the clock since the last refusal, the balances get
 * what the pause of that attempt gives, 50 ms and twice as much each time. This depends on requests alone, not on
 * how fast the machine is. The clock then catches up before balances fill further.
 */
export class ModelTime {
  readonly #clock: Clock;
  /** True for a clock that is moved by hand. */
  readonly isStill: boolean;
  /** How far the balances have been brought ahead of the clock; 0 when they have not. */
  #aheadMs = 0;
  #refusedAtMicros = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.isStill = clock.onMove !== undefined;
  }

  /** Milliseconds since 1970, with fractions. */
  nowMs(): number {
    const nowMs = this.#clock.nowMicros() / 1000;
    if (this.#aheadMs === 0) return nowMs;
    // A clock that was set back takes the balances with it.
    if (nowMs >= this.#aheadMs || this.#aheadMs - nowMs > 10 * backoffMsMax) {
      this.#aheadMs = 0;
      return nowMs;
    }
    return this.#aheadMs;
  }

  noteRefusal(): void {
    this.#refusedAtMicros = this.#clock.nowMicros();
  }

  noteAttempt(caller: Caller): void {
    if (this.#clock.nowMicros() !== this.#refusedAtMicros) return;
    const attempt = attemptOf(caller.header('amz-sdk-request'));
    if (attempt < 2) return;
    this.#aheadMs = this.nowMs() + Math.min(firstBackoffMs * 2 ** (attempt - 2), backoffMsMax);
  }
}

function attemptOf(header: string | undefined): number {
  const found = header === undefined ? null : /attempt=(\d{1,4})/.exec(header);
  return found === null ? 1 : Number(found[1]);
}
