import type { Belief } from './swap.ts';

interface Line {
  /** Resolved when the last one in the line is done. */
  end: Promise<void>;
  /** What the key holds by the last commit of this process. */
  left: Belief | undefined;
}

/**
 * Units of this process that met on a key, one behind the other. If all of them tried again until they won, some of
 * many writers to one key would not win for seconds. Units of other processes are still met by trying.
 *
 * A line is there only as long as somebody is in it. Who comes meanwhile stands behind the others, and finds what the
 * one before has left on the key, so that it need not be refused to get to know it.
 */
export class WaitingLines {
  readonly #lines = new Map<string, Line>();

  isBusy(keys: readonly string[]): boolean {
    return this.#lines.size > 0 && keys.some((key) => this.#lines.has(key));
  }

  /** What the key is believed to hold, if there is a line and somebody has told. */
  left(key: string): Belief | undefined {
    return this.#lines.get(key)?.left;
  }

  /** Tells those in line what was committed. */
  leave(key: string, belief: Belief): void {
    const line = this.#lines.get(key);
    if (line !== undefined) line.left = belief;
  }

  /** Does the work as soon as everybody is done who came before for one of the keys. */
  async inTurn<T>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    let finish = () => {};
    const end = new Promise<void>((resolve) => {
      finish = resolve;
    });
    // All lines are joined at once, so that no two can wait for each other.
    const ahead = keys.map((key) => this.#join(key, end));
    const turn = Promise.all(ahead);
    try {
      await (signal === undefined ? turn : unlessAborted(turn, signal));
      return await work();
    } finally {
      // Who gives up before his turn must not let those behind him pass those before.
      void turn.then(() => {
        finish();
        for (const key of keys) if (this.#lines.get(key)?.end === end) this.#lines.delete(key);
      });
    }
  }

  /** Answers when it is one's turn. */
  #join(key: string, end: Promise<void>): Promise<void> | undefined {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, { end, left: undefined });
      return undefined;
    }
    const before = line.end;
    line.end = end;
    return before;
  }
}

function unlessAborted(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void turn.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
