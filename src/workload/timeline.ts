import type { Clock } from '../index.ts';
import { machine } from '../runtime/machine/machine.ts';
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

interface Event {
  readonly atMs: number;
  readonly number: number;
  readonly run: () => void | Promise<void>;
}

/**
 * The clock of a simulation. It tells nobody of its moves: whoever simulates moves it thousands of times a second, and
 * background work goes by the machine's own time meanwhile.
 */
export class SimulatedClock implements Clock {
  #micros: number;

  constructor(startMs: number) {
    this.#micros = startMs * 1000;
  }

  nowMicros(): number {
    return this.#micros;
  }

  setMs(ms: number): void {
    this.#micros = Math.round(ms * 1000);
  }
}

/** Events in the order of their times, one after the other, as fast as the machine allows. */
export class VirtualTimeline implements Timeline {
  readonly #clock: SimulatedClock;
  readonly #startMs: number;
  readonly #events: Event[] = [];
  #nowMs = 0;
  #number = 0;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
    this.#startMs = clock.nowMicros() / 1000;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** How many events are left. */
  get waiting(): number {
    return this.#events.length;
  }

  schedule(atMs: number, run: () => void | Promise<void>): void {
    const events = this.#events;
    const event = { atMs: Math.max(atMs, this.#nowMs), number: this.#number++, run };
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[at] = events[parent]!;
      at = parent;
    }
    events[at] = event;
  }

  async finish(signal?: AbortSignal): Promise<void> {
    for (let done = 1; ; done++) {
      const event = this.#take();
      if (event === undefined || signal?.aborted) return;
      if (event.atMs > this.#nowMs) {
        this.#nowMs = event.atMs;
        this.#clock.setMs(this.#startMs + event.atMs);
      }
      const running = event.run();
      if (running !== undefined) await running;
      // Signals and progress want their turn.
      if (done % 2_000 === 0) await machine.turn();
    }
  }

  #take(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === first) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child++;
      if (!isBefore(events[child]!, last!)) break;
      events[at] = events[child]!;
      at = child;
    }
    events[at] = last!;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number);
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
