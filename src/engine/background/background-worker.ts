import { type Clock, nowMs } from '../../runtime/clock.ts';

/** What the engine hands to all its background work. */
export interface Background {
  readonly clock: Clock;
  /** Waits in real time, at least for the next turn of the event loop, and shorter when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Measures real time in milliseconds from any origin; work is paced by it. */
  readonly stopwatchMs: () => number;
  /** Ends all work. A step that is under way comes to its end. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * How much time a step leaves to others. `turn`: one turn of the event loop. `share`: three times as long as the step
 * took. `share if busy`: a turn, or as much as `share` when that turn shows that others are at work.
 */
export type Pace = 'turn' | 'share' | 'share if busy';

export interface Job {
  /** The subject of log lines about failures. */
  readonly name: string;
  /**
   * Does all the work that there is: one pass. Each `yield` of a generator ends a step; the worker then paces the work,
   * and ends the pass there when the signal is aborted. A promise is a pass of one step.
   */
  run(): AsyncGenerator<Pace, void> | Promise<void>;
  /** Tries a failed pass again after longer and longer whiles. Without it the next wake tries again. */
  readonly retry?: BackOff;
  /** Is told of every failure, and writes the log line. Without it the worker logs the first failure in a row. */
  failed?(error: unknown): void;
  /** The lease that passes take. The worker releases it when it comes to rest. */
  readonly lease?: { release(): Promise<void> };
  /** True for work that depends on the time: a clock that is moved by hand wakes the worker. */
  readonly followsClock?: boolean;
  /** Whether a move of the clock to this time can bring work. Without it every move wakes the worker. */
  isDue?(nowMs: number): boolean;
  /** Is called whenever the worker comes to rest; may set the alarm. */
  rested?(): void;
}

export interface BackOff {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * The skeleton of all background work. A worker sleeps until it is woken, does a pass of its job, and one more if it
 * was woken meanwhile; then it rests. It has no timer unless its job sets the alarm.
 */
export class Worker {
  readonly #background: Background;
  readonly #job: Job;
  readonly #watchers = new Set<() => void>();
  #working: Promise<void> | undefined;
  #isAsked = false;
  #failures = 0;
  /** When to wake: at a time of the clock, and at a time of the stopwatch. */
  #dueMs = Number.POSITIVE_INFINITY;
  #afterMs = Number.POSITIVE_INFINITY;
  #alarm: { readonly atMs: number; readonly off: AbortController } | undefined;
  /** Clock and stopwatch at the same moment; a clock that was set has moved by another time than the stopwatch. */
  #anchor: { readonly clockMs: number; readonly stopwatchMs: number };

  constructor(background: Background, job: Job) {
    this.#background = background;
    this.#job = job;
    this.#anchor = this.#times();
    if (job.followsClock !== true) return;
    // Forks are dropped without being closed: neither a clock nor a timer may keep a worker alive.
    const self = new WeakRef<Worker>(this);
    const end = background.clock.onMove?.(() => {
      const worker = self.deref();
      if (worker !== undefined) worker.#clockMoved();
    });
    if (end !== undefined) background.signal.addEventListener('abort', end, { once: true });
  }

  get isWorking(): boolean {
    return this.#working !== undefined;
  }

  /** A time that the job has computed from a later clock means nothing once the clock was set back. */
  #clockMoved(): void {
    const before = this.#anchor.clockMs;
    this.#anchor = this.#times();
    const { clockMs } = this.#anchor;
    if (clockMs < before || this.#job.isDue?.(clockMs) !== false) this.wake();
  }

  /** Begins a pass; a worker that is at work begins another one afterwards. */
  wake(): void {
    if (this.#background.signal.aborted) return;
    this.#isAsked = true;
    this.#working ??= this.#work();
  }

  /**
   * Wakes at a time of the clock, or soon after the clock was set or the machine slept. A clock that is moved by hand
   * needs no timer.
   */
  wakeAt(ms: number): void {
    const { clock, signal } = this.#background;
    if (clock.onMove !== undefined || ms === Number.POSITIVE_INFINITY) return;
    if (signal.aborted || this.#working !== undefined) return;
    this.#dueMs = Math.min(this.#dueMs, ms);
    if (this.#wasClockSet()) this.wake();
    else this.#setAlarm();
  }

  /** Wakes after a while of real time. The earliest alarm counts; a worker that is at work sets it when it rests. */
  wakeAfter(ms: number): void {
    const { signal, stopwatchMs } = this.#background;
    if (signal.aborted || this.#working !== undefined) return;
    this.#afterMs = Math.min(this.#afterMs, stopwatchMs() + ms);
    this.#setAlarm();
  }

  /** One timer, for the earliest of what was asked for. It never runs for long without a look at the clock. */
  #setAlarm(): void {
    const { pause, signal } = this.#background;
    const { clockMs, stopwatchMs } = this.#times();
    const dueMs = Math.min(this.#dueMs - clockMs, this.#afterMs - stopwatchMs);
    const isLook = this.#dueMs !== Number.POSITIVE_INFINITY && dueMs > lookMsMax;
    const waitMs = Math.max(1, isLook ? lookMsMax : dueMs);
    const atMs = stopwatchMs + waitMs;
    if (this.#alarm !== undefined && this.#alarm.atMs <= atMs) return;
    this.#alarm?.off.abort();
    const off = new AbortController();
    this.#alarm = { atMs, off };
    signal.addEventListener('abort', () => off.abort(), { once: true, signal: off.signal });
    const self = new WeakRef<Worker>(this);
    void pause(waitMs, off.signal).then(() => {
      if (off.signal.aborted) return;
      const worker = self.deref();
      if (worker !== undefined && isLook) worker.#look();
      else worker?.wake();
    });
  }

  /** Wakes if it is time, or if the clock was set; else waits on. */
  #look(): void {
    const isSet = this.#wasClockSet();
    this.#anchor = this.#times();
    const { clockMs, stopwatchMs } = this.#anchor;
    this.#alarm?.off.abort();
    this.#alarm = undefined;
    if (isSet || clockMs >= this.#dueMs || stopwatchMs >= this.#afterMs) this.wake();
    else this.#setAlarm();
  }

  #wasClockSet(): boolean {
    const { clockMs, stopwatchMs } = this.#times();
    const clockBy = clockMs - this.#anchor.clockMs;
    const stopwatchBy = stopwatchMs - this.#anchor.stopwatchMs;
    return Math.abs(clockBy - stopwatchBy) > setByMsMin + stopwatchBy * driftMax;
  }

  #times(): { readonly clockMs: number; readonly stopwatchMs: number } {
    const { clock, stopwatchMs } = this.#background;
    return { clockMs: nowMs(clock), stopwatchMs: stopwatchMs() };
  }

  /** Resolves when the worker rests. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /** Resolves when a condition holds, which is looked at after every step and `progressed`, or when the worker rests. */
  async until(holds: () => boolean): Promise<void> {
    while (this.isWorking && !holds()) await new Promise<void>((resolve) => this.#watchers.add(resolve));
  }

  /** Tells those who wait in `until` of progress within a step. */
  progressed(): void {
    for (const look of this.#watchers) look();
    this.#watchers.clear();
  }

  /** Ends in the very turn in which it finds that nobody has asked again: whoever asks later begins anew. */
  async #work(): Promise<void> {
    const { signal } = this.#background;
    while (this.#isAsked && !signal.aborted) {
      this.#isAsked = false;
      await this.#attempt();
      if (!this.#isAsked || signal.aborted) await this.#release();
    }
    this.#working = undefined;
    this.#stopAlarm();
    this.#anchor = this.#times();
    this.progressed();
    this.#job.rested?.();
  }

  async #attempt(): Promise<void> {
    const { pause, signal } = this.#background;
    const { retry } = this.#job;
    try {
      await this.#pass();
      this.#failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      this.#failed(error);
      if (retry === undefined) return;
      this.#isAsked = true;
      await pause(backOffMs(retry, this.#failures++), signal);
    }
  }

  async #pass(): Promise<void> {
    const { stopwatchMs, signal } = this.#background;
    const steps = this.#job.run();
    if (steps instanceof Promise) return steps;
    for (;;) {
      const began = stopwatchMs();
      const { done, value: pace } = await steps.next();
      if (done === true) return;
      this.progressed();
      await this.#leaveToOthers(pace, stopwatchMs() - began);
      if (signal.aborted) {
        await steps.return();
        return;
      }
    }
  }

  /** Whether others are at work shows in how long a turn of the event loop takes. */
  async #leaveToOthers(pace: Pace, stepMs: number): Promise<void> {
    const { pause, stopwatchMs, signal } = this.#background;
    const before = stopwatchMs();
    await pause(0, signal);
    // In virtual time a step takes no time, and leaves none to others.
    if (stepMs === 0) return;
    if (pace === 'share' || (pace === 'share if busy' && stopwatchMs() - before > busyTurnMs))
      await pause(Math.max(othersMsMin, stepMs * othersShare), signal);
  }

  #failed(error: unknown): void {
    const { name, retry } = this.#job;
    if (this.#job.failed !== undefined) this.#job.failed(error);
    else if (this.#failures === 0)
      this.#background.log(
        `${name} ${retry === undefined ? 'failed' : 'was interrupted and will be tried again'}: ${String(error)}`,
      );
  }

  /** A lease that cannot be released ends by itself. */
  async #release(): Promise<void> {
    const { signal, log } = this.#background;
    try {
      await this.#job.lease?.release();
    } catch (error) {
      if (!signal.aborted) log(`${this.#job.name}: ${String(error)}`);
    }
  }

  #stopAlarm(): void {
    this.#alarm?.off.abort();
    this.#alarm = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#afterMs = Number.POSITIVE_INFINITY;
  }
}

/** How long to wait after a failure that follows so many others. */
export function backOffMs({ minMs, maxMs }: BackOff, failures: number): number {
  return Math.min(minMs * 2 ** Math.min(failures, 20), maxMs);
}

/** How much longer than a step others are left alone, and how long at least. */
const othersShare = 3;
const othersMsMin = 3;
/** A turn of the event loop in which nothing happens takes a third of this or less. */
const busyTurnMs = 0.1;
/** How long a timer runs before the worker looks whether the system's clock was set, or the machine slept. */
const lookMsMax = 30_000;
/** A clock that has moved by so much more or less than the stopwatch was set; clocks drift by far less than a thousandth. */
const setByMsMin = 5_000;
const driftMax = 0.001;
