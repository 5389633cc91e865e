import type { MaybePromise } from '../../model/maybe-promise.ts';
import { fillSeries } from './fill-series.ts';
import { ifFunction } from './math-if.ts';
import { MathError } from './math-syntax.ts';
import { isSeries, type MathScope, type MathValue } from './math-value.ts';
import { stepsOfSeries } from './math-work.ts';
import { SeriesList } from './series-list.ts';
import {
  deviationOf,
  mapPoints,
  mapValues,
  maximumOf,
  meanOf,
  minimumOf,
  momentCount,
  momentsOf,
  reduceSeries,
  sumOf,
  type TimeSeries,
} from './time-series.ts';

export type MathFunction = (
  values: readonly MathValue[],
  scope: MathScope,
) => MaybePromise<MathValue | MathError>;

/** Each function of metric math. What needs machine learning, quotas or other services is not among them. */
export const mathFunctions: Readonly<Record<string, MathFunction>> = {
  ABS: ofEach('ABS', (series) => mapValues(series, Math.abs), Math.abs),
  CEIL: ofEach('CEIL', (series) => mapValues(series, Math.ceil), Math.ceil),
  FLOOR: ofEach('FLOOR', (series) => mapValues(series, Math.floor), Math.floor),
  LOG: ofEach('LOG', (series) => mapPoints(series, (value) => finite(Math.log(value))), Math.log),
  LOG10: ofEach('LOG10', (series) => mapPoints(series, (value) => finite(Math.log10(value))), Math.log10),
  SUM: reducing('SUM', sumOf),
  AVG: reducing('AVG', meanOf),
  MIN: reducing('MIN', minimumOf),
  MAX: reducing('MAX', maximumOf),
  STDDEV: reducing('STDDEV', deviationOf),
  DIFF: ofEach('DIFF', (series) => withPrevious(series, (value, before) => value - before)),
  DIFF_TIME: ofEach('DIFF_TIME', (series) => withPrevious(series, (_value, _before, seconds) => seconds)),
  RATE: ofEach('RATE', (series) =>
    withPrevious(series, (value, before, seconds) => (value - before) / seconds),
  ),
  RUNNING_SUM: ofEach('RUNNING_SUM', (series) => {
    let sum = 0;
    return mapValues(series, (value) => {
      sum += value;
      return sum;
    });
  }),
  PERIOD: ([value]) =>
    isSeries(value) ? value.period : new MathError('PERIOD expects one metric as its argument'),
  DATAPOINT_COUNT: (values) => {
    const all = seriesIn(values);
    return all === undefined
      ? wrongArguments('DATAPOINT_COUNT')
      : sumOf(all.map(({ times }) => times.length));
  },
  METRIC_COUNT: (values) => seriesIn(values)?.length ?? wrongArguments('METRIC_COUNT'),
  METRICS: async ([text], scope) => {
    if (text !== undefined && typeof text !== 'string') return wrongArguments('METRICS');
    const metrics = scope.metrics();
    await scope.work.spend(metrics.length);
    const all = metrics.filter(({ id }) => text === undefined || id.includes(text));
    return new SeriesList(all.map(({ series }) => series));
  },
  TIME_SERIES: async ([value], { window, period, work }) => {
    if (typeof value !== 'number') return wrongArguments('TIME_SERIES');
    await work.spend(momentCount(window, period));
    const times = momentsOf(window, period);
    return { period, times, values: times.map(() => value), label: 'TIME_SERIES' };
  },
  FILL: (values, scope) => fillSeries(values, scope),
  IF: (values, scope) => ifFunction(values, scope),
  FIRST: (values) => oneOf('FIRST', values, 0),
  LAST: (values) => oneOf('LAST', values, -1),
  REMOVE_EMPTY: (values) => {
    const all = seriesIn(values);
    return all === undefined
      ? wrongArguments('REMOVE_EMPTY')
      : new SeriesList(all.filter(({ times }) => times.length > 0));
  },
  SLICE: (values) => {
    const [list, from, to] = values;
    if (!(list instanceof SeriesList) || typeof from !== 'number') return wrongArguments('SLICE');
    if (to !== undefined && typeof to !== 'number') return wrongArguments('SLICE');
    return new SeriesList(list.all.slice(from, to));
  },
  SORT: sorted,
  SEARCH: ([expression, statistic, period], scope) => {
    if (typeof expression !== 'string' || typeof statistic !== 'string') return wrongArguments('SEARCH');
    if (period !== undefined && typeof period !== 'number') return wrongArguments('SEARCH');
    return scope.search(expression, statistic, period);
  },
  EPOCH: ofTimes('EPOCH', (time) => time),
  MINUTE: ofTimes('MINUTE', (time) => new Date(time * 1000).getUTCMinutes()),
  HOUR: ofTimes('HOUR', (time) => new Date(time * 1000).getUTCHours()),
  // Monday is 1, Sunday is 7.
  DAY: ofTimes('DAY', (time) => new Date(time * 1000).getUTCDay() || 7),
  DATE: ofTimes('DATE', (time) => new Date(time * 1000).getUTCDate()),
  MONTH: ofTimes('MONTH', (time) => new Date(time * 1000).getUTCMonth() + 1),
  YEAR: ofTimes('YEAR', (time) => new Date(time * 1000).getUTCFullYear()),
};

function wrongArguments(name: string): MathError {
  return new MathError(`Unsupported arguments passed to function ${name}`);
}

/** All series among the arguments; undefined if another argument is among them, or there are no arguments. */
function seriesIn(values: readonly MathValue[]): readonly TimeSeries[] | undefined {
  if (values.length === 0) return undefined;
  const all: TimeSeries[] = [];
  for (const value of values) {
    if (value instanceof SeriesList) for (const series of value.all) all.push(series);
    else if (isSeries(value)) all.push(value);
    else return undefined;
  }
  return all;
}

/** Of no series, such as a SEARCH that finds nothing answers, no series. */
function oneOf(name: string, values: readonly MathValue[], at: number): MathValue | MathError {
  const all = seriesIn(values);
  if (all === undefined) return wrongArguments(name);
  return all.at(at) ?? new SeriesList([]);
}

function ofEach(
  name: string,
  change: (series: TimeSeries) => TimeSeries,
  ofNumber?: (value: number) => number,
): MathFunction {
  return async (values, { work }) => {
    const [value] = values;
    if (values.length !== 1 || value === undefined) return wrongArguments(name);
    if (value instanceof SeriesList) return work.each(value, change);
    if (isSeries(value)) {
      await work.spend(stepsOfSeries(value));
      return change(value);
    }
    if (typeof value === 'number' && ofNumber !== undefined) return ofNumber(value);
    return wrongArguments(name);
  };
}

/** Of one series, a number; of several, one series with a value for each moment. */
function reducing(name: string, reduce: (values: readonly number[]) => number): MathFunction {
  return async (values, { work }) => {
    const [only] = values;
    if (values.length === 1 && isSeries(only)) {
      await work.spend(stepsOfSeries(only));
      return only.values.length === 0 ? 0 : reduce(only.values);
    }
    if (values.length === 1 && typeof only === 'number') return reduce([only]);
    const all = seriesIn(values);
    return all === undefined ? wrongArguments(name) : reduceSeries(all, reduce, work);
  };
}

/** Drops the first point, which has none before it. */
function withPrevious(
  series: TimeSeries,
  compute: (value: number, before: number, seconds: number) => number,
): TimeSeries {
  return mapPoints(series, (value, time, at) =>
    at === 0 ? undefined : compute(value, series.values[at - 1]!, time - series.times[at - 1]!),
  );
}

function ofTimes(name: string, ofTime: (seconds: number) => number): MathFunction {
  return ofEach(name, (series) => ({ ...series, values: series.times.map(ofTime) }));
}

async function sorted(values: readonly MathValue[], { work }: MathScope): Promise<MathValue | MathError> {
  const [list, by, order, most] = values;
  if (!(list instanceof SeriesList) || typeof by !== 'string') return wrongArguments('SORT');
  const reduce = sortReducers[by];
  if (reduce === undefined || (order !== 'ASC' && order !== 'DESC')) return wrongArguments('SORT');
  if (most !== undefined && typeof most !== 'number') return wrongArguments('SORT');
  const weights = new Map<TimeSeries, number>();
  for (const series of list.all) {
    await work.spend(stepsOfSeries(series));
    weights.set(series, reduce(series.values));
  }
  const sign = order === 'ASC' ? 1 : -1;
  const all = [...list.all].sort((a, b) => sign * ((weights.get(a) ?? 0) - (weights.get(b) ?? 0)));
  return new SeriesList(all.slice(0, most));
}

const sortReducers: Readonly<Record<string, ((values: readonly number[]) => number) | undefined>> = {
  AVG: meanOf,
  MAX: maximumOf,
  MIN: minimumOf,
  SUM: sumOf,
  STDDEV: deviationOf,
};

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
