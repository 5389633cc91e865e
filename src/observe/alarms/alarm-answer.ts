import type { Scope } from '../../engine/store-keys.ts';
import {
  boolean,
  double,
  integer,
  list,
  string,
  structure,
  timestamp,
} from '../../operations/shapes/shape.ts';
import { metricDataQuery, metricDimensions } from '../cloudwatch/cloudwatch-shapes.ts';
import type { AlarmRecord } from './alarm-record.ts';

export const metricAlarm = structure('MetricAlarm', {
  AlarmName: string(),
  AlarmArn: string(),
  AlarmDescription: string(),
  AlarmConfigurationUpdatedTimestamp: timestamp,
  ActionsEnabled: boolean,
  OKActions: list(string()),
  AlarmActions: list(string()),
  InsufficientDataActions: list(string()),
  StateValue: string(),
  StateReason: string(),
  StateReasonData: string(),
  StateUpdatedTimestamp: timestamp,
  MetricName: string(),
  Namespace: string(),
  Statistic: string(),
  ExtendedStatistic: string(),
  Dimensions: metricDimensions,
  Period: integer(),
  Unit: string(),
  EvaluationPeriods: integer(),
  DatapointsToAlarm: integer(),
  Threshold: double(),
  ComparisonOperator: string(),
  TreatMissingData: string(),
  EvaluateLowSampleCountPercentile: string(),
  Metrics: list(metricDataQuery),
  StateTransitionedTimestamp: timestamp,
});

export function alarmArn({ account, region }: Scope, name: string): string {
  return `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
}

/** An alarm as DescribeAlarms shows it. */
export function alarmAnswer(scope: Scope, record: AlarmRecord): object {
  const { name, settings, state, configuredAt } = record;
  const { watched } = settings;
  return {
    AlarmName: name,
    AlarmArn: alarmArn(scope, name),
    AlarmDescription: settings.description,
    AlarmConfigurationUpdatedTimestamp: configuredAt / 1000,
    ActionsEnabled: settings.actionsEnabled,
    OKActions: settings.okActions,
    AlarmActions: settings.alarmActions,
    InsufficientDataActions: settings.insufficientDataActions,
    StateValue: state.value,
    StateReason: state.reason,
    StateReasonData: state.reasonData,
    StateUpdatedTimestamp: state.updatedAt / 1000,
    StateTransitionedTimestamp: state.transitionedAt / 1000,
    EvaluationPeriods: settings.evaluationPeriods,
    DatapointsToAlarm: settings.datapointsToAlarm,
    Threshold: settings.threshold,
    ComparisonOperator: settings.comparison,
    TreatMissingData: settings.missingData,
    EvaluateLowSampleCountPercentile: settings.lowSamples,
    ...('Metrics' in watched ? { Dimensions: [], Metrics: watched.Metrics } : watched),
  };
}
