import { double, integer, list, map, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { onMetrics } from './api-intents.ts';
import { invalidCombination, invalidValue, missingParameter } from './cloudwatch-errors.ts';
import { metricOperation } from './cloudwatch-shapes.ts';
import { isPeriod, metricKey, minutesOf, readPoints } from './metric-reading.ts';
import { parameterChecks, windowProblem } from './parameter-checks.ts';
import { basicStatistics, readExtendedStatistic, readStatistic, type Statistic } from './statistics.ts';

const datapointsMax = 1_440;

const statistics = list(string());

/** Its mistakes have words of their own, so the shape checks types only. */
export const getMetricStatistics = metricOperation(
  'GetMetricStatistics',
  onMetrics,
  {
    Namespace: string(),
    MetricName: string(),
    Dimensions: list(structure('Dimension', { Name: string(), Value: string() })),
    StartTime: timestamp,
    EndTime: timestamp,
    Period: integer(),
    Statistics: statistics,
    ExtendedStatistics: statistics,
    Unit: string(),
  },
  {
    Label: string(),
    Datapoints: list(
      structure('Datapoint', {
        Timestamp: timestamp,
        SampleCount: double(),
        Average: double(),
        Sum: double(),
        Minimum: double(),
        Maximum: double(),
        Unit: string(),
        ExtendedStatistics: map(double()),
      }),
    ),
  },
  async ({ metrics }, input, { accountId, region }) => {
    for (const name of ['Namespace', 'MetricName', 'StartTime', 'EndTime', 'Period'] as const)
      if (input[name] === undefined) return missingParameter(`The parameter ${name} is required.`);
    const { StartTime = 0, EndTime = 0, Period = 60, Unit, MetricName = '' } = input;
    const { Statistics = [], ExtendedStatistics = [] } = input;
    const wrong =
      parameterChecks.namespace(input.Namespace!, { allowsAws: true }) ??
      parameterChecks.metricName('MetricName', MetricName) ??
      parameterChecks.dimensions('Dimensions', input.Dimensions) ??
      parameterChecks.unit('Unit', Unit);
    if (wrong !== undefined) return wrong;
    if (!isPeriod(Period))
      return invalidValue(
        'The parameter Period must be a value in the set [ 1, 5, 10, 20, 30 ] or a multiple of 60.',
      );
    const wrongWindow = windowProblem({ StartTime, EndTime });
    if (wrongWindow !== undefined) return invalidValue(wrongWindow);
    if (Statistics.length === 0 && ExtendedStatistics.length === 0)
      return missingParameter(
        'At least one of the parameters Statistics and ExtendedStatistics must be specified.',
      );
    const basic = readAll(Statistics, (name) =>
      (basicStatistics as readonly string[]).includes(name) ? readStatistic(name) : undefined,
    );
    if (typeof basic === 'string')
      return invalidValue(
        `The parameter Statistics.member.${basic} must be a value in the set [ ${basicStatistics.join(', ')} ].`,
      );
    if (ExtendedStatistics.length > 10)
      return invalidValue('The collection ExtendedStatistics must not have a size greater than 10.');
    const extended = readAll(ExtendedStatistics, readExtendedStatistic);
    if (typeof extended === 'string')
      return invalidValue(`The value for parameter ExtendedStatistics.member.${extended} is not supported.`);
    const asked = Math.ceil((EndTime - StartTime) / Period);
    if (asked > datapointsMax)
      return invalidCombination(
        `You have requested up to ${asked.toLocaleString('en-US')} datapoints, which exceeds the limit of ${datapointsMax.toLocaleString('en-US')}. You may reduce the datapoints requested by increasing Period, or decreasing the time range.`,
      );
    const dimensions = (input.Dimensions ?? []).map(({ Name = '', Value = '' }) => ({ Name, Value }));
    const key = metricKey(
      { accountId, region },
      { Namespace: input.Namespace!, MetricName, Dimensions: dimensions },
    );
    // Periods are counted from the start time, to the minute.
    const from = Math.floor(StartTime / 60);
    const points = await readPoints(metrics, key, Unit, from, Math.ceil(EndTime / 60), minutesOf(Period));
    const listed = await metrics.list(
      { accountId, region },
      { namespace: key.namespace, name: key.name, dimensions: key.dimensions },
    );
    const unit = listed.find((one) => one.dimensions.length === key.dimensions.length)?.unit ?? 'None';
    const Datapoints = points.map((point) => {
      const datapoint: Record<string, unknown> = { Timestamp: point.minute * 60 };
      for (const [name, statistic] of basic) datapoint[name] = statistic(point);
      if (extended.length > 0) {
        const known = extended.map(([name, statistic]) => [name, statistic(point)] as const);
        datapoint.ExtendedStatistics = Object.fromEntries(
          known.filter(([, value]) => value !== undefined && Number.isFinite(value)),
        );
      }
      datapoint.Unit = unit;
      return datapoint;
    });
    return { Label: MetricName, Datapoints };
  },
);

/** The statistics by name, or the position of the first one that is unknown. */
function readAll(
  names: readonly string[],
  read: (name: string) => Statistic | undefined,
): readonly (readonly [name: string, statistic: Statistic])[] | string {
  const all: (readonly [string, Statistic])[] = [];
  for (const [at, name] of names.entries()) {
    const statistic = read(name);
    if (statistic === undefined) return String(at + 1);
    all.push([name, statistic]);
  }
  return all;
}
