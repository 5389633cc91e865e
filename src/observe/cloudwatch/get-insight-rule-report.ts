import { apiOperations } from '../../operations/api/api-operation.ts';
import {
  double,
  integer,
  list,
  long,
  required,
  string,
  structure,
  timestamp,
} from '../../operations/shapes/shape.ts';
import type { RuleReport } from '../insights/insight-rule.ts';
import { monitoringIntent } from './api-intents.ts';
import { invalidValue, resourceNotFound, shapeError } from './cloudwatch-errors.ts';
import type { MetricContext } from './cloudwatch-shapes.ts';
import { isPeriod, minutesOf } from './metric-reading.ts';
import { windowProblem } from './parameter-checks.ts';

/** What the report of a rule works with. */
export interface InsightContext extends MetricContext {
  /** All contributors of a rule of Contributor Insights; undefined if there is no such rule. */
  readonly insightRule: (
    scope: { readonly account: string; readonly region: string },
    name: string,
    fromMinute: number,
    toMinute: number,
  ) => Promise<RuleReport | undefined>;
}

const contributorsMax = 100;
const text = string({ min: 1, max: 32 });

/** The statistics of a rule's datapoints, each from the sums of its minutes. */
const statistics: Readonly<
  Record<string, (values: readonly number[], keys: number, most: number) => number>
> = {
  UniqueContributors: (_values, keys) => keys,
  MaxContributorValue: (_values, _keys, most) => most,
  SampleCount: (values) => values.length,
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Average: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  Minimum: (values) => Math.min(...values),
  Maximum: (values) => Math.max(...values),
};

/** The report of one of the rules that Contributor Insights make for tables and indexes. There are no other rules. */
export const getInsightRuleReport = apiOperations<InsightContext>('cloudwatch', shapeError)(
  'GetInsightRuleReport',
  ({ RuleName }, caller, action) => [monitoringIntent(action, caller, `insight-rule/${RuleName}`)],
  {
    RuleName: required(string({ min: 1, max: 128 })),
    StartTime: required(timestamp),
    EndTime: required(timestamp),
    Period: required(integer({ min: 1 })),
    MaxContributorCount: integer(),
    Metrics: list(text),
    OrderBy: text,
  },
  {
    KeyLabels: list(string()),
    AggregationStatistic: string(),
    AggregateValue: double(),
    ApproximateUniqueCount: long(),
    Contributors: list(
      structure('InsightRuleContributor', {
        Keys: list(string()),
        ApproximateAggregateValue: double(),
        Datapoints: list(
          structure('InsightRuleContributorDatapoint', { Timestamp: timestamp, ApproximateValue: double() }),
        ),
      }),
    ),
    MetricDatapoints: list(
      structure('InsightRuleMetricDatapoint', {
        Timestamp: timestamp,
        ...Object.fromEntries(Object.keys(statistics).map((name) => [name, double()])),
      }),
    ),
  },
  async ({ insightRule }, input, { accountId: account, region }) => {
    const { RuleName, StartTime, EndTime, Period, Metrics = [], OrderBy = 'Sum' } = input;
    const { MaxContributorCount = 10 } = input;
    const wrongWindow = windowProblem({ StartTime, EndTime });
    if (wrongWindow !== undefined) return invalidValue(wrongWindow);
    if (!isPeriod(Period))
      return invalidValue(
        'The parameter Period must be a value in the set [ 1, 5, 10, 20, 30 ] or a multiple of 60.',
      );
    if (MaxContributorCount < 1 || MaxContributorCount > contributorsMax)
      return invalidValue(`The parameter MaxContributorCount must be between 1 and ${contributorsMax}.`);
    if (OrderBy !== 'Sum' && OrderBy !== 'Maximum')
      return invalidValue('The parameter OrderBy must be a value in the set [ Sum, Maximum ].');
    const unknown = Metrics.find((name) => !Object.hasOwn(statistics, name));
    if (unknown !== undefined)
      return invalidValue(
        `The parameter Metrics must have values in the set [ ${Object.keys(statistics).join(', ')} ].`,
      );
    const [from, to] = [Math.floor(StartTime / 60), Math.ceil(EndTime / 60)];
    const report = await insightRule({ account, region }, RuleName, from, to);
    if (report === undefined) return resourceNotFound(`The rule ${RuleName} was not found.`);
    const step = minutesOf(Period);
    return {
      KeyLabels: report.labels,
      AggregationStatistic: 'Sum',
      AggregateValue: report.total,
      ApproximateUniqueCount: report.uniqueKeys,
      Contributors: contributorsOf(report, OrderBy, step).slice(0, MaxContributorCount),
      ...(Metrics.length > 0 && { MetricDatapoints: datapointsOf(report, Metrics, step) }),
    };
  },
);

function contributorsOf({ contributors }: RuleReport, orderBy: string, step: number) {
  const all = contributors.map(({ keys, value, datapoints }) => {
    const periods = new Map<number, number>();
    for (const point of datapoints) {
      const start = point.minute - (point.minute % step);
      periods.set(start, (periods.get(start) ?? 0) + point.value);
    }
    return {
      order: orderBy === 'Sum' ? value : Math.max(...periods.values()),
      shown: {
        Keys: keys,
        ApproximateAggregateValue: value,
        Datapoints: [...periods].map(([minute, sum]) => ({ Timestamp: minute * 60, ApproximateValue: sum })),
      },
    };
  });
  return all.sort((a, b) => b.order - a.order).map(({ shown }) => shown);
}

function datapointsOf({ minutes }: RuleReport, names: readonly string[], step: number): object[] {
  const periods = new Map<number, RuleReport['minutes'][number][]>();
  for (const one of minutes) {
    const start = one.minute - (one.minute % step);
    periods.set(start, [...(periods.get(start) ?? []), one]);
  }
  return [...periods].map(([minute, all]) => {
    const values = all.map(({ total }) => total);
    const keys = Math.max(...all.map((one) => one.keys));
    const most = Math.max(...all.map(({ max }) => max));
    return {
      Timestamp: minute * 60,
      ...Object.fromEntries(names.map((name) => [name, statistics[name]!(values, keys, most)])),
    };
  });
}
