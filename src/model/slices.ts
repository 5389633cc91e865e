/**
 * Long work in slices, which all long work of a database shares: however many requests there are, a turn of the event loop
 * does one slice of all of them together. A process has one thread: whoever works longer than a slice makes every other
 * request wait. So long work counts its steps, and waits for a turn of the event loop after every slice.
 *
 * A step is about what it takes to combine two points of a series, or to look at one stored entry: 20 to 100 ns. A slice is
 * thus 1 to 5 ms, as long as a page of 1 MB takes to read.
 */
export const stepsPerSlice = 50_000;

/**
 * The largest piece of work that is not cut: two passes over a series of 110,000 points, the longest that metric math makes.
 * No request holds the event loop for longer than a slice and one such piece.
 */
export const stepsAtOnceMax = 250_000;

export class Slices {
  readonly #turn: () => Promise<void>;
  /** The work that waits, in its order. */
  readonly #waiting: (() => void)[] = [];
  #steps = 0;

  /** `turn` resolves after a turn of the event loop. */
  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  /** Counts steps that follow, or were just made. Answers a promise to wait for if the slice is over. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps < stepsPerSlice) return undefined;
    return new Promise((goOn) => {
      this.#waiting.push(goOn);
      if (this.#waiting.length === 1) void this.#letThrough();
    });
  }

  /** One piece of work goes on in each turn: all together would make as many pieces in one turn. */
  async #letThrough(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#turn();
      this.#steps = 0;
      this.#waiting[0]!();
      this.#waiting.shift();
    }
  }
}

/**
 * The steps that a request collects before it counts them. Ordinary requests stay below, so that they touch no shared
 * counter and never wait.
 */
const stepsPerPortion = 5_000;

/** The steps of one request. */
export class Portion {
  readonly #slices: Slices;
  #steps = 0;

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** Counts steps that were just made. Answers a promise to wait for if the slice is over. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps < stepsPerPortion) return undefined;
    const counted = this.#steps;
    this.#steps = 0;
    return this.#slices.spend(counted);
  }
}
