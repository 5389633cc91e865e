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
  readonly format: 1;
  readonly id: string;
  readonly min: number;
  readonly max: number;
  readonly roleArn: string;
  readonly createdAt: number;
  readonly suspended: SuspendedState;
  readonly tags: Readonly<Record<string, string>>;
  /** The bounds were set and are to be enforced once. A capacity that somebody sets beyond them later is let be. */
  readonly pending?: { readonly cause: string };
  /** The latest scaling in each direction, for cooldowns. */
  readonly lastOut?: { readonly at: number; readonly by: number };
  readonly lastIn?: { readonly at: number };
}

export interface TargetTracking {
  readonly TargetValue: number;
  readonly PredefinedMetricSpecification?: { readonly PredefinedMetricType: string };
  readonly CustomizedMetricSpecification?: CustomizedMetric;
  readonly ScaleOutCooldown?: number;
  readonly ScaleInCooldown?: number;
  readonly DisableScaleIn?: boolean;
}

export interface CustomizedMetric {
  readonly MetricName?: string;
  readonly Namespace?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Statistic?: string;
  readonly Unit?: string;
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
  readonly format: 1;
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly type: 'TargetTrackingScaling' | 'StepScaling';
  readonly tracking?: TargetTracking;
  readonly step?: StepScaling;
  /** The alarms that the policy has made: their roles and names. */
  readonly alarms: readonly { readonly role: AlarmRole; readonly name: string }[];
  /** The capacity by which the thresholds of the alarms were set. */
  readonly alarmedCapacity?: number;
}

export type AlarmRole = 'AlarmHigh' | 'AlarmLow' | 'ProvisionedCapacityHigh' | 'ProvisionedCapacityLow';

export interface ScheduledRecord extends TargetName {
  readonly format: 1;
  readonly name: string;
  readonly arn: string;
  readonly schedule: string;
  readonly timezone?: string;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly action?: { readonly MinCapacity?: number; readonly MaxCapacity?: number };
  readonly createdAt: number;
}

export interface ActivityRecord extends TargetName {
  readonly format: 1;
  readonly id: string;
  readonly description: string;
  readonly cause: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: 'Successful' | 'Failed';
  readonly message: string;
}
