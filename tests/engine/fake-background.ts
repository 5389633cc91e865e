import type { Background } from '../../src/engine/background/background-worker.ts';
import { type Clock, VirtualClock } from '../../src/runtime/clock.ts';

interface FakePause {
  readonly ms: number;
  readonly signal: AbortSignal;
  end(): void;
}

/** A background whose pauses end when a test says so, or when they are aborted. */
export class FakeBackground implements Background {
  readonly #off = new AbortController();
  readonly signal: AbortSignal = this.#off.signal;
  readonly clock: Clock;
  readonly lines: string[] = [];
  /** Every pause that was ever asked for. */
  readonly pauses: FakePause[] = [];
  readonly #open = new Set<FakePause>();
  realMs = 0;

  constructor(clock: Clock = new VirtualClock(1_000_000)) {
    this.clock = clock;
  }

  /** The pauses that go on. */
  get open(): readonly FakePause[] {
    return [...this.#open];
  }

  readonly log = (line: string) => void this.lines.push(line);
  readonly stopwatchMs = () => this.realMs;
  readonly pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        this.#open.delete(pause);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const pause = { ms, signal, end };
      this.pauses.push(pause);
      this.#open.add(pause);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });

  abort(): void {
    this.#off.abort();
  }

  /** Ends all pauses, those that follow from it too, and answers how long they were. */
  async endPauses(): Promise<number[]> {
    const ms: number[] = [];
    for (await nextTurn(); this.#open.size > 0; await nextTurn())
      for (const pause of this.open) {
        ms.push(pause.ms);
        this.realMs += pause.ms;
        pause.end();
      }
    return ms;
  }
}

export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A job whose passes end when a test says so. */
export class FakeJob {
  passes = 0;
  #end: { readonly well: () => void; readonly badly: (error: unknown) => void } | undefined;

  get isRunning(): boolean {
    return this.#end !== undefined;
  }

  readonly run = () => {
    this.passes++;
    return new Promise<void>((well, badly) => {
      this.#end = { well, badly };
    });
  };

  async end(error?: unknown): Promise<void> {
    const { well, badly } = this.#end!;
    this.#end = undefined;
    if (error === undefined) well();
    else badly(error);
    await nextTurn();
  }
}
