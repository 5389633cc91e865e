import { type Background, Worker } from '../engine/background/background-worker.ts';
import type { Engine } from '../engine/engine.ts';
import type {
  BackgroundEvent,
  ControlEvent,
  DeliveryEvent,
  Observer,
  RequestEvent,
  ThrottleEvent,
  WireRefusal,
} from '../engine/events.ts';
import type { Touch } from '../engine/road.ts';
import { Slices } from '../model/slices.ts';
import { keyAttributes } from '../model/tables/table-schema.ts';
import { randomBytes } from '../runtime/randomness.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { Gauges } from './gauges.ts';
import { KeyInsights } from './insights/key-insights.ts';
import { StoredInsights } from './insights/stored-insights.ts';
import { LiveRates } from './live-rates.ts';
import type { MetricKey, MetricUnit } from './metric-key.ts';
import { MetricStore } from './metric-store.ts';
import { type ListedMetric, type MetricFilter, type Metrics, minuteOf } from './metrics.ts';
import type { MinutePoint, StatisticSet } from './minute-point.ts';
import { Patterns } from './patterns/patterns.ts';
import { type MetricsOfOthers, type ProcessMetrics, processMetrics } from './prometheus.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { HandleScope } from './series-handle.ts';
import { Signals } from './signals/signals.ts';
import { StoredMetrics } from './stored-metrics.ts';

export interface ObservationDeps {
  readonly nowMs: () => number;
  readonly runtime: Runtime;
  readonly log: (line: string) => void;
  /** The account and Region of callers that nobody knows. */
  readonly scope: HandleScope;
  /** Whether requests are recorded. Without it there are only the metrics that somebody puts. */
  readonly isOn: boolean;
  /** Others who get every event. */
  readonly others: readonly Observer[];
}

const changesTables: ReadonlySet<string> = new Set(['CreateTable', 'UpdateTable', 'DeleteTable']);

/** How soon minutes are written: at once where other processes read them, else in their own time. */
const sharedWriteMs = 2_000;
const ownWriteMs = 60_000;
const trimMinutes = 5;

/**
 * What a database keeps of its requests: metrics, access patterns, live rates. It listens to events, and does all its
 * work with the store in the background. Nothing runs while nothing happens.
 */
export class Observation implements Observer, Metrics {
  readonly memory: MetricStore;
  readonly patterns: Patterns;
  readonly insights: KeyInsights;
  readonly signals: Signals;
  readonly rates = new LiveRates();
  /** Long work on this database is done in these slices. */
  readonly slices: Slices;
  /** Set where several processes answer on one port. */
  metricsOfOthers: MetricsOfOthers | undefined;
  readonly isOn: boolean;
  readonly #deps: ObservationDeps;
  readonly #others: Set<Observer>;
  readonly #requests: RequestMetrics;
  readonly #gauges: Gauges;
  readonly #scopes = new Map<string, HandleScope>();
  readonly #ending = new AbortController();
  #engine: Engine | undefined;
  #stored: StoredMetrics | undefined;
  #storedInsights: StoredInsights | undefined;
  #worker: Worker | undefined;
  #isAwake = false;
  #isTableChanged = false;
  /** Whether minutes wait for being written, and when they are, by the stopwatch. */
  #isWritePending = false;
  #writeDueMs = 0;
  #hasFilled = false;
  #trimmedMinute = 0;
  #latestScope: HandleScope | undefined;

  constructor(deps: ObservationDeps) {
    const { nowMs, scope, isOn } = deps;
    this.#deps = deps;
    this.#others = new Set(deps.others);
    this.isOn = isOn;
    this.memory = new MetricStore({ nowMs });
    this.insights = new KeyInsights(nowMs);
    this.signals = new Signals(nowMs);
    this.patterns = new Patterns(this.memory, nowMs);
    this.#requests = new RequestMetrics({ store: this.memory, rates: this.rates, nowMs, scope });
    this.slices = new Slices(deps.runtime.turn);
    this.#gauges = new Gauges(this.memory, this.#requests, this.slices);
  }

  /** Gives the observation the engine that it listens to; a restored database gets another one. */
  attach(engine: Engine): void {
    this.#engine = engine;
    this.signals.keyNamesOf = (scope, table) => {
      const known = engine.catalogue.known(scope, table);
      return known === undefined ? undefined : keyAttributes(known.schema).map(({ name }) => name);
    };
    const { nowMs, runtime, log } = this.#deps;
    const { stopwatchMs, pause } = runtime;
    const { store, h16, random, clock } = engine;
    if (!store.immediate && this.#stored === undefined) {
      const process = randomBytes(random, 8);
      const { memory, insights } = this;
      this.#stored = new StoredMetrics({ memory, store, h16, nowMs, stopwatchMs, process });
      this.#storedInsights = new StoredInsights({ insights, store, h16, nowMs, process });
    }
    const background: Background = { clock, pause, stopwatchMs, log, signal: this.#ending.signal };
    this.#worker ??= new Worker(background, {
      name: 'Writing metrics',
      run: () => this.#pass(),
      // States of tables stand for the minutes that a moved clock leaps over.
      followsClock: this.isOn,
      rested: () => {
        this.#isAwake = false;
        if (this.#isWritePending) this.#wake();
      },
    });
  }

  /** Lets somebody else get every event from now on; the answer ends that. */
  join(other: Observer): () => void {
    this.#others.add(other);
    return () => this.#others.delete(other);
  }

  request(event: RequestEvent): void {
    if (event.isObserver === true) {
      for (const other of this.#others) other.request?.(event);
      return;
    }
    this.#requests.request(event);
    this.patterns.request(event);
    this.insights.request(event);
    this.signals.request(event);
    const { caller } = event;
    if (caller.accountId !== this.#latestScope?.account || caller.region !== this.#latestScope.region)
      this.#noteScope(caller.accountId, caller.region);
    this.#wake();
    if (event.touches[0]?.access === 'control' && changesTables.has(event.operation))
      this.#tableChanged(event.touches[0]!);
    for (const other of this.#others) other.request?.(event);
  }

  control(event: ControlEvent): void {
    for (const other of this.#others) other.control?.(event);
  }

  refused(event: WireRefusal): void {
    this.#requests.refused(event);
    this.#wake();
    for (const other of this.#others) other.refused?.(event);
  }

  background(event: BackgroundEvent): void {
    this.#requests.background(event);
    if (event.work === 'index fill') this.#hasFilled = true;
    this.#wake();
    for (const other of this.#others) other.background?.(event);
  }

  throttled(event: ThrottleEvent): void {
    this.#requests.throttled(event);
    this.insights.throttled(event);
    for (const other of this.#others) other.throttled?.(event);
  }

  delivered(event: DeliveryEvent): void {
    this.#requests.delivered(event);
    this.#wake();
    for (const other of this.#others) other.delivered?.(event);
  }

  async list(
    scope: { readonly accountId: string; readonly region: string },
    filter?: MetricFilter,
  ): Promise<readonly ListedMetric[]> {
    await this.#sample({ account: scope.accountId, region: scope.region });
    return (this.#stored ?? this.memory).list(scope, filter);
  }

  async read(
    key: MetricKey,
    fromMinute: number,
    toMinute: number,
    stepMinutes?: number,
  ): Promise<readonly MinutePoint[]> {
    await this.#sample({ account: key.accountId, region: key.region });
    return (this.#stored ?? this.memory).read(key, fromMinute, toMinute, stepMinutes);
  }

  record(key: MetricKey, unit: MetricUnit, value: number, count: number, atMs: number): void {
    this.memory.record(key, unit, value, count, atMs);
    this.#wake();
  }

  recordSet(key: MetricKey, unit: MetricUnit, set: StatisticSet, atMs: number): void {
    this.memory.recordSet(key, unit, set, atMs);
    this.#wake();
  }

  /** The minutes of a rule of Contributor Insights, of all processes; one minute may come more than once. */
  async ruleMinutes(id: string, fromMinute: number, toMinute: number) {
    const others = (await this.#storedInsights?.others(id, fromMinute, toMinute)) ?? [];
    return [...(this.insights.rule(id)?.minutes(fromMinute, toMinute) ?? []), ...others];
  }

  /** The counters of this process since it began, as Prometheus names them. `process` labels them, if there are others. */
  processMetrics(process: string | undefined): Promise<ProcessMetrics> {
    const { memory, patterns } = this;
    const dropped = { seriesDropped: memory.dropped, patternsDropped: patterns.dropped };
    return processMetrics(memory, { process, ...dropped }, this.slices);
  }

  /** The accounts and Regions that have made requests. */
  scopes(): readonly HandleScope[] {
    return [...this.#scopes.values()];
  }

  /** Writes what has changed to a durable store, as the background does by itself. */
  async flush(): Promise<void> {
    await this.#worker?.settled();
    await this.#write();
  }

  /** Writes all minutes, if the store keeps them, and ends. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#worker?.settled();
    try {
      await this.#write(true);
    } catch (error) {
      this.#deps.log(`The latest metrics were not written: ${String(error)}`);
    }
  }

  /** A table has come, changed or gone: its state is looked at soon. */
  #tableChanged({ scope, tableName }: Touch): void {
    this.#gauges.tableChanged(scope, tableName);
    this.#isTableChanged = true;
    this.#worker?.wake();
  }

  /** Resolves when the work in the background rests. */
  async settled(): Promise<void> {
    await this.#worker?.settled();
  }

  #noteScope(account: string, region: string): void {
    this.#latestScope = { account, region };
    if (this.#scopes.size < 1_000) this.#scopes.set(`${account}/${region}`, this.#latestScope);
  }

  #wake(): void {
    if (this.#isAwake || this.#worker === undefined) return;
    this.#isAwake = true;
    const nowMs = this.#deps.runtime.stopwatchMs();
    if (!this.#isWritePending) {
      this.#isWritePending = true;
      this.#writeDueMs = nowMs + (this.#engine!.store.exclusive ? ownWriteMs : sharedWriteMs);
    }
    this.#worker.wakeAfter(Math.max(0, this.#writeDueMs - nowMs));
  }

  /** A pass that a changed table asks for looks at tables only: writing goes through every series that there is. */
  async #pass(): Promise<void> {
    const isForTables = this.#isTableChanged && this.#deps.runtime.stopwatchMs() < this.#writeDueMs;
    this.#isTableChanged = false;
    if (!isForTables) this.#isWritePending = false;
    const minute = minuteOf(this.#deps.nowMs());
    if (Math.abs(minute - this.#trimmedMinute) >= trimMinutes) {
      this.#trimmedMinute = minute;
      this.memory.trim();
    }
    for (const scope of this.#scopes.values()) await this.#sample(scope);
    if (!isForTables) await this.#write();
  }

  async #write(isLast = false): Promise<void> {
    await this.#stored?.write(isLast);
    await this.#storedInsights?.write();
  }

  async #sample(scope: HandleScope): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || !this.isOn || this.#ending.signal.aborted) return;
    const minute = minuteOf(this.#deps.nowMs());
    await this.#gauges.sample(engine, scope, minute);
    if (!this.#hasFilled && engine.store.immediate && engine.destinations.isIdle) return;
    this.#hasFilled = false;
    await this.#gauges.sampleWork(engine, minute);
  }
}
