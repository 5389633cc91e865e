import { DynamoError } from '../../model/errors.ts';
import { integer, list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { onMetrics } from './api-intents.ts';
import { type CloudWatchError, invalidNextToken, validationError } from './cloudwatch-errors.ts';
import {
  type MetricDataQuery,
  message,
  metricDataQuery,
  metricDataResult,
  metricOperation,
  scanBy,
} from './cloudwatch-shapes.ts';
import { MathError } from './math-syntax.ts';
import type { MathValue } from './math-value.ts';
import { MathBudgetExceeded, MathWork, stepsOfSeries } from './math-work.ts';
import { expressionError, planQueries } from './metric-queries.ts';
import { readToken, writeToken } from './next-token.ts';
import { windowProblem } from './parameter-checks.ts';
import { runWithin } from './run-queries.ts';
import { isTimezone, labelLengthMax, labelOf, labelPartsMax } from './series-labels.ts';
import { SeriesList } from './series-list.ts';
import type { TimeSeries } from './time-series.ts';

const queriesMax = 500;
const datapointsMax = 100_800;

export const getMetricData = metricOperation(
  'GetMetricData',
  onMetrics,
  {
    MetricDataQueries: required(list(metricDataQuery)),
    StartTime: required(timestamp),
    EndTime: required(timestamp),
    NextToken: string(),
    ScanBy: scanBy,
    MaxDatapoints: integer(),
    LabelOptions: structure('LabelOptions', { Timezone: string() }),
  },
  { MetricDataResults: list(metricDataResult), NextToken: string(), Messages: list(message) },
  async ({ metrics, slices }, input, { accountId, region }) => {
    const { MetricDataQueries, StartTime, EndTime, NextToken, MaxDatapoints = datapointsMax } = input;
    const { ScanBy = 'TimestampDescending', LabelOptions } = input;
    if (MetricDataQueries.length === 0)
      return validationError('The parameter MetricDataQueries must have at least one element.');
    if (MetricDataQueries.length > queriesMax)
      return validationError(
        `The collection MetricDataQueries must not have a size greater than ${queriesMax}.`,
      );
    const wrongWindow = windowProblem({ StartTime, EndTime });
    if (wrongWindow !== undefined) return validationError(wrongWindow);
    if (MaxDatapoints < 1 || MaxDatapoints > datapointsMax)
      return validationError(`The parameter MaxDatapoints must be between 1 and ${datapointsMax}.`);
    if (LabelOptions?.Timezone !== undefined && !isTimezone(LabelOptions.Timezone))
      return validationError(
        `The value ${LabelOptions.Timezone} for parameter LabelOptions.Timezone is invalid.`,
      );
    const longLabel = MetricDataQueries.findIndex(({ Label = '' }) => Label.length > labelLengthMax);
    if (longLabel >= 0)
      return validationError(
        `The value for parameter MetricDataQueries.member.${longLabel + 1}.Label must not be longer than ${labelLengthMax} characters.`,
      );
    // Asked of the queries, not of the results: a SEARCH that finds nothing answers no result at all.
    if (MetricDataQueries.every(({ ReturnData }) => ReturnData === false))
      return validationError('At least one of the MetricDataQueries must have ReturnData true.');
    const request = JSON.stringify([MetricDataQueries, StartTime, EndTime, ScanBy]);
    const begin = NextToken === undefined ? { result: 0, point: 0 } : placeOf(request, NextToken);
    if (begin === undefined) return invalidNextToken();
    const planned = planQueries(MetricDataQueries);
    if (planned instanceof DynamoError) return planned;
    const run = {
      ...{ metrics, slices, scope: { accountId, region } },
      window: { start: StartTime, end: EndTime },
    };
    const work = new MathWork(slices);
    const found = await runWithin(run, planned, work);
    if (found instanceof DynamoError) return found;
    const results: Result[] = [];
    for (const query of MetricDataQueries) {
      if (query.ReturnData === false) continue;
      const all = resultsOf(query, found.values.get(query.Id)!);
      if (all instanceof DynamoError) return all;
      for (const result of all) results.push(result);
    }
    try {
      const options = { begin, most: MaxDatapoints, request, timezone: LabelOptions?.Timezone };
      const page = await pageOf(results, options, work, ScanBy === 'TimestampDescending');
      return { ...page, Messages: found.hasMoreMetrics ? [tooManyMetrics] : [] };
    } catch (error) {
      if (error instanceof MathBudgetExceeded) return validationError(error.message);
      throw error;
    }
  },
);

/** The value is the example of the API reference; Grafana's data source and others know the code. */
const tooManyMetrics = { Code: 'MaxMetricsExceeded', Value: 'Maximum number of allowed metrics exceeded' };

interface Result {
  readonly query: MetricDataQuery;
  readonly series: TimeSeries;
}

interface Place {
  readonly result: number;
  readonly point: number;
}

function placeOf(request: string, token: string): Place | undefined {
  const [result, point] = readToken(request, token) ?? [];
  if (!Number.isSafeInteger(result) || !Number.isSafeInteger(point)) return undefined;
  return { result: result as number, point: point as number };
}

function resultsOf(query: MetricDataQuery, value: MathValue): Result[] | CloudWatchError {
  const { Id } = query;
  if (typeof value === 'number' || typeof value === 'string')
    return expressionError(Id, new MathError('The result is not a time series, and cannot be returned'));
  if (value instanceof SeriesList) return value.all.map((series) => ({ query, series }));
  const isMetric = query.MetricStat !== undefined;
  return [{ query, series: isMetric ? value : { ...value, label: Id } }];
}

/** A page of at most so many points. A result that goes on in the next page is partial. */
async function pageOf(
  results: readonly Result[],
  {
    begin,
    most,
    request,
    timezone,
  }: { begin: Place; most: number; request: string; timezone: string | undefined },
  work: MathWork,
  isDescending: boolean,
): Promise<object> {
  const page: object[] = [];
  let room = most;
  for (let at = begin.result; at < results.length; at++) {
    const { query, series } = results[at]!;
    const { times, values } = series;
    const from = at === begin.result ? begin.point : 0;
    const to = Math.min(times.length, from + room);
    const isWhole = to === times.length;
    if (room === 0 && times.length > 0)
      return { MetricDataResults: page, NextToken: writeToken(request, [at, 0]) };
    await work.spend(stepsOfSeries(series));
    // Each part of a dynamic label may look at every value.
    const parts =
      query.Label?.includes('${') === true ? Math.min(query.Label.split('${').length, labelPartsMax) : 0;
    await work.spend(parts * times.length);
    const label = query.Label === undefined ? series.label : labelOf(query.Label, series, timezone);
    await work.spend(label.length);
    page.push({
      Id: query.Id,
      Label: label,
      Timestamps: pointsOf(times, from, to, isDescending),
      Values: pointsOf(values, from, to, isDescending),
      StatusCode: isWhole ? 'Complete' : 'PartialData',
    });
    room -= Math.max(0, to - from);
    if (!isWhole) return { MetricDataResults: page, NextToken: writeToken(request, [at, to]) };
  }
  return { MetricDataResults: page };
}

function pointsOf(all: readonly number[], from: number, to: number, isDescending: boolean): number[] {
  if (!isDescending) return all.slice(from, to);
  return all.slice(Math.max(0, all.length - to), Math.max(0, all.length - from)).reverse();
}
