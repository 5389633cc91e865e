/** Runs something in a later turn of the event loop, in the order of asking. */
export type TurnSource = (run: () => void) => void;

/**
 * The turns of a virtual runtime. They come from the event loop, but wait for calls to the world outside: a disk takes as
 * long as it takes, and which turn comes before its answer must not depend on that.
 */
export class VirtualTurns {
  readonly #source: TurnSource;
  readonly #held: (() => void)[] = [];
  /** Turns that the event loop owes, and calls outside that go on. */
  #owed = 0;
  #calls = 0;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(source: TurnSource) {
    this.#source = source;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#owed++;
      const run = () => {
        this.#owed--;
        resolve();
      };
      this.#source(() => this.#runOrHold(run));
    });
  }

  /** Runs a call; answers come in the order of asking, also of failed calls. */
  outside<T>(call: () => Promise<T>): Promise<T> {
    this.#calls++;
    const before = this.#latest;
    const answer = call();
    const released = Promise.allSettled([answer, before]).then(() => this.#ended());
    this.#latest = released;
    return released.then(() => answer);
  }

  /** Resolves when no turn is owed and no call goes on. */
  async idle(): Promise<void> {
    do await new Promise<void>((resolve) => this.#source(resolve));
    while (this.#owed > 0 || this.#calls > 0);
  }

  #runOrHold(run: () => void): void {
    if (this.#calls > 0) this.#held.push(run);
    else run();
  }

  #ended(): void {
    this.#calls--;
    if (this.#calls > 0) return;
    const held = this.#held.splice(0);
    // The answer's own turn comes first.
    for (const run of held) this.#source(() => this.#runOrHold(run));
  }
}
