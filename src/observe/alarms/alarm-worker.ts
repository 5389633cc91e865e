import { type Background, type Pace, Worker } from '../../engine/background/background-worker.ts';
import { type Lease, newLease } from '../../engine/background/lease.ts';
import { alarmLeaseKey, type Scope } from '../../engine/store-keys.ts';
import type { Slices } from '../../model/slices.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Store } from '../../storage/store.ts';
import { minuteOf } from '../metrics.ts';
import type { AlarmBook } from './alarm-book.ts';
import type { AlarmEvaluator } from './alarm-evaluator.ts';
import type { AlarmRecord } from './alarm-record.ts';
import type { Evaluation } from './evaluate-alarm.ts';

/** An alarm after its evaluation. */
export interface Evaluated {
  readonly scope: Scope;
  readonly record: AlarmRecord;
  readonly evaluation: Evaluation | undefined;
}

interface FoundAlarm {
  readonly scope: Scope;
  readonly record: AlarmRecord;
}

/** Whoever acts on alarms by the minute: Application Auto Scaling. */
export interface MinuteFollower {
  /** Whether there is anything to follow. Changes nothing. */
  hasAny(): Promise<boolean>;
  /** Called before the alarms of a pass are evaluated. Answers whether there is anything to wait for. */
  begin(): Promise<boolean>;
  /** Called after the alarms of a minute were evaluated. */
  minute(minute: number, evaluated: readonly Evaluated[]): Promise<void>;
}

export interface AlarmWorkerDeps {
  readonly store: Store;
  readonly random: Randomness;
  readonly book: AlarmBook;
  readonly evaluator: AlarmEvaluator;
  readonly follower: MinuteFollower;
  readonly slices: Slices;
}

/**
 * After a clock was moved far, so many minutes are evaluated one by one, and those before them are passed over. A day is
 * as far as alarms look back.
 */
const catchUpMinutes = 24 * 60;
/** Other processes write their counts a few seconds late; a minute is evaluated when they are there. */
const sharedLagMs = 5_000;

/** Alarms that flap write history for ever: what is too old goes once an hour. */
const trimMinutes = 60;

/** One process evaluates, and keeps the right to it from minute to minute. */
const leaseTermMs = 150_000;

/**
 * Evaluates all alarms at the end of every minute of the database's clock, in the background. It has no timer while there
 * is no alarm and nothing to scale. Of several processes on one store, one does it.
 */
export class AlarmWorker {
  readonly #deps: AlarmWorkerDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;
  /** Alarms that were put since the last pass: they are evaluated at once. */
  readonly #fresh = new Map<string, { readonly scope: Scope; readonly name: string }>();
  #evaluated: number | undefined;
  #isNeeded = false;

  constructor(deps: AlarmWorkerDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#lease = newLease(background, deps, alarmLeaseKey, { termMs: leaseTermMs, retryMs: 1_000 });
    this.#worker = new Worker(background, {
      name: 'Evaluating alarms',
      run: () => this.#pass(),
      retry: { minMs: 1_000, maxMs: 30_000 },
      followsClock: true,
      rested: () => this.#worker.wakeAt(this.#nextMs()),
    });
  }

  wake(): void {
    this.#worker.wake();
  }

  alarmChanged(scope: Scope, name: string): void {
    if (this.#fresh.size < freshMax) this.#fresh.set(freshKey(scope, name), { scope, name });
    this.wake();
  }

  async settled(): Promise<void> {
    await this.#worker.settled();
    await this.#deps.evaluator.settled();
  }

  /** Gives up the right to evaluate. Called after the background work was told to end. */
  async close(): Promise<void> {
    await this.settled();
    await this.#lease.release();
  }

  async *#pass(): AsyncGenerator<Pace, void> {
    const { follower, book } = this.#deps;
    // Asked before the lease is taken: whoever is idle writes nothing.
    const isIdle = !this.#lease.isCurrent && !(await book.hasAny()) && !(await follower.hasAny());
    if (isIdle) {
      this.#isNeeded = false;
      this.#fresh.clear();
      this.#evaluated = minuteOf(nowMs(this.#background.clock) - this.#lagMs);
      return;
    }
    if (!(await this.#lease.isHeld())) {
      this.#isNeeded = true;
      this.#evaluated = undefined;
      this.#fresh.clear();
      return;
    }
    const isScaling = await follower.begin();
    this.#isNeeded = isScaling || (await book.hasAny());
    const now = minuteOf(nowMs(this.#background.clock) - this.#lagMs);
    if (this.#evaluated === undefined || this.#evaluated > now) this.#evaluated = now - 1;
    if (!this.#isNeeded) {
      this.#evaluated = now;
      // Whoever puts the first alarm takes it again.
      await this.#lease.release();
      return;
    }
    const first = Math.max(this.#evaluated + 1, now - catchUpMinutes + 1);
    for (let minute = first; minute <= now; minute++) {
      await this.#evaluate(minute, this.#deps.book.everyAlarm());
      this.#evaluated = minute;
      yield 'turn';
    }
    if (this.#fresh.size === 0) return;
    const fresh = [...this.#fresh.values()];
    this.#fresh.clear();
    await this.#evaluate(now, this.#found(fresh));
  }

  async *#found(
    alarms: readonly { readonly scope: Scope; readonly name: string }[],
  ): AsyncGenerator<FoundAlarm, void> {
    for (const { scope, name } of alarms) {
      const record = await this.#deps.book.get(scope, name);
      if (record !== undefined) yield { scope, record };
    }
  }

  async #evaluate(minute: number, alarms: AsyncIterable<FoundAlarm>): Promise<void> {
    const { book, evaluator, follower } = this.#deps;
    const evaluated: Evaluated[] = [];
    for await (const { scope, record } of alarms) {
      await this.#deps.slices.spend(alarmSteps);
      evaluated.push({ scope, ...(await evaluator.evaluate(scope, record, minute)) });
    }
    await follower.minute(minute, evaluated);
    if (minute % trimMinutes !== 0) return;
    const scopes = new Map(evaluated.map(({ scope }) => [`${scope.account}/${scope.region}`, scope]));
    for (const scope of scopes.values()) await book.trimHistory(scope);
  }

  get #lagMs(): number {
    return this.#deps.store.exclusive ? 0 : sharedLagMs;
  }

  #nextMs(): number {
    if (!this.#isNeeded && this.#deps.store.exclusive) return Number.POSITIVE_INFINITY;
    const now = nowMs(this.#background.clock);
    return (minuteOf(now - this.#lagMs) + 1) * 60_000 + this.#lagMs;
  }
}

const freshMax = 10_000;
/** What it takes to read an alarm and to judge a few points. */
const alarmSteps = 2_500;

function freshKey({ account, region }: Scope, name: string): string {
  return `${account}/${region}/${name}`;
}
