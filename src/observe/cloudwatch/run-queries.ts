import { DynamoError } from '../../model/errors.ts';
import type { Slices } from '../../model/slices.ts';
import { keyText } from '../metric-key.ts';
import { type ListedMetric, type MetricKey, type Metrics, minutesKept } from '../metrics.ts';
import { type CloudWatchError, validationError } from './cloudwatch-errors.ts';
import type { MetricDataQuery } from './cloudwatch-shapes.ts';
import { evaluateMath } from './evaluate-math.ts';
import { MathError, type MathNode } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { MathBudgetExceeded, MathWork } from './math-work.ts';
import { expressionError, type PlannedQueries, type PlannedQuery } from './metric-queries.ts';
import { isPeriod, type MetricScope, metricKey, minutesOf, seriesOf } from './metric-reading.ts';
import { readSearch } from './search-metrics.ts';
import { SeriesList } from './series-list.ts';
import { isBasicStatistic, readStatistic, type Statistic } from './statistics.ts';
import type { TimeSeries, Window } from './time-series.ts';

/**
 * A request reads at most so many different metrics (API reference of GetMetricData). Beyond it SEARCH answers those that
 * there is room for, and the answer has a message.
 */
const metricsMax = 500;

export interface QueryRun {
  readonly metrics: Pick<Metrics, 'list' | 'read'>;
  readonly scope: MetricScope;
  readonly window: Window;
  /** Other requests are answered between slices. */
  readonly slices: Slices;
  /** Where the first point begins; by default the window's start, rounded down to a whole period. */
  readonly startOf?: (period: number) => number;
  /** Fills minutes that a metric does not have with a value, from a minute on. */
  readonly zeroFrom?: (key: MetricKey) => number | undefined;
}

/** Reads the metrics of queries and computes their expressions: the values by id. */
export async function runQueries(
  run: QueryRun,
  planned: PlannedQueries,
): Promise<ReadonlyMap<string, MathValue> | CloudWatchError> {
  const result = await runWithin(run, planned);
  return result instanceof DynamoError ? result : result.values;
}

export interface QueryResult {
  readonly values: ReadonlyMap<string, MathValue>;
  /** Whether searches found more metrics than a request may read. */
  readonly hasMoreMetrics: boolean;
}

/** As `runQueries`, with work that the caller goes on counting. */
export async function runWithin(
  run: QueryRun,
  planned: PlannedQueries,
  work = new MathWork(run.slices),
): Promise<QueryResult | CloudWatchError> {
  try {
    return await new QueryRunning(run, planned, work).run();
  } catch (error) {
    if (error instanceof MathBudgetExceeded) return validationError(error.message);
    throw error;
  }
}

class QueryRunning {
  readonly #run: QueryRun;
  readonly #inOrder: readonly PlannedQuery[];
  readonly #work: MathWork;
  readonly #values = new Map<string, MathValue>();
  readonly #searches = new Map<string, SeriesList>();
  #listed: readonly ListedMetric[] | undefined;
  #units: Map<string, string> | undefined;
  /** The different metrics that are read. */
  readonly #read = new Set<string>();
  #hasMoreMetrics = false;

  constructor(run: QueryRun, { inOrder }: PlannedQueries, work: MathWork) {
    this.#run = run;
    this.#inOrder = inOrder;
    this.#work = work;
  }

  async run(): Promise<QueryResult | CloudWatchError> {
    const { scope: own, window } = this.#run;
    const metricIds: string[] = [];
    const period = defaultPeriod(this.#inOrder);
    for (const one of this.#inOrder) {
      const { query } = one;
      if (query.AccountId !== undefined && query.AccountId !== own.accountId)
        return validationError('Metrics of other accounts are not supported by Stator');
      if (one.kind !== 'metric') continue;
      this.#values.set(query.Id, await this.#readMetric(query, one));
      metricIds.push(query.Id);
    }
    const metrics = metricIds.map((id) => ({ id, series: this.#values.get(id) as TimeSeries }));
    for (const one of this.#inOrder) {
      if (one.kind !== 'expression') continue;
      const searches = await this.#findSearches(one.node, one.query.Period ?? period);
      if (searches !== undefined) return expressionError(one.query.Id, searches);
      const scope: MathScope = {
        window,
        work: this.#work,
        period: one.query.Period ?? period,
        valueOf: (id) => this.#values.get(id) ?? new MathError(`Unrecognized identifier: '${id}'`),
        metrics: () => metrics,
        search: (expression, statistic, seconds) =>
          this.#searches.get(searchKey(expression, statistic, seconds ?? one.query.Period ?? period)) ??
          new MathError('SEARCH takes texts and a number, not expressions'),
      };
      const value = await evaluateMath(one.node, scope);
      if (value instanceof MathError) return expressionError(one.query.Id, value);
      this.#values.set(one.query.Id, value);
    }
    return { values: this.#values, hasMoreMetrics: this.#hasMoreMetrics };
  }

  async #readMetric(
    { MetricStat }: MetricDataQuery,
    { statistic }: PlannedQuery & { kind: 'metric' },
  ): Promise<TimeSeries> {
    const { Metric, Period, Stat, Unit } = MetricStat!;
    const key = metricKey(this.#run.scope, Metric);
    this.#read.add(keyText(key));
    const isOther = Unit !== undefined && (await this.#unitOf(key)) !== Unit;
    return this.#readSeries(key, Period, Stat, statistic, isOther);
  }

  /** Every metric of the caller, listed once for a request. */
  async #list(): Promise<readonly ListedMetric[]> {
    if (this.#listed === undefined) {
      this.#listed = await this.#run.metrics.list(this.#run.scope);
      await this.#work.slice(this.#listed.length);
    }
    return this.#listed;
  }

  async #unitOf(key: MetricKey): Promise<string | undefined> {
    if (this.#units === undefined) {
      const listed = await this.#list();
      await this.#work.slice(listed.length);
      this.#units = new Map(listed.map((metric) => [keyText(metric), metric.unit]));
    }
    return this.#units.get(keyText(key));
  }

  async #readSeries(
    key: MetricKey,
    period: number,
    statisticName: string,
    statistic: Statistic,
    isEmpty = false,
  ): Promise<TimeSeries> {
    const { metrics, window, startOf, zeroFrom } = this.#run;
    const step = minutesOf(period);
    const from = startOf === undefined ? Math.floor(window.start / (step * 60)) * step : startOf(period) / 60;
    const to = Math.ceil(window.end / 60);
    await this.#work.spend(readSteps);
    const points = isEmpty ? [] : await metrics.read(key, from, to, step);
    // Minutes are looked at even where the step puts many of them into one point.
    const minutes = points.length === 0 ? 0 : Math.min(to - from, minutesKept);
    const each = isBasicStatistic(statisticName) ? 1 : histogramSteps;
    this.#work.take(minutes / minutesPerStep + points.length);
    await this.#work.slice(minutes / minutesPerStep + points.length * each);
    const properties: Record<string, string> = {
      AccountId: key.accountId,
      Region: key.region,
      Namespace: key.namespace,
      MetricName: key.name,
      Period: String(period),
      Stat: statisticName,
    };
    for (const { name, value } of key.dimensions) properties[`Dim.${name}`] = value;
    const series = seriesOf(points, statistic, Math.max(60, period), key.name, properties);
    const zeros = zeroFrom?.(key);
    return zeros === undefined ? series : withZeros(series, Math.max(from, zeros), to, step);
  }

  /** Looks up every SEARCH in an expression before it is evaluated. */
  async #findSearches(node: MathNode, period: number): Promise<MathError | undefined> {
    for (const call of callsOf(node, 'SEARCH')) {
      const [expression, statistic, seconds] = call.arguments;
      if (expression?.kind !== 'text' || statistic?.kind !== 'text') continue;
      if (seconds !== undefined && seconds.kind !== 'number') continue;
      const key = searchKey(expression.value, statistic.value, seconds?.value ?? period);
      if (this.#searches.has(key)) continue;
      const found = await this.#search(expression.value, statistic.value, seconds?.value ?? period);
      if (found instanceof MathError) return found;
      this.#searches.set(key, found);
    }
    return undefined;
  }

  async #search(expression: string, statisticName: string, period: number): Promise<SeriesList | MathError> {
    const search = readSearch(expression);
    if (search instanceof MathError) return search;
    const statistic = readStatistic(statisticName);
    if (statistic === undefined)
      return new MathError(`SEARCH does not know the statistic '${statisticName}'`);
    if (!isPeriod(period))
      return new MathError(`The period ${period} of SEARCH is not 1, 5, 10, 20, 30 or a multiple of 60`);
    const all: TimeSeries[] = [];
    for (const metric of await this.#list()) {
      await this.#work.spend(1 + search.words * (1 + metric.dimensions.length));
      if (!search.matches(metric)) continue;
      const key = keyText(metric);
      if (this.#read.size >= metricsMax && !this.#read.has(key)) {
        this.#hasMoreMetrics = true;
        continue;
      }
      const series = await this.#readSeries(metric, period, statisticName, statistic);
      if (series.times.length === 0) continue;
      this.#read.add(key);
      const label = [metric.name, ...metric.dimensions.map(({ value }) => value)].join(' ');
      all.push({ ...series, label });
    }
    return new SeriesList(all);
  }
}

/** What it takes to find a series. */
const readSteps = 20;
const minutesPerStep = 8;
/** A percentile walks through the histogram of its point. That takes time, but no memory of the budget. */
const histogramSteps = 10;

function withZeros(series: TimeSeries, fromMinute: number, toMinute: number, step: number): TimeSeries {
  const there = new Map(series.times.map((time, at) => [time, series.values[at]!]));
  for (let minute = fromMinute; minute < toMinute; minute += step)
    if (!there.has(minute * 60)) there.set(minute * 60, 0);
  const times = [...there.keys()].sort((a, b) => a - b);
  return { ...series, times, values: times.map((time) => there.get(time)!) };
}

/** The period of series that no metric has made: the longest of the metrics, or a minute. */
function defaultPeriod(inOrder: readonly PlannedQuery[]): number {
  return Math.max(60, ...inOrder.map(({ query }) => query.MetricStat?.Period ?? 0));
}

function searchKey(expression: string, statistic: string, period: number): string {
  return JSON.stringify([expression, statistic, period]);
}

/** The calls of a function in an expression. */
export function* callsOf(node: MathNode, name: string): Generator<MathNode & { kind: 'call' }> {
  switch (node.kind) {
    case 'call':
      if (node.name === name) yield node;
      for (const argument of node.arguments) yield* callsOf(argument, name);
      return;
    case 'list':
      for (const item of node.items) yield* callsOf(item, name);
      return;
    case 'negative':
      yield* callsOf(node.of, name);
      return;
    case 'binary':
      yield* callsOf(node.left, name);
      yield* callsOf(node.right, name);
      return;
    default:
  }
}
