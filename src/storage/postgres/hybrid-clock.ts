/**
 * The clock that versions are taken from: the wall clock in microseconds, but always above everything this process
 * has given out or seen in the database. A clock that is set back, or that is behind another machine's, therefore
 * costs nothing but the distance from real time.
 */
export class HybridClock {
  readonly #nowMicros: () => number;
  #last = 0;

  constructor(nowMicros: () => number) {
    this.#nowMicros = nowMicros;
  }

  tick(): number {
    this.#last = Math.max(Math.floor(this.#nowMicros()), this.#last + 1);
    return this.#last;
  }

  observe(version: number): void {
    if (version > this.#last) this.#last = version;
  }
}
