import { mention } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import type { Slices } from '../../model/slices.ts';
import {
  boolean,
  double,
  integer,
  list,
  map,
  oneOf,
  required,
  string,
  structure,
} from '../../operations/shapes/shape.ts';
import type { InputValue } from '../../operations/shapes/shape-types.ts';
import { onAlarm } from '../cloudwatch/api-intents.ts';
import { type CloudWatchError, limitExceeded, validationError } from '../cloudwatch/cloudwatch-errors.ts';
import { metricDataQuery, metricDimensions, name255, standardUnit } from '../cloudwatch/cloudwatch-shapes.ts';
import { basicStatistics, readExtendedStatistic } from '../cloudwatch/statistics.ts';
import { alarmsMax } from './alarm-book.ts';
import { alarmOperation, scopeOf } from './alarm-context.ts';
import { type AlarmRecord, type AlarmSettings, comparisons, periodOf, type Watched } from './alarm-record.ts';
import { alarmTags, tagsOf } from './alarm-tags.ts';
import { configurationItem } from './configuration-item.ts';
import { expressionOf } from './watched-expression.ts';

const actions = list(string({ min: 1, max: 1024 }), { max: 5 });

const members = {
  AlarmName: required(name255),
  AlarmDescription: string({ min: 0, max: 1024 }),
  ActionsEnabled: boolean,
  OKActions: actions,
  AlarmActions: actions,
  InsufficientDataActions: actions,
  MetricName: name255,
  Namespace: name255,
  Statistic: oneOf(...basicStatistics),
  ExtendedStatistic: string(),
  Dimensions: metricDimensions,
  Period: integer({ min: 1 }),
  Unit: standardUnit,
  EvaluationPeriods: integer({ min: 1 }),
  DatapointsToAlarm: integer({ min: 1 }),
  Threshold: double(),
  ComparisonOperator: oneOf(
    'GreaterThanOrEqualToThreshold',
    'GreaterThanThreshold',
    'LessThanThreshold',
    'LessThanOrEqualToThreshold',
    'LessThanLowerOrGreaterThanUpperThreshold',
    'LessThanLowerThreshold',
    'GreaterThanUpperThreshold',
  ),
  TreatMissingData: string({ min: 1, max: 255 }),
  EvaluateLowSampleCountPercentile: string({ min: 1, max: 255 }),
  Metrics: list(metricDataQuery),
  Tags: alarmTags,
  ThresholdMetricId: name255,
  EvaluationWindow: map(string()),
  EvaluationCriteria: map(string()),
  EvaluationInterval: integer(),
};
const shape = structure('PutMetricAlarmInput', members);
type Input = InputValue<typeof shape>;

export const putMetricAlarm = alarmOperation(
  'PutMetricAlarm',
  (input, caller, action) => [
    ...onAlarm(input, caller, action),
    ...[input.AlarmActions, input.OKActions, input.InsufficientDataActions].flatMap((arns = []) =>
      arns.map((arn) => mention(action, arn)),
    ),
  ],
  members,
  undefined,
  async ({ book, nowMs, slices, alarmChanged }, input, caller) => {
    const settings = await settingsOf(input, caller.accountId, slices);
    if (settings instanceof DynamoError) return settings;
    const tags = tagsOf(input.Tags ?? []);
    if (tags instanceof DynamoError) return tags;
    const scope = scopeOf(caller);
    const { AlarmName: name } = input;
    if ((await book.get(scope, name)) === undefined && (await book.isFull(scope)))
      return limitExceeded(`The maximum limit of ${alarmsMax} alarms was exceeded.`);
    const at = nowMs();
    await book.change(scope, name, (before) => {
      const record = alarmWith(before, name, settings, tags, at);
      return { result: undefined, record, history: [configurationItem(before, record, at)] };
    });
    await book.trimHistory(scope);
    alarmChanged(scope, name);
    return {};
  },
);

/** A new alarm, or one with new settings, which keeps its state and tags. */
export function alarmWith(
  before: AlarmRecord | undefined,
  name: string,
  settings: AlarmSettings,
  tags: Readonly<Record<string, string>>,
  at: number,
): AlarmRecord {
  if (before !== undefined) return { ...before, settings, configuredAt: at };
  return {
    name,
    settings,
    state: {
      value: 'INSUFFICIENT_DATA',
      reason: 'Unchecked: Initial alarm creation',
      updatedAt: at,
      transitionedAt: at,
    },
    createdAt: at,
    configuredAt: at,
    tags,
  };
}

async function settingsOf(
  input: Input,
  accountId: string,
  slices: Slices,
): Promise<AlarmSettings | CloudWatchError> {
  const { EvaluationPeriods, Threshold, ComparisonOperator, TreatMissingData, DatapointsToAlarm } = input;
  for (const name of [
    'EvaluationCriteria',
    'EvaluationWindow',
    'EvaluationInterval',
    'ThresholdMetricId',
  ] as const)
    if (input[name] !== undefined) return validationError(`${name} is not supported by Stator`);
  if (ComparisonOperator === undefined) return missing('ComparisonOperator');
  if (!Object.hasOwn(comparisons, ComparisonOperator))
    return validationError(
      `The ComparisonOperator ${ComparisonOperator} is for anomaly detection, which is not supported by Stator`,
    );
  if (EvaluationPeriods === undefined) return missing('EvaluationPeriods');
  if (Threshold === undefined || !Number.isFinite(Threshold)) return missing('Threshold');
  if (DatapointsToAlarm !== undefined && DatapointsToAlarm > EvaluationPeriods)
    return validationError('DatapointsToAlarm must be less than or equal to EvaluationPeriods.');
  if (
    TreatMissingData !== undefined &&
    !['breaching', 'notBreaching', 'ignore', 'missing'].includes(TreatMissingData)
  )
    return validationError(
      `The value ${TreatMissingData} for parameter TreatMissingData is not supported. It must be one of breaching, notBreaching, ignore, missing.`,
    );
  const watched =
    input.Metrics === undefined
      ? metricOf(input)
      : await expressionOf(input, input.Metrics, accountId, slices);
  if (watched instanceof DynamoError) return watched;
  const lowSamples = lowSamplesOf(input);
  if (lowSamples instanceof DynamoError) return lowSamples;
  const period = periodOf(watched);
  const most = period >= 3600 ? 7 * 86_400 : 86_400;
  if (period * EvaluationPeriods > most)
    return validationError(
      most === 86_400
        ? 'Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400).'
        : 'Metrics cannot be checked across more than 7 days (EvaluationPeriods * Period must be <= 604800).',
    );
  return {
    ...(input.AlarmDescription !== undefined && { description: input.AlarmDescription }),
    actionsEnabled: input.ActionsEnabled ?? true,
    okActions: input.OKActions ?? [],
    alarmActions: input.AlarmActions ?? [],
    insufficientDataActions: input.InsufficientDataActions ?? [],
    watched,
    evaluationPeriods: EvaluationPeriods,
    ...(DatapointsToAlarm !== undefined && { datapointsToAlarm: DatapointsToAlarm }),
    threshold: Threshold,
    comparison: ComparisonOperator as AlarmSettings['comparison'],
    ...(TreatMissingData !== undefined && {
      missingData: TreatMissingData as NonNullable<AlarmSettings['missingData']>,
    }),
    ...(lowSamples !== undefined && { lowSamples }),
  };
}

function missing(name: string): CloudWatchError {
  return validationError(`The parameter ${name} is required.`);
}

function lowSamplesOf({
  EvaluateLowSampleCountPercentile: given,
  ExtendedStatistic,
}: Input): AlarmSettings['lowSamples'] | CloudWatchError {
  if (given === undefined) return undefined;
  if (ExtendedStatistic === undefined)
    return validationError('EvaluateLowSampleCountPercentile is only supported for percentile statistics.');
  if (given === 'evaluate' || given === 'ignore') return given;
  return validationError(
    `Option ${given.slice(0, 100)} is not supported for EvaluateLowSampleCountPercentile.`,
  );
}

function metricOf(input: Input): Watched | CloudWatchError {
  const { MetricName, Namespace, Period, Statistic, ExtendedStatistic, Dimensions = [], Unit } = input;
  if (MetricName === undefined) return missing('MetricName');
  if (Namespace === undefined) return missing('Namespace');
  if (Period === undefined) return missing('Period');
  if (Period !== 10 && Period !== 20 && Period !== 30 && Period % 60 !== 0)
    return validationError('Period must be 10, 20, 30 or a multiple of 60.');
  if ((Statistic === undefined) === (ExtendedStatistic === undefined))
    return validationError('Exactly one of Statistic and ExtendedStatistic must be specified.');
  if (ExtendedStatistic !== undefined && readExtendedStatistic(ExtendedStatistic) === undefined)
    return validationError(
      `The value ${ExtendedStatistic.slice(0, 100)} for parameter ExtendedStatistic is not supported.`,
    );
  return {
    MetricName,
    Namespace,
    Dimensions,
    ...(Statistic !== undefined && { Statistic }),
    ...(ExtendedStatistic !== undefined && { ExtendedStatistic }),
    Period,
    ...(Unit !== undefined && { Unit }),
  };
}
