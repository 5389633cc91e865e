/** The wish to stop, as signals say it: the first asks, a second one insists and ends the process at once. */
export class StopSignals {
  readonly #asked = new AbortController();
  readonly #listener: (signal: NodeJS.Signals) => void;

  constructor() {
    this.#listener = (signal) => {
      // Nothing is lost: what was answered is in the store.
      if (this.#asked.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
      this.#asked.abort(signal);
    };
    for (const signal of stopSignals) process.on(signal, this.#listener);
  }

  /** Aborted once a signal has come. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Resolves with the first signal. */
  wait(): Promise<string> {
    return new Promise((resolve) => {
      const done = () => resolve(String(this.asked.reason));
      if (this.asked.aborted) done();
      else this.asked.addEventListener('abort', done, { once: true });
    });
  }

  release(): void {
    for (const signal of stopSignals) process.off(signal, this.#listener);
  }
}

export const stopSignals = ['SIGINT', 'SIGTERM'] as const;
