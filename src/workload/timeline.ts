import { timersOf } from '../runtime/clock.ts';
import { machine } from '../runtime/machine/machine.ts';
import type { VirtualRuntime } from '../runtime/virtual-runtime.ts';
import type { Cancel } from '../runtime/virtual-timers.ts';

/** When things happen: on a clock that jumps from one event to the next, or by the machine's own. */
export interface Timeline {
  /** Milliseconds since the start, with fractions. */
  nowMs(): number;
  /** Runs something at a moment. Moments in the past are now. */
  schedule(atMs: number, run: () => void | Promise<void>): void;
  /** Resolves when nothing is left to happen. */
  finish(signal?: AbortSignal): Promise<void>;
}

/** Events in the order of their times, as fast as the machine allows, between those of the database itself. */
export class VirtualTimeline implements Timeline {
  readonly #runtime: VirtualRuntime;
  readonly #startMs: number;
  #scheduled = 0;
  #running = 0;
  #failed: { readonly error: unknown } | undefined;

  /** On the runtime of a database with a `SimulatedClock`. */
  constructor(runtime: VirtualRuntime) {
    this.#runtime = runtime;
    this.#startMs = runtime.stopwatchMs();
  }

  nowMs(): number {
    return this.#runtime.stopwatchMs() - this.#startMs;
  }

  /** How many events are left or have not ended. */
  get waiting(): number {
    return this.#scheduled + this.#running;
  }

  schedule(atMs: number, run: () => void | Promise<void>): void {
    this.#scheduled++;
    this.#runtime.after(atMs - this.nowMs(), () => {
      this.#scheduled--;
      const running = run();
      if (running !== undefined) void this.#follow(running);
    });
  }

  async #follow(running: Promise<void>): Promise<void> {
    this.#running++;
    try {
      await running;
    } catch (error) {
      this.#failed ??= { error };
    }
    this.#running--;
  }

  async finish(signal?: AbortSignal): Promise<void> {
    const timers = timersOf(this.#runtime.clock);
    while (this.waiting > 0 && signal?.aborted !== true) {
      timers.runNext();
      await this.#runtime.idle();
      if (this.#failed !== undefined) throw this.#failed.error;
    }
  }
}

/** Events by the machine's clock. */
export class RealTimeline implements Timeline {
  readonly #started = machine.stopwatchMs();
  readonly #timers = new Set<Cancel>();
  #running = 0;
  #failed: { readonly error: unknown } | undefined;
  #idle: (() => void) | undefined;

  nowMs(): number {
    return machine.stopwatchMs() - this.#started;
  }

  schedule(atMs: number, run: () => void | Promise<void>): void {
    const cancel = machine.timer(Math.max(0, atMs - this.nowMs()), () => {
      this.#timers.delete(cancel);
      this.#running++;
      void this.#run(run);
    });
    this.#timers.add(cancel);
  }

  async #run(run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#failed ??= { error };
    }
    this.#running--;
    if (this.#running === 0 && (this.#timers.size === 0 || this.#failed !== undefined)) this.#idle?.();
  }

  async finish(signal?: AbortSignal): Promise<void> {
    const stop = () => {
      for (const cancel of this.#timers) cancel();
      this.#timers.clear();
      if (this.#running === 0) this.#idle?.();
    };
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      while (this.#failed === undefined && (this.#timers.size > 0 || this.#running > 0))
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
    if (this.#failed !== undefined) throw this.#failed.error;
  }
}
