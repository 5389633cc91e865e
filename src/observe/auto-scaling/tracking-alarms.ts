import type { AlarmSettings } from '../alarms/alarm-record.ts';
import type { AlarmRole, PolicyRecord, TargetTracking } from './scaling-records.ts';
import type { Arm } from './scaling-target.ts';

/**
 * The alarms of a target tracking policy as the service makes them for DynamoDB (observed: user reports, exported
 * configurations of many accounts), with a high alarm of two minutes at the target, and a low one of fifteen minutes
 * twenty percentage points below it (at 12 units and 70 %: consumption below 360 in a minute). Two more watch the
 * provisioned capacity itself.
 */
const lowBelowTarget = 20;
const highPeriods = 2;
const lowPeriods = 15;
/** Policies on metrics that the user chose: three minutes above, fifteen below nine tenths of the target. */
const customHighPeriods = 3;
const customLowShare = 0.9;

export function rolesOf({
  DisableScaleIn,
  CustomizedMetricSpecification,
}: TargetTracking): readonly AlarmRole[] {
  const low: readonly AlarmRole[] = DisableScaleIn === true ? [] : ['AlarmLow'];
  if (CustomizedMetricSpecification !== undefined) return ['AlarmHigh', ...low];
  return ['AlarmHigh', ...low, 'ProvisionedCapacityHigh', 'ProvisionedCapacityLow'];
}

/** The description of the alarms of a policy. */
export function policyDescription(policyArn: string): string {
  return `DO NOT EDIT OR DELETE. For TargetTrackingScaling policy ${policyArn}.`;
}

/** The share of the capacity at which an alarm stands, in percent. */
function lowPercent(target: number): number {
  return Math.max(0, target - lowBelowTarget);
}

/** The settings of one of a policy's alarms for a capacity. */
export function alarmSettings(
  policy: Pick<PolicyRecord, 'arn' | 'tracking' | 'resourceId'>,
  arm: Arm,
  role: AlarmRole,
  capacity: number,
  action: string,
): AlarmSettings {
  const tracking = policy.tracking!;
  const isHigh = role === 'AlarmHigh' || role === 'ProvisionedCapacityHigh';
  const common = {
    description: policyDescription(policy.arn),
    actionsEnabled: true,
    okActions: [],
    alarmActions: [action],
    insufficientDataActions: [],
    comparison: isHigh ? ('GreaterThanThreshold' as const) : ('LessThanThreshold' as const),
  };
  const custom = tracking.CustomizedMetricSpecification;
  if (custom !== undefined) {
    const { MetricName = '', Namespace = '', Dimensions = [], Statistic = 'Average', Unit } = custom;
    return {
      ...common,
      watched: {
        MetricName,
        Namespace,
        Dimensions,
        Statistic,
        Period: 60,
        ...(Unit !== undefined && { Unit }),
      },
      evaluationPeriods: isHigh ? customHighPeriods : lowPeriods,
      threshold: isHigh ? tracking.TargetValue : tracking.TargetValue * customLowShare,
    };
  }
  const kind = arm.access === 'read' ? 'Read' : 'Write';
  const Dimensions = [
    { Name: 'TableName', Value: arm.tableName },
    ...(arm.indexName === undefined ? [] : [{ Name: 'GlobalSecondaryIndexName', Value: arm.indexName }]),
  ];
  const Namespace = 'AWS/DynamoDB';
  if (role === 'ProvisionedCapacityHigh' || role === 'ProvisionedCapacityLow')
    return {
      ...common,
      watched: {
        MetricName: `Provisioned${kind}CapacityUnits`,
        Namespace,
        Dimensions,
        Statistic: 'Average',
        Period: 300,
      },
      evaluationPeriods: 3,
      threshold: capacity,
    };
  const percent = isHigh ? tracking.TargetValue : lowPercent(tracking.TargetValue);
  return {
    ...common,
    watched: {
      MetricName: `Consumed${kind}CapacityUnits`,
      Namespace,
      Dimensions,
      Statistic: 'Sum',
      Period: 60,
    },
    evaluationPeriods: isHigh ? highPeriods : lowPeriods,
    // Rounded, so that 70 % of 5 units for a minute is 210 and nothing beside it.
    threshold: Math.round(capacity * percent * 60 * 1e6) / 1e8,
  };
}
