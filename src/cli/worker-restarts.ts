/**
 * When a worker that has ended is followed by another: at once when it had served for a while, and after longer and
 * longer waits when workers end soon after their start, as they do while a database server is being restarted. When
 * that goes on, the reason will not go away by itself.
 */
export class WorkerRestarts {
  /** How many in a row have ended soon. */
  #soon = 0;

  get endedSoon(): number {
    return this.#soon;
  }

  /** How long to wait before the next start; undefined when there should be none. */
  waitMs(servedMs: number): number | undefined {
    if (servedMs >= whileMs) {
      this.#soon = 0;
      return 0;
    }
    this.#soon++;
    return this.#soon < endedSoonMax ? firstWaitMs * waitGrowth ** (this.#soon - 1) : undefined;
  }
}

const whileMs = 10_000;
const endedSoonMax = 5;
const firstWaitMs = 100;
/** The waits come to 8.5 seconds together. */
const waitGrowth = 4;
