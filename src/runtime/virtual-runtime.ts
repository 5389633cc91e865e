import type { Chance } from './chance.ts';
import { type SimulatedClock, timersOf, VirtualClock } from './clock.ts';
import type { Randomness, RandomWords } from './randomness.ts';
import type { Runtime, Secrets } from './runtime.ts';
import { type TurnSource, VirtualTurns } from './virtual-turns.ts';

export interface VirtualRuntimeOptions {
  readonly clock: VirtualClock | SimulatedClock;
  readonly chance: Chance;
  readonly secrets: Secrets;
  readonly turns: TurnSource;
}

/**
 * Virtual time. The clock stands still until it is moved, by a test or by the driver of a simulation; waits and timers end as it passes them.
 * Durations are those of virtual time, so that work in one turn takes none.
 */
export class VirtualRuntime implements Runtime {
  readonly clock: VirtualClock | SimulatedClock;
  readonly chance: Chance;
  readonly random: Randomness;
  readonly words: RandomWords;
  readonly secrets: Secrets;
  readonly #options: VirtualRuntimeOptions;
  readonly #turns: VirtualTurns;
  #waiting = 0;

  constructor(options: VirtualRuntimeOptions, turns = new VirtualTurns(options.turns)) {
    this.clock = options.clock;
    this.chance = options.chance;
    this.random = options.chance.random;
    this.words = options.chance.words;
    this.secrets = options.secrets;
    this.#options = options;
    this.#turns = turns;
  }

  /** How many waits go on. */
  get waiting(): number {
    return this.#waiting;
  }

  readonly stopwatchMs = (): number => timersOf(this.clock).nowMicros / 1000;

  readonly turn = (): Promise<void> => this.#turns.turn();

  readonly pause = (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms === 0 || signal.aborted) return this.turn();
    return new Promise((resolve) => {
      this.#waiting++;
      const end = () => {
        this.#waiting--;
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = timersOf(this.clock).after(ms * 1000, end);
      signal.addEventListener('abort', end);
    });
  };

  readonly sleep = (ms: number): Promise<void> => {
    if (ms === 0) return this.turn();
    return new Promise((resolve) => {
      this.#waiting++;
      timersOf(this.clock).after(ms * 1000, () => {
        this.#waiting--;
        resolve();
      });
    });
  };

  readonly after = (ms: number, run: () => void): (() => void) => timersOf(this.clock).after(ms * 1000, run);

  readonly every = (ms: number, run: () => void): (() => void) => {
    let cancel = () => {};
    const next = () => {
      cancel = this.after(ms, () => {
        next();
        run();
      });
    };
    next();
    return () => cancel();
  };

  readonly deadline = (ms: number): AbortSignal => {
    const late = new AbortController();
    this.after(ms, () => late.abort(new DOMException(`${ms} ms are over`, 'TimeoutError')));
    return late.signal;
  };

  readonly settle = async (work: Promise<void>): Promise<void> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // A failure reaches the caller below; while this looks for rest it is nobody's.
    done.catch(() => {});
    while (!isDone) {
      await this.#turns.idle();
      if (!isDone && this.#waiting > 0) return;
      if (!isDone) await this.turn();
    }
    await done;
  };

  /** Resolves when nothing goes on but waits for a later time. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  readonly outside = <T>(call: () => Promise<T>): Promise<T> => this.#turns.outside(call);

  readonly withChance = (chance: Chance): VirtualRuntime =>
    new VirtualRuntime({ ...this.#options, chance }, this.#turns);

  /** Moves time forward, stopping at each timer until nothing more happens at its time. */
  async run(ms: number): Promise<void> {
    const timers = timersOf(this.clock);
    const end = timers.nowMicros + Math.round(ms * 1000);
    await this.idle();
    for (let next = timers.nextMicros; next !== undefined && next <= end; next = timers.nextMicros) {
      this.#pass(next - timers.nowMicros);
      await this.idle();
    }
    if (timers.nowMicros < end) this.#pass(end - timers.nowMicros);
    await this.idle();
  }

  #pass(micros: number): void {
    if (this.clock instanceof VirtualClock) this.clock.advanceMs(micros / 1000);
    else this.clock.timers.pass(micros);
  }
}
