import { machine } from '../../runtime/machine/machine.ts';
import type { Belief } from './swap.ts';

interface Line {
  /** Resolved when the last one in the line is done. */
  end: Promise<void>;
  /** What the key holds, by the last commit that somebody told. */
  left: Belief | undefined;
}

/**
 * Units of this process that met on something, one behind the other. If all of them tried again until they won, some
 * of many writers to one key would not win for seconds. Units of other processes are still met by trying.
 *
 * A line is there only as long as somebody is in it. Who comes meanwhile stands behind the others, and finds what the
 * one before has left, so that it need not be refused to get to know it.
 */
export class WaitingLines {
  readonly #lines = new Map<string, Line>();
  readonly #waitMsMax: number;

  /** Nobody waits longer than this for those before: the first in line may have met a server that does not answer. */
  constructor(waitMsMax: number) {
    this.#waitMsMax = waitMsMax;
  }

  isBusy(claims: readonly string[]): boolean {
    return this.#lines.size > 0 && claims.some((claim) => this.#lines.has(claim));
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

  /** Does the work as soon as everybody is done who came before for one of the claims, or has taken too long. */
  async inTurn<T>(claims: readonly string[], work: (isTurn: boolean) => Promise<T>): Promise<T> {
    let finish = () => {};
    const end = new Promise<void>((resolve) => {
      finish = resolve;
    });
    // All lines are joined at once, so that no two can wait for each other.
    const before = [...new Set(claims)].map((claim) => this.#join(claim, end));
    const turn = Promise.all(before);
    try {
      const isTurn = before.every((one) => one === undefined) || (await isDoneWithin(turn, this.#waitMsMax));
      return await work(isTurn);
    } finally {
      // Who did not wait for his turn must not let those behind him pass those before.
      void turn.then(() => {
        finish();
        for (const claim of claims) if (this.#lines.get(claim)?.end === end) this.#lines.delete(claim);
      });
    }
  }

  /** What it has to wait for, unless it is the first. */
  #join(claim: string, end: Promise<void>): Promise<void> | undefined {
    const line = this.#lines.get(claim);
    if (line === undefined) {
      this.#lines.set(claim, { end, left: undefined });
      return undefined;
    }
    const before = line.end;
    line.end = end;
    return before;
  }
}

function isDoneWithin(turn: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = machine.timer(ms, () => resolve(false));
    void turn.then(() => {
      cancel();
      resolve(true);
    });
  });
}
