import type { ApiError } from '../../operations/api/api-error.ts';
import type { ListedMetric, MetricKey, Metrics } from '../metrics.ts';
import { validationError } from './cloudwatch-errors.ts';
import type { MetricDataQuery } from './cloudwatch-shapes.ts';
import { evaluateMath } from './evaluate-math.ts';
import { MathError, type MathNode } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { expressionError, type PlannedQueries, type PlannedQuery } from './metric-queries.ts';
import { isPeriod, type MetricScope, metricKey, minutesOf, readPoints, seriesOf } from './metric-reading.ts';
import { readSearch } from './search-metrics.ts';
import { SeriesList } from './series-list.ts';
import { readStatistic } from './statistics.ts';
import type { TimeSeries, Window } from './time-series.ts';

/** SEARCH answers at most so many series, as on the service. */
const searchedMax = 500;

export interface QueryRun {
  readonly metrics: Pick<Metrics, 'list' | 'read'>;
  readonly scope: MetricScope;
  readonly window: Window;
  /** Where the first point begins; by default the window's start, rounded down to a whole period. */
  readonly startOf?: (period: number) => number;
  /** Fills minutes that a metric does not have with a value, from a minute on. */
  readonly zeroFrom?: (key: MetricKey) => number | undefined;
}

/** Reads the metrics of queries and computes their expressions: the values by id. */
export async function runQueries(
  run: QueryRun,
  { inOrder }: PlannedQueries,
): Promise<ReadonlyMap<string, MathValue> | ApiError> {
  const values = new Map<string, MathValue>();
  const metricIds: string[] = [];
  const period = defaultPeriod(inOrder);
  for (const one of inOrder) {
    const { query } = one;
    if (query.AccountId !== undefined && query.AccountId !== run.scope.accountId)
      return validationError('Metrics of other accounts are not supported by Stator');
    if (one.kind === 'metric') {
      values.set(query.Id, await readMetric(run, query, one));
      metricIds.push(query.Id);
    }
  }
  for (const one of inOrder) {
    if (one.kind !== 'expression') continue;
    const searches = await findSearches(run, one.node, one.query.Period ?? period);
    if (searches instanceof MathError) return expressionError(one.query.Id, searches);
    const scope: MathScope = {
      window: run.window,
      period: one.query.Period ?? period,
      valueOf: (id) => values.get(id) ?? new MathError(`Unrecognized identifier: '${id}'`),
      metrics: () => metricIds.map((id) => ({ id, series: values.get(id) as TimeSeries })),
      search: (expression, statistic, seconds) =>
        searches.get(searchKey(expression, statistic, seconds)) ??
        new MathError('SEARCH takes texts and a number, not expressions'),
    };
    const value = evaluateMath(one.node, scope);
    if (value instanceof MathError) return expressionError(one.query.Id, value);
    values.set(one.query.Id, value);
  }
  return values;
}

async function readMetric(
  run: QueryRun,
  { MetricStat }: MetricDataQuery,
  { statistic }: PlannedQuery & { kind: 'metric' },
): Promise<TimeSeries> {
  const { Metric, Period, Stat, Unit } = MetricStat!;
  return readSeries(run, metricKey(run.scope, Metric), Period, Stat, statistic, Unit);
}

async function readSeries(
  { metrics, window, startOf, zeroFrom }: QueryRun,
  key: MetricKey,
  period: number,
  statisticName: string,
  statistic: (point: Parameters<NonNullable<ReturnType<typeof readStatistic>>>[0]) => number | undefined,
  unit?: string,
): Promise<TimeSeries> {
  const step = minutesOf(period);
  const from = startOf === undefined ? Math.floor(window.start / (step * 60)) * step : startOf(period) / 60;
  const to = Math.ceil(window.end / 60);
  const points = await readPoints(metrics, key, unit, from, to, step);
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

function searchKey(expression: string, statistic: string, period: number | undefined): string {
  return JSON.stringify([expression, statistic, period]);
}

/** Looks up every SEARCH in an expression before it is evaluated, because evaluation does not wait. */
async function findSearches(
  run: QueryRun,
  node: MathNode,
  period: number,
): Promise<Map<string, SeriesList> | MathError> {
  const found = new Map<string, SeriesList>();
  for (const call of callsOf(node, 'SEARCH')) {
    const [expression, statistic, seconds] = call.arguments;
    if (expression?.kind !== 'text' || statistic?.kind !== 'text') continue;
    if (seconds !== undefined && seconds.kind !== 'number') continue;
    const key = searchKey(expression.value, statistic.value, seconds?.value);
    if (found.has(key)) continue;
    const series = await search(run, expression.value, statistic.value, seconds?.value ?? period);
    if (series instanceof MathError) return series;
    found.set(key, series);
  }
  return found;
}

async function search(
  run: QueryRun,
  expression: string,
  statisticName: string,
  period: number,
): Promise<SeriesList | MathError> {
  const matches = readSearch(expression);
  if (matches instanceof MathError) return matches;
  const statistic = readStatistic(statisticName);
  if (statistic === undefined) return new MathError(`SEARCH does not know the statistic '${statisticName}'`);
  if (!isPeriod(period))
    return new MathError(`The period ${period} of SEARCH is not 1, 5, 10, 20, 30 or a multiple of 60`);
  const listed: readonly ListedMetric[] = await run.metrics.list(run.scope);
  const all: TimeSeries[] = [];
  for (const metric of listed.filter(matches).slice(0, searchedMax)) {
    const series = await readSeries(run, metric, period, statisticName, statistic);
    if (series.times.length === 0) continue;
    const label = [metric.name, ...metric.dimensions.map(({ value }) => value)].join(' ');
    all.push({ ...series, label });
  }
  return new SeriesList(all);
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
