import type { Scope } from '../../engine/store-keys.ts';
import { DynamoError } from '../../model/errors.ts';
import type { Slices } from '../../model/slices.ts';
import type { MetricDataQuery } from '../cloudwatch/cloudwatch-shapes.ts';
import { isSeries } from '../cloudwatch/math-value.ts';
import { planQueries } from '../cloudwatch/metric-queries.ts';
import { minutesOf } from '../cloudwatch/metric-reading.ts';
import { runQueries } from '../cloudwatch/run-queries.ts';
import { SeriesList } from '../cloudwatch/series-list.ts';
import type { TimeSeries } from '../cloudwatch/time-series.ts';
import type { Metrics } from '../metrics.ts';
import {
  type AlarmRecord,
  comparisons,
  missingDataOf,
  periodOf,
  type StateValue,
  type Watched,
} from './alarm-record.ts';
import { extraPeriods, stateAfter } from './alarm-state.ts';
import type { SeenPoint } from './alarm-words.ts';

/** What an evaluation found. */
export interface Evaluation {
  readonly state: StateValue;
  /** The points of the evaluation range, oldest first. */
  readonly points: readonly SeenPoint[];
}

/**
 * Evaluates an alarm on the points of whole minutes before `minute`. Periods of more than a minute end there too, so that
 * they slide from minute to minute. Answers undefined if the alarm cannot be evaluated, and keeps its state.
 */
export async function evaluateAlarm(
  metrics: Metrics,
  scope: Scope,
  record: AlarmRecord,
  minute: number,
  slices: Slices,
): Promise<Evaluation | undefined> {
  const { settings, zeroFromMinute } = record;
  const { watched, evaluationPeriods, datapointsToAlarm = evaluationPeriods } = settings;
  const step = minutesOf(periodOf(watched));
  const count = evaluationPeriods + extraPeriods;
  const from = minute - count * step;
  const queries = queriesOf(watched);
  const planned = planQueries(queries);
  if (planned instanceof DynamoError) return undefined;
  const values = await runQueries(
    {
      ...{ metrics, slices },
      scope: { accountId: scope.account, region: scope.region },
      window: { start: from * 60, end: minute * 60, isSliding: true },
      startOf: () => from * 60,
      ...(zeroFromMinute !== undefined && { zeroFrom: () => onGrid(zeroFromMinute, from, step) }),
    },
    planned,
  );
  if (values instanceof DynamoError) return undefined;
  const watchedId = queries.find(({ ReturnData }) => ReturnData !== false)!.Id;
  const value = values.get(watchedId)!;
  const series = value instanceof SeriesList ? value.all[0] : isSeries(value) ? value : undefined;
  const points = pointsOf(series, from, step, count);
  if (
    settings.lowSamples === 'ignore' &&
    (await hasFewSamples(metrics, scope, watched, from, minute, slices))
  )
    return { state: record.state.value, points };
  const { breaches } = comparisons[settings.comparison];
  const verdicts = points.map(({ value: given }) =>
    given === undefined ? undefined : breaches(given, settings.threshold),
  );
  const rule = { datapointsToAlarm, evaluationPeriods, missingData: missingDataOf(settings) };
  return { state: stateAfter(verdicts, rule, record.state.value), points };
}

/** The first step that begins at a minute or after it. */
function onGrid(minute: number, from: number, step: number): number {
  return minute <= from ? from : from + Math.ceil((minute - from) / step) * step;
}

const onlyId = 'watched';

function queriesOf(watched: Watched): readonly MetricDataQuery[] {
  if ('Metrics' in watched) return watched.Metrics;
  const { MetricName, Namespace, Dimensions, Statistic, ExtendedStatistic, Period, Unit } = watched;
  return [
    {
      Id: onlyId,
      MetricStat: {
        Metric: { MetricName, Namespace, Dimensions },
        Period,
        Stat: Statistic ?? ExtendedStatistic ?? 'Average',
        ...(Unit !== undefined && { Unit: Unit as 'None' }),
      },
    },
  ];
}

function pointsOf(series: TimeSeries | undefined, from: number, step: number, count: number): SeenPoint[] {
  const found = new Map(series?.times.map((time, at) => [time, series.values[at]!]));
  return Array.from({ length: count }, (_, at) => {
    const time = (from + at * step) * 60;
    return { time, value: found.get(time) };
  });
}

/** Whether a percentile rests on too few values to mean anything: fewer than ten beyond it, as the service counts. */
async function hasFewSamples(
  metrics: Metrics,
  scope: Scope,
  watched: Watched,
  from: number,
  minute: number,
  slices: Slices,
): Promise<boolean> {
  if ('Metrics' in watched || watched.ExtendedStatistic === undefined) return false;
  const percent = Number(watched.ExtendedStatistic.slice(1)) / 100;
  if (!(percent > 0 && percent < 1)) return false;
  const needed = 10 / (percent >= 0.5 ? 1 - percent : percent);
  const [query] = queriesOf({ ...watched, Statistic: 'SampleCount' });
  const planned = planQueries([query!]);
  if (planned instanceof DynamoError) return false;
  const values = await runQueries(
    {
      ...{ metrics, slices },
      scope: { accountId: scope.account, region: scope.region },
      window: { start: from * 60, end: minute * 60 },
      startOf: () => from * 60,
    },
    planned,
  );
  if (values instanceof DynamoError) return false;
  const counts = values.get(onlyId);
  return isSeries(counts) && counts.values.some((samples) => samples < needed);
}
