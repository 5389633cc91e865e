import { equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { jobsLeaseKey, type KeyRange } from '../store-keys.ts';
import { type Background, type Pace, Worker } from './background-worker.ts';
import { type Lease, newLease } from './lease.ts';
import { readableRecords } from './readable-records.ts';

/** A kind of long work. Each job has a record in the store that says how far it has come. */
export interface JobKind {
  /** The subject of log lines about bugs. */
  readonly name: string;
  /** Where the records lie. */
  readonly range: KeyRange;
  /** Whether a record stands for work to do. */
  isUnderWay(stored: Uint8Array, key: Uint8Array): boolean;
  /**
   * Does a job from where its record stands. Each `yield` ends a step. A step commits its progress in a unit that
   * compares the record, or changes nothing when it is repeated: a killed process loses a step at most, and two processes
   * never do one twice.
   */
  steps(stored: Uint8Array, key: Uint8Array): AsyncGenerator<void, void>;
  /** How much time a step leaves to others: `share if busy` unless set. */
  readonly pace?: Pace;
  /** Ends a job that cannot go on, logs the reason and keeps it in the record. Without it the job is tried again later. */
  fail?(key: Uint8Array, reason: string): Promise<void>;
  /** Forgets what is too old. */
  tidy?(): Promise<void>;
  /** Other records that are tidied. */
  readonly tidied?: KeyRange;
  /** The earliest time of the clock at which there is something to tidy. */
  tidyAtMs?(): Promise<number>;
}

/** A job cannot go on, for a reason that is no bug. */
export class JobFailure extends Error {}

interface RunnerDeps {
  readonly store: Store;
  readonly random: Randomness;
  readonly kinds: readonly JobKind[];
}

/** A job of this process. */
interface Running {
  readonly kind: JobKind;
  readonly key: Uint8Array;
  /** The record that it began with. */
  readonly stored: Uint8Array;
  readonly steps: AsyncGenerator<void, void>;
  /** The step under way. */
  step?: Promise<void> | undefined;
  isOver?: boolean;
  /** The trouble that ended the latest step, which may pass. */
  error?: unknown;
}

/**
 * Does all long work in the background: a step of each job in turn, so that a small one does not wait for a large one, nor
 * for one that waits for a bucket. One process of those that share a store works at a time. When it is gone, another one
 * goes on.
 */
export class JobRunner {
  readonly #deps: RunnerDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;
  /** The keys of jobs that failed, in hexadecimal digits, or whose records cannot be read. */
  readonly #failures = new Set<string>();
  /** Keys of failed jobs whose record does not say so yet, because the store was in trouble. The next pass tries again. */
  readonly #unnoted = new Set<string>();
  /** The failures that this pass leaves alone, so that other jobs get to their work. */
  readonly #aside = new Set<string>();
  /** The records that jobs began with which ended in this pass. */
  readonly #ended = new Map<string, Uint8Array>();
  /** When to tidy, by the clock; unknown before the first pass. */
  #tidyAtMs = Number.NEGATIVE_INFINITY;
  /** Whether there may be jobs that this process has not found yet, and when it has looked, by the stopwatch. */
  #isAsked = false;
  #lookedMs = 0;
  /** Whether trouble that may pass has been logged and is not over. */
  #isInterrupted = false;

  constructor(deps: RunnerDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#lease = newLease(background, deps, jobsLeaseKey, { termMs: 10_000, retryMs: 200 });
    this.#worker = new Worker(background, {
      name: 'Jobs',
      run: () => this.#pass(),
      retry: { minMs: 100, maxMs: 30_000 },
      failed: (error) => this.#interrupted('Long work in the background', error),
      lease: this.#lease,
      followsClock: true,
      // Time that is moved by hand passes for the look at other processes, too.
      isDue: (now) => !deps.store.exclusive || now >= this.#tidyAtMs,
      rested: () => {
        this.#worker.wakeAt(this.#tidyAtMs);
        // Other processes may be killed in the middle of a job.
        if (!deps.store.exclusive || this.#aside.size > 0) this.#worker.wakeAfter(lookMs);
      },
    });
  }

  /** Called when there is a new job. */
  wake(): void {
    this.#isAsked = true;
    this.#worker.wake();
  }

  /** Wakes unless there is nothing to do. A store in memory tells at once: tests make forks by the thousand. */
  wakeIfAny(): void {
    for (const { range, tidied = range } of this.#deps.kinds)
      for (const each of new Set([range, tidied])) {
        const found = this.#deps.store.range({ ...each, limit: 1 });
        if (!(found instanceof Promise) && found.entries.length === 0) continue;
        this.wake();
        return;
      }
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#pass(): AsyncGenerator<Pace, void> {
    this.#aside.clear();
    this.#ended.clear();
    // Asked without the lease: an idle process writes nothing.
    if (!(await this.#hasWork())) return;
    while (await this.#lease.take()) {
      for (const kind of this.#deps.kinds) await kind.tidy?.();
      this.#tidyAtMs = await this.#nextTidyMs();
      const running = new Map<string, Running>();
      try {
        if ((yield* this.#work(running)) === 'lost') continue;
        this.#isInterrupted = false;
        return;
      } finally {
        for (const { step, steps } of running.values()) {
          await step;
          await steps.return();
        }
      }
    }
  }

  async #hasWork(): Promise<boolean> {
    this.#tidyAtMs = await this.#nextTidyMs();
    if (this.#tidyAtMs <= nowMs(this.#background.clock)) return true;
    for await (const _ of this.#underWay()) return true;
    return false;
  }

  async #nextTidyMs(): Promise<number> {
    let next = Number.POSITIVE_INFINITY;
    for (const kind of this.#deps.kinds) next = Math.min(next, (await kind.tidyAtMs?.()) ?? next);
    return next;
  }

  async *#work(running: Map<string, Running>): AsyncGenerator<Pace, 'done' | 'lost'> {
    for (;;) {
      await this.#findNew(running);
      if (running.size === 0) return 'done';
      for (const [id, job] of running) {
        if (!(await this.#lease.isHeld())) return 'lost';
        await this.#goOn(job);
        if (job.isOver === true) {
          running.delete(id);
          this.#ended.set(id, job.stored);
        }
        if (job.error !== undefined) throw job.error;
        yield job.kind.pace ?? 'share if busy';
      }
    }
  }

  /** Looks for jobs: of this process when it is asked to, and of others now and then. */
  async #findNew(running: Map<string, Running>): Promise<void> {
    const now = this.#background.stopwatchMs();
    if (!this.#isAsked && running.size > 0 && now - this.#lookedMs < rescanMs) return;
    this.#isAsked = false;
    this.#lookedMs = now;
    for await (const { kind, key, value } of this.#underWay()) {
      const id = toHex(key);
      if (running.has(id)) continue;
      const before = this.#ended.get(id);
      // Its steps ended and changed nothing: to begin it again at once would never end.
      if (before !== undefined && equalBytes(before, value)) this.#aside.add(id);
      else running.set(id, { kind, key, stored: value, steps: kind.steps(value, key) });
    }
  }

  /** Does a step, but does not wait for it for long: it may wait for a bucket, and others go on meanwhile. */
  async #goOn(job: Running): Promise<void> {
    const { pause, signal } = this.#background;
    if (job.isOver === true) return;
    job.step ??= this.#step(job);
    const off = new AbortController();
    const end = () => off.abort();
    signal.addEventListener('abort', end, { once: true, signal: off.signal });
    await Promise.race([job.step, pause(patienceMs, off.signal)]);
    end();
  }

  /** A step. What will never work fails the job. What may work later ends the pass, which is then tried again. */
  async #step(job: Running): Promise<void> {
    try {
      job.isOver = (await job.steps.next()).done === true;
    } catch (error) {
      job.isOver = true;
      if (!this.#background.signal.aborted) await this.#failed(job, error);
    }
    job.step = undefined;
  }

  async #failed(job: Running, error: unknown): Promise<void> {
    const { kind, key } = job;
    if (error instanceof StoreError && !isFinal(error)) {
      job.error = error;
      this.#interrupted(kind.name, error);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const isExpected = error instanceof StoreError || error instanceof JobFailure;
    const isFirst = this.#setAside(key);
    const isBug = !isExpected && error instanceof Error;
    if (isFirst && (isBug || kind.fail === undefined))
      this.#background.log(`${kind.name} failed: ${isBug ? error.stack : reason}`);
    const id = toHex(key);
    // What fails again is undone later.
    if (kind.fail === undefined || !(isFirst || this.#unnoted.has(id))) return;
    try {
      await kind.fail(key, reason);
      this.#unnoted.delete(id);
      this.#aside.delete(id);
      this.#isAsked = true;
    } catch (trouble) {
      this.#unnoted.add(id);
      // Once it ends the pass. From then on it must keep no other job from its work.
      if (isFirst) job.error = trouble;
      this.#interrupted(kind.name, trouble);
    }
  }

  /** Logs the first of several troubles in a row. */
  #interrupted(subject: string, error: unknown): void {
    if (!this.#isInterrupted)
      this.#background.log(`${subject} was interrupted and will be tried again: ${String(error)}`);
    this.#isInterrupted = true;
  }

  /** Leaves a job alone for this pass. Returns whether this is the first time. */
  #setAside(key: Uint8Array): boolean {
    const id = toHex(key);
    const isFirst = !this.#failures.has(id);
    this.#failures.add(id);
    this.#aside.add(id);
    return isFirst;
  }

  /** The records of all jobs that are under way. */
  async *#underWay() {
    for (const kind of this.#deps.kinds) {
      const { range } = kind;
      const records = readableRecords(
        this.#deps.store,
        range,
        (stored, key) => kind.isUnderWay(stored, key),
        (key, error) => {
          if (this.#setAside(key)) this.#background.log(`${error.message}. The job is left as it is.`);
        },
      );
      for await (const { key, value, record: isUnderWay } of records)
        if (isUnderWay && !this.#aside.has(toHex(key))) yield { kind, key, value };
    }
  }
}

/** No room, or damage: to try again changes nothing. */
function isFinal({ trouble }: StoreError): boolean {
  return trouble === 'full' || trouble === 'corrupt' || trouble === 'format';
}

/** How often jobs of other processes are looked for at work, and at rest. */
const rescanMs = 200;
const lookMs = 15_000;
/** A step that takes longer goes on beside those of other jobs. */
const patienceMs = 100;
