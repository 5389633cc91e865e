import type { MigrationSurroundings } from './migration-calls.ts';

/** How far a pace may lag behind before it forgets what it has not used: a second of catching up is within the rate. */
const slackMs = 1_000;
/** Throttles within this time count as one. */
const cooldownMs = 1_000;
const slowest = 0.05;

/**
 * Holds calls of many workers to a number of units a second. A call pays its estimate in advance and the difference
 * afterwards. Throttles slow all workers down at once; quiet seconds give the allowed rate back step by step.
 */
export class CapacityPace {
  readonly allowed: number;
  readonly #surroundings: MigrationSurroundings;
  #nextMs: number | undefined;
  #factor = 1;
  #slowedMs = Number.NEGATIVE_INFINITY;
  #raisedMs = 0;
  /** Units charged so far. */
  used = 0;
  throttles = 0;

  constructor(allowed: number, surroundings: MigrationSurroundings) {
    this.allowed = allowed;
    this.#surroundings = surroundings;
  }

  /** Units a second at this moment. */
  get rate(): number {
    return this.allowed * this.#factor;
  }

  /** Waits for a turn and charges what the call is thought to cost. */
  async take(units: number, signal: AbortSignal): Promise<void> {
    this.#recover();
    const now = this.#surroundings.now();
    const turn = Math.max(this.#nextMs ?? now, now - slackMs);
    this.#nextMs = turn + (units / this.rate) * 1_000;
    this.used += units;
    if (turn > now) await this.#surroundings.wait(turn - now, signal);
  }

  /** Corrects the charge of a call by what it did cost. */
  settle(estimated: number, units: number): void {
    this.used += units - estimated;
    if (this.#nextMs !== undefined) this.#nextMs += ((units - estimated) / this.rate) * 1_000;
  }

  /** The service refused a call for want of capacity. */
  throttled(): void {
    this.throttles++;
    const now = this.#surroundings.now();
    if (now - this.#slowedMs < cooldownMs) return;
    this.#slowedMs = now;
    this.#raisedMs = now;
    this.#factor = Math.max(slowest, this.#factor * 0.6);
  }

  #recover(): void {
    if (this.#factor === 1) return;
    const now = this.#surroundings.now();
    const quiet = Math.floor((now - this.#raisedMs) / cooldownMs);
    if (quiet < 1) return;
    this.#raisedMs += quiet * cooldownMs;
    this.#factor = Math.min(1, this.#factor + 0.05 * quiet);
  }
}
