import { type JsonRecord, jsonRecord } from '../../engine/json-record.ts';
import {
  type Fields,
  flag,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../../model/json/fields.ts';

/** Which arm of which table is scaled: `table/orders` or `table/orders/index/byDate`, and its dimension. */
export interface TargetName {
  readonly resourceId: string;
  readonly dimension: string;
}

export interface SuspendedState {
  readonly DynamicScalingInSuspended: boolean;
  readonly DynamicScalingOutSuspended: boolean;
  readonly ScheduledScalingSuspended: boolean;
}

/** A scalable target, as JSON. Times are milliseconds since 1970. */
export interface TargetRecord extends TargetName {
  readonly id: string;
  readonly min: number;
  readonly max: number;
  readonly roleArn: string;
  readonly createdAt: number;
  readonly suspended: SuspendedState;
  readonly tags: Readonly<Record<string, string>>;
  /** The bounds were set and are to be enforced once. A capacity that somebody sets beyond them later is let be. */
  readonly pending?: PendingBounds;
  /** The latest scaling in each direction, for cooldowns. */
  readonly lastOut?: ScaledOut;
  readonly lastIn?: ScaledIn;
}

interface PendingBounds {
  readonly cause: string;
}

interface ScaledIn {
  readonly at: number;
}

interface ScaledOut extends ScaledIn {
  readonly by: number;
}

export interface TargetTracking {
  readonly TargetValue: number;
  readonly PredefinedMetricSpecification?: PredefinedMetric;
  readonly CustomizedMetricSpecification?: CustomizedMetric;
  readonly ScaleOutCooldown?: number;
  readonly ScaleInCooldown?: number;
  readonly DisableScaleIn?: boolean;
}

interface PredefinedMetric {
  readonly PredefinedMetricType: string;
}

export interface CustomizedMetric {
  readonly MetricName?: string;
  readonly Namespace?: string;
  readonly Dimensions?: readonly MetricDimension[];
  readonly Statistic?: string;
  readonly Unit?: string;
}

interface MetricDimension {
  readonly Name: string;
  readonly Value: string;
}

export interface StepScaling {
  readonly AdjustmentType?: 'ChangeInCapacity' | 'PercentChangeInCapacity' | 'ExactCapacity';
  readonly StepAdjustments?: readonly StepAdjustment[];
  readonly MinAdjustmentMagnitude?: number;
  readonly Cooldown?: number;
  readonly MetricAggregationType?: 'Average' | 'Minimum' | 'Maximum';
}

export interface StepAdjustment {
  readonly MetricIntervalLowerBound?: number;
  readonly MetricIntervalUpperBound?: number;
  readonly ScalingAdjustment: number;
}

export interface PolicyRecord extends TargetName {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly type: 'TargetTrackingScaling' | 'StepScaling';
  readonly tracking?: TargetTracking;
  readonly step?: StepScaling;
  /** The alarms that the policy has made: their roles and names. */
  readonly alarms: readonly PolicyAlarm[];
  /** The capacity by which the thresholds of the alarms were set. */
  readonly alarmedCapacity?: number;
}

export interface PolicyAlarm {
  readonly role: AlarmRole;
  readonly name: string;
}

export type AlarmRole = 'AlarmHigh' | 'AlarmLow' | 'ProvisionedCapacityHigh' | 'ProvisionedCapacityLow';

export interface ScheduledRecord extends TargetName {
  readonly name: string;
  readonly arn: string;
  readonly schedule: string;
  readonly timezone?: string;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly action?: ScheduledBounds;
  readonly createdAt: number;
}

interface ScheduledBounds {
  readonly MinCapacity?: number;
  readonly MaxCapacity?: number;
}

export interface ActivityRecord extends TargetName {
  readonly id: string;
  readonly description: string;
  readonly cause: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: 'Successful' | 'Failed';
  readonly message: string;
}

/** The kinds of records that one key space shares. */
export interface ScalingKinds {
  readonly target: TargetRecord;
  readonly policy: PolicyRecord;
  readonly schedule: ScheduledRecord;
}

const targetName: Fields<TargetName> = { resourceId: text, dimension: text };

const tracking = object<TargetTracking>({
  TargetValue: number,
  PredefinedMetricSpecification: optional(object<PredefinedMetric>({ PredefinedMetricType: text })),
  CustomizedMetricSpecification: optional(
    object<CustomizedMetric>({
      MetricName: optional(text),
      Namespace: optional(text),
      Dimensions: optional(listOf(object<MetricDimension>({ Name: text, Value: text }))),
      Statistic: optional(text),
      Unit: optional(text),
    }),
  ),
  ScaleOutCooldown: optional(number),
  ScaleInCooldown: optional(number),
  DisableScaleIn: optional(flag),
});

const step = object<StepScaling>({
  AdjustmentType: optional(oneOf('ChangeInCapacity', 'PercentChangeInCapacity', 'ExactCapacity')),
  StepAdjustments: optional(
    listOf(
      object<StepAdjustment>({
        MetricIntervalLowerBound: optional(number),
        MetricIntervalUpperBound: optional(number),
        ScalingAdjustment: number,
      }),
    ),
  ),
  MinAdjustmentMagnitude: optional(number),
  Cooldown: optional(number),
  MetricAggregationType: optional(oneOf('Average', 'Minimum', 'Maximum')),
});

export const scalingRecords: { readonly [Kind in keyof ScalingKinds]: JsonRecord<ScalingKinds[Kind]> } = {
  target: jsonRecord<TargetRecord>(
    'a scalable target',
    1,
    object<TargetRecord>({
      ...targetName,
      id: text,
      min: number,
      max: number,
      roleArn: text,
      createdAt: number,
      suspended: object<SuspendedState>({
        DynamicScalingInSuspended: flag,
        DynamicScalingOutSuspended: flag,
        ScheduledScalingSuspended: flag,
      }),
      tags: mapOf(text),
      pending: optional(object<PendingBounds>({ cause: text })),
      lastOut: optional(object<ScaledOut>({ at: number, by: number })),
      lastIn: optional(object<ScaledIn>({ at: number })),
    }),
  ),
  policy: jsonRecord<PolicyRecord>(
    'a scaling policy',
    1,
    object<PolicyRecord>({
      ...targetName,
      name: text,
      arn: text,
      createdAt: number,
      type: oneOf('TargetTrackingScaling', 'StepScaling'),
      tracking: optional(tracking),
      step: optional(step),
      alarms: listOf(
        object<PolicyAlarm>({
          role: oneOf('AlarmHigh', 'AlarmLow', 'ProvisionedCapacityHigh', 'ProvisionedCapacityLow'),
          name: text,
        }),
      ),
      alarmedCapacity: optional(number),
    }),
  ),
  schedule: jsonRecord<ScheduledRecord>(
    'a scheduled action',
    1,
    object<ScheduledRecord>({
      ...targetName,
      name: text,
      arn: text,
      schedule: text,
      timezone: optional(text),
      startAt: optional(number),
      endAt: optional(number),
      action: optional(
        object<ScheduledBounds>({ MinCapacity: optional(number), MaxCapacity: optional(number) }),
      ),
      createdAt: number,
    }),
  ),
};

export const activityRecord = jsonRecord<ActivityRecord>(
  'a scaling activity',
  1,
  object<ActivityRecord>({
    ...targetName,
    id: text,
    description: text,
    cause: text,
    startedAt: number,
    endedAt: number,
    status: oneOf('Successful', 'Failed'),
    message: text,
  }),
);
