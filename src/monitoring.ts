import type { Background } from './engine/background/background-worker.ts';
import type { Engine } from './engine/engine.ts';
import { alarmKind, type Scope, scalingKind } from './engine/store-keys.ts';
import { whenDone } from './model/maybe-promise.ts';
import type { Slices } from './model/slices.ts';
import { AlarmBook } from './observe/alarms/alarm-book.ts';
import type { AlarmContext } from './observe/alarms/alarm-context.ts';
import { type AlarmActions, AlarmEvaluator } from './observe/alarms/alarm-evaluator.ts';
import { AlarmWorker } from './observe/alarms/alarm-worker.ts';
import { Scaler } from './observe/auto-scaling/scaler.ts';
import { ScalingBook } from './observe/auto-scaling/scaling-book.ts';
import type { ScalingContext } from './observe/auto-scaling/scaling-context.ts';
import type { InsightContext } from './observe/cloudwatch/get-insight-rule-report.ts';
import type { RuleMinutes } from './observe/insights/report-insights.ts';
import { reportRule } from './observe/insights/report-rule.ts';
import type { Metrics } from './observe/metrics.ts';
import { nowMs } from './runtime/clock.ts';
import { randomUuid } from './runtime/randomness.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Store } from './storage/store.ts';

export interface MonitoringDeps extends Pick<Background, 'log'> {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly metrics: Metrics & RuleMinutes;
  readonly countsRequests: boolean;
  readonly actions: AlarmActions;
  readonly slices: Slices;
}

/** Actions that Application Auto Scaling takes itself. */
function isScaling(action: string): boolean {
  return action.startsWith('arn:aws:autoscaling:');
}

/** Alarms and auto scaling of a database. */
export class Monitoring implements AlarmContext, ScalingContext, InsightContext {
  readonly metrics: Metrics;
  readonly insightRule: InsightContext['insightRule'];
  readonly book: AlarmBook;
  readonly evaluator: AlarmEvaluator;
  readonly scaling: ScalingBook;
  readonly engine: Engine;
  readonly slices: Slices;
  readonly #worker: AlarmWorker;
  readonly #runtime: Runtime;
  readonly #ending = new AbortController();

  constructor({ engine, metrics, countsRequests, actions, slices, runtime, log }: MonitoringDeps) {
    const { store, random } = engine;
    const { clock, pause, stopwatchMs } = runtime;
    this.#runtime = runtime;
    this.engine = engine;
    this.metrics = metrics;
    this.slices = slices;
    this.insightRule = (scope, name, from, to) => reportRule(metrics, engine, scope, name, from, to);
    let number = Math.floor(random.next() * 2 ** 31);
    const nextNumber = () => {
      number = (number + 1) % 2 ** 32;
      return number;
    };
    this.book = new AlarmBook({ store, nowMs: this.nowMs, nextNumber });
    this.evaluator = new AlarmEvaluator({
      book: this.book,
      metrics,
      countsRequests,
      actions,
      isScaling,
      log,
      slices,
    });
    const background: Background = { clock, pause, stopwatchMs, log, signal: this.#ending.signal };
    this.scaling = new ScalingBook({ store, nowMs: this.nowMs, nextNumber });
    const { book, evaluator, scaling, newUuid } = this;
    const follower = new Scaler({ engine, scaling, book, nowMs: this.nowMs, newUuid, log });
    this.#worker = new AlarmWorker({ store, random, book, evaluator, follower, slices }, background);
  }

  readonly nowMs = (): number => nowMs(this.engine.clock);

  readonly newUuid = (): string => randomUuid(this.engine.random);

  readonly scalingChanged = (): void => this.#worker.wake();

  readonly alarmChanged = (scope: Scope, name: string): void => this.#worker.alarmChanged(scope, name);

  /** Begins to evaluate the alarms that an earlier process left. */
  start(): void {
    this.#worker.wake();
  }

  /** Resolves when all alarms are evaluated and all actions have run. */
  settled(): Promise<void> {
    return this.#runtime.settle(this.#worker.settled());
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#worker.close();
  }
}

/**
 * Goes on evaluating alarms and scaling tables that are in a store. Most databases have none, and pay for one look. Where
 * other processes share the store, they may put some at any time.
 */
export function resumeMonitoring(
  store: Store,
  log: (line: string) => void,
  monitoring: () => Monitoring | undefined,
): void {
  if (!store.exclusive) {
    monitoring()?.start();
    return;
  }
  const from = Uint8Array.of(alarmKind);
  const found = store.range({ from, to: Uint8Array.of(scalingKind + 1), limit: 1 });
  const started = whenDone(found, ({ entries }) => {
    if (entries.length > 0) monitoring()?.start();
  });
  if (started instanceof Promise)
    started.catch((error: unknown) => log(`Alarms could not be looked for: ${String(error)}`));
}
