import { DynamoError } from '../../model/errors.ts';
import type { Slices } from '../../model/slices.ts';
import { type CloudWatchError, validationError } from '../cloudwatch/cloudwatch-errors.ts';
import type { MetricDataQuery } from '../cloudwatch/cloudwatch-shapes.ts';
import { isSeries } from '../cloudwatch/math-value.ts';
import { type PlannedQueries, planQueries } from '../cloudwatch/metric-queries.ts';
import { callsOf, type QueryRun, runQueries } from '../cloudwatch/run-queries.ts';
import type { Watched } from './alarm-record.ts';

const alone = [
  'MetricName',
  'Namespace',
  'Period',
  'Statistic',
  'ExtendedStatistic',
  'Dimensions',
  'Unit',
] as const;

/** What an alarm on several metrics and expressions watches, or what is wrong with it. */
export async function expressionOf(
  others: { readonly [name in (typeof alone)[number]]?: unknown },
  queries: readonly MetricDataQuery[],
  accountId: string,
  slices: Slices,
): Promise<Watched | CloudWatchError> {
  for (const name of alone)
    if (others[name] !== undefined)
      return validationError(`${name} should not be set if list of Metrics is set.`);
  if (queries.length === 0 || queries.length > 20)
    return validationError('An alarm must have between 1 and 20 metrics and expressions.');
  const watched = queries.filter(({ ReturnData }) => ReturnData !== false);
  if (watched.length !== 1)
    return validationError('Exactly one element of the metrics list should return data.');
  const planned = planQueries(queries, 'Metrics');
  if (planned instanceof DynamoError) return planned;
  return (await problemOf(planned, watched[0]!.Id, trialOf(accountId, slices))) ?? { Metrics: queries };
}

/** Computes the expressions once on made-up points: an alarm that can never be evaluated is refused at once. */
async function problemOf(
  planned: PlannedQueries,
  watchedId: string,
  trial: QueryRun,
): Promise<CloudWatchError | undefined> {
  for (const one of planned.inOrder)
    if (one.kind === 'expression' && !callsOf(one.node, 'SEARCH').next().done)
      return validationError('SEARCH is not supported on Metric Alarms.');
  const values = await runQueries(trial, planned);
  if (values instanceof DynamoError) return values;
  if (!isSeries(values.get(watchedId)))
    return validationError(`The expression '${watchedId}' must return a single time series.`);
  return undefined;
}

/** Every metric has a point, so that no series of the trial is empty. */
function trialOf(accountId: string, slices: Slices): QueryRun {
  return {
    metrics: {
      list: () => [],
      read: (_, minute) => [{ minute, count: 1, sum: 1, min: 1, max: 1, histogram: undefined }],
    },
    slices,
    scope: { accountId, region: '' },
    window: { start: 0, end: 3_600 },
  };
}
