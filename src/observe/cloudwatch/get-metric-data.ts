import { ApiError } from '../../operations/api/api-error.ts';
import { integer, list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { invalidNextToken, validationError } from './cloudwatch-errors.ts';
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
import { expressionError, planQueries } from './metric-queries.ts';
import { readToken, writeToken } from './next-token.ts';
import { runQueries } from './run-queries.ts';
import { isTimezone, labelOf } from './series-labels.ts';
import { SeriesList } from './series-list.ts';
import type { TimeSeries } from './time-series.ts';

const queriesMax = 500;
const datapointsMax = 100_800;

export const getMetricData = metricOperation(
  'GetMetricData',
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
  async ({ metrics }, input, { accountId, region }) => {
    const { MetricDataQueries, StartTime, EndTime, NextToken, MaxDatapoints = datapointsMax } = input;
    const { ScanBy = 'TimestampDescending', LabelOptions } = input;
    if (MetricDataQueries.length === 0)
      return validationError('The parameter MetricDataQueries must have at least one element.');
    if (MetricDataQueries.length > queriesMax)
      return validationError(
        `The collection MetricDataQueries must not have a size greater than ${queriesMax}.`,
      );
    if (StartTime >= EndTime)
      return validationError('The parameter StartTime must be less than the parameter EndTime.');
    if (MaxDatapoints < 1 || MaxDatapoints > datapointsMax)
      return validationError(`The parameter MaxDatapoints must be between 1 and ${datapointsMax}.`);
    if (LabelOptions?.Timezone !== undefined && !isTimezone(LabelOptions.Timezone))
      return validationError(
        `The value ${LabelOptions.Timezone} for parameter LabelOptions.Timezone is invalid.`,
      );
    // Asked of the queries, not of the results: a SEARCH that finds nothing answers no result at all.
    if (MetricDataQueries.every(({ ReturnData }) => ReturnData === false))
      return validationError('At least one of the MetricDataQueries must have ReturnData true.');
    const request = JSON.stringify([MetricDataQueries, StartTime, EndTime, ScanBy]);
    const begin = NextToken === undefined ? { result: 0, point: 0 } : placeOf(request, NextToken);
    if (begin === undefined) return invalidNextToken();
    const planned = planQueries(MetricDataQueries);
    if (planned instanceof ApiError) return planned;
    const values = await runQueries(
      { metrics, scope: { accountId, region }, window: { start: StartTime, end: EndTime } },
      planned,
    );
    if (values instanceof ApiError) return values;
    const results: Result[] = [];
    for (const query of MetricDataQueries) {
      if (query.ReturnData === false) continue;
      const all = resultsOf(query, values.get(query.Id)!, LabelOptions?.Timezone);
      if (all instanceof ApiError) return all;
      results.push(...all);
    }
    if (ScanBy === 'TimestampDescending') {
      for (const result of results) {
        result.Timestamps.reverse();
        result.Values.reverse();
      }
    }
    return pageOf(results, begin, MaxDatapoints, request);
  },
);

interface Result {
  readonly Id: string;
  readonly Label: string;
  readonly Timestamps: number[];
  readonly Values: number[];
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

function resultsOf(
  query: MetricDataQuery,
  value: MathValue,
  timezone: string | undefined,
): Result[] | ApiError {
  const { Id, Label } = query;
  if (typeof value === 'number' || typeof value === 'string')
    return expressionError(Id, new MathError('The result is not a time series, and cannot be returned'));
  const result = (series: TimeSeries): Result => ({
    Id,
    Label: Label === undefined ? series.label : labelOf(Label, series, timezone),
    Timestamps: [...series.times],
    Values: [...series.values],
  });
  if (value instanceof SeriesList) return value.all.map(result);
  const isMetric = query.MetricStat !== undefined;
  return [result(isMetric ? value : { ...value, label: Id })];
}

/** A page of at most so many points. A result that goes on in the next page is partial. */
function pageOf(results: readonly Result[], begin: Place, most: number, request: string): object {
  const page: object[] = [];
  let room = most;
  for (let at = begin.result; at < results.length; at++) {
    const { Id, Label, Timestamps, Values } = results[at]!;
    const from = at === begin.result ? begin.point : 0;
    const to = Math.min(Timestamps.length, from + room);
    const isWhole = to === Timestamps.length;
    if (room === 0 && Timestamps.length > 0)
      return { MetricDataResults: page, NextToken: writeToken(request, [at, 0]), Messages: [] };
    page.push({
      Id,
      Label,
      Timestamps: Timestamps.slice(from, to),
      Values: Values.slice(from, to),
      StatusCode: isWhole ? 'Complete' : 'PartialData',
    });
    room -= to - from;
    if (!isWhole) return { MetricDataResults: page, NextToken: writeToken(request, [at, to]), Messages: [] };
  }
  return { MetricDataResults: page, Messages: [] };
}
