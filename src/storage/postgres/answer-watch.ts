import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import type { Connection } from './connection.ts';
import type { SignOfLife } from './connector.ts';
import { supersedes } from './primary-check.ts';

export interface AnswerWatchOptions {
  /** After how long without an answer the cluster is asked for a sign of life. */
  readonly answerMsMax: number;
  /** After how long a statement is abandoned although the server lives. */
  readonly statementMsMax: number;
  readonly signOfLife: () => Promise<SignOfLife>;
}

interface Waiting {
  readonly connection: Connection;
  ticks: number;
}

/** How many times a statement is looked at before it counts as unanswered. */
const ticksPerAnswer = 4;

/**
 * Finds statements that nobody will answer. A server that is frozen, or a machine that is gone, leaves its connections
 * open, and TCP alone notices after many minutes, or never: a frozen server's kernel still acknowledges. A short limit
 * on every statement would end those that are slow for good reason.
 *
 * So a statement that is late is not ended but doubted: a new connection is made. If it leads to the same server, the
 * statement is slow, and waits on. If nobody answers, or another server has been promoted, the statement is abandoned:
 * its connection is dropped, and what became of it is found out as after any lost connection (`unknown-outcome.ts`).
 *
 * Time is counted in ticks of a timer and not read from a clock: a process that was itself frozen has its answers
 * waiting in its sockets, and must not take its own absence for that of the server.
 */
export class AnswerWatch {
  readonly #options: AnswerWatchOptions;
  readonly #tickMs: number;
  readonly #ticksMax: number;
  readonly #waiting = new Set<Waiting>();
  #stop: Cancel | undefined;
  #isAsking = false;
  #ticksSinceAsked = ticksPerAnswer;

  constructor(options: AnswerWatchOptions) {
    this.#options = options;
    this.#tickMs = Math.max(1, options.answerMsMax / ticksPerAnswer);
    this.#ticksMax = Math.ceil(options.statementMsMax / this.#tickMs);
  }

  /** Sends a statement and waits for its answer. */
  async run<T>(connection: Connection, send: () => Promise<T>): Promise<T> {
    const waiting: Waiting = { connection, ticks: 0 };
    this.#waiting.add(waiting);
    this.#stop ??= machine.every(this.#tickMs, () => this.#tick());
    try {
      return await send();
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  #tick(): void {
    if (this.#waiting.size === 0) {
      this.#stop?.();
      this.#stop = undefined;
      return;
    }
    this.#ticksSinceAsked++;
    let isLate = false;
    for (const waiting of this.#waiting) {
      waiting.ticks++;
      if (waiting.ticks > this.#ticksMax) this.#abandon(waiting, 'its time is over');
      else isLate ||= waiting.ticks > ticksPerAnswer;
    }
    if (isLate && !this.#isAsking && this.#ticksSinceAsked > ticksPerAnswer) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const late = [...this.#waiting].filter(({ ticks }) => ticks > ticksPerAnswer);
    const sign = await this.#options.signOfLife();
    this.#isAsking = false;
    this.#ticksSinceAsked = 0;
    for (const waiting of late) {
      if (!this.#waiting.has(waiting)) continue;
      if (!sign.alive) this.#abandon(waiting, sign.reason);
      else if (supersedes(sign.server, waiting.connection.server))
        this.#abandon(waiting, 'another server is the primary now');
    }
  }

  #abandon({ connection, ticks }: Waiting, why: string): void {
    const ms = Math.round(ticks * this.#tickMs);
    connection.abandon(new Error(`${connection.host.name} did not answer for ${ms} ms: ${why}`));
  }
}
