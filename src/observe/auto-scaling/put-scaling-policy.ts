import type { Scope } from '../../engine/store-keys.ts';
import { DynamoError } from '../../model/errors.ts';
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
import { alarmArn } from '../alarms/alarm-answer.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTargets } from '../cloudwatch/api-intents.ts';
import { basicStatistics } from '../cloudwatch/statistics.ts';
import { withAlarms } from './policy-alarms.ts';
import { type ScalingContext, scalingOperation, targetMembers } from './scaling-context.ts';
import { invalid, limitExceeded, noTarget, type ScalingError } from './scaling-errors.ts';
import type { PolicyRecord, StepScaling, TargetName, TargetTracking } from './scaling-records.ts';
import { targetNameOf } from './scaling-target.ts';

const policiesMax = 50;

const dimension = structure('MetricDimension', { Name: required(string()), Value: required(string()) });

export const stepConfiguration = structure('StepScalingPolicyConfiguration', {
  AdjustmentType: oneOf('ChangeInCapacity', 'PercentChangeInCapacity', 'ExactCapacity'),
  StepAdjustments: list(
    structure('StepAdjustment', {
      MetricIntervalLowerBound: double(),
      MetricIntervalUpperBound: double(),
      ScalingAdjustment: required(integer()),
    }),
  ),
  MinAdjustmentMagnitude: integer(),
  Cooldown: integer(),
  MetricAggregationType: oneOf('Average', 'Minimum', 'Maximum'),
});

export const trackingConfiguration = structure('TargetTrackingScalingPolicyConfiguration', {
  TargetValue: required(double()),
  PredefinedMetricSpecification: structure('PredefinedMetricSpecification', {
    PredefinedMetricType: required(string()),
    ResourceLabel: string({ min: 1, max: 1023 }),
  }),
  CustomizedMetricSpecification: structure('CustomizedMetricSpecification', {
    MetricName: string(),
    Namespace: string(),
    Dimensions: list(dimension),
    Statistic: oneOf(...basicStatistics),
    Unit: string(),
    Metrics: list(map(string())),
  }),
  ScaleOutCooldown: integer(),
  ScaleInCooldown: integer(),
  DisableScaleIn: boolean,
});

const policyType = oneOf('StepScaling', 'TargetTrackingScaling', 'PredictiveScaling');
export const policyAlarms = list(structure('Alarm', { AlarmName: string(), AlarmARN: string() }));

const members = {
  PolicyName: required(string({ min: 1, max: 256 })),
  ...targetMembers,
  PolicyType: policyType,
  StepScalingPolicyConfiguration: stepConfiguration,
  TargetTrackingScalingPolicyConfiguration: trackingConfiguration,
  PredictiveScalingPolicyConfiguration: map(string()),
};
const shape = structure('PutScalingPolicyInput', members);
type PolicyInput = InputValue<typeof shape>;

export const putScalingPolicy = scalingOperation(
  'PutScalingPolicy',
  onTargets,
  members,
  { PolicyARN: string(), Alarms: policyAlarms },
  async (context, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const { PolicyName: name } = input;
    if (name.includes('\0')) return invalid('A policy name must be printable');
    const scope = scopeOf(caller);
    // Another request may change the policy, or remove the target, before the unit is committed.
    for (;;) {
      const answer = await tryPut(context, scope, target, input);
      if (answer !== 'changed meanwhile') return answer;
    }
  },
);

/** The policy and its alarms are one unit: after a kill both are there, or what was there before. */
async function tryPut(
  context: ScalingContext,
  scope: Scope,
  target: TargetName,
  input: PolicyInput,
): Promise<{ PolicyARN: string; Alarms: object[] } | ScalingError | 'changed meanwhile'> {
  const { scaling, book, newUuid, nowMs, scalingChanged } = context;
  const { PolicyName: name } = input;
  const before = await scaling.get(scope, 'policy', target, name);
  const type = input.PolicyType ?? before?.type ?? 'StepScaling';
  if (type === 'PredictiveScaling') return invalid('Predictive scaling is not supported for DynamoDB');
  const step = input.StepScalingPolicyConfiguration as StepScaling | undefined;
  const tracking = input.TargetTrackingScalingPolicyConfiguration as TargetTracking | undefined;
  const wrong =
    type === 'StepScaling' ? stepProblem(step, tracking) : trackingProblem(target, tracking, step);
  if (wrong !== undefined) return wrong;
  if ((await scaling.get(scope, 'target', target)) === undefined) return noTarget(target);
  let count = 0;
  for await (const { name: other, tracking: its } of scaling.records(scope, 'policy', target)) {
    if (other === name) continue;
    count++;
    if (isSamePredefined(its, tracking))
      return invalid('Only one TargetTrackingScaling policy for a given metric specification is allowed.');
  }
  if (before === undefined && count >= policiesMax)
    return limitExceeded(`A scalable target may have at most ${policiesMax} scaling policies`);
  const arn =
    before?.arn ??
    `arn:aws:autoscaling:${scope.region}:${scope.account}:scalingPolicy:${newUuid()}:resource/dynamodb/${target.resourceId}:policyName/${name}`;
  const policy: PolicyRecord = {
    ...target,
    name,
    arn,
    createdAt: before?.createdAt ?? nowMs(),
    type,
    alarms: [],
    ...(type === 'StepScaling' ? { step: step! } : { tracking: tracking! }),
  };
  // New settings get new alarms, under new names.
  const made =
    type === 'StepScaling' ? { record: policy, edits: [] } : await withAlarms(context, scope, policy);
  const isPut = await scaling.changeAll(
    [
      ...(before?.alarms ?? []).map((alarm) => book.deletion(scope, alarm.name)),
      ...made.edits,
      scaling.edit(scope, 'policy', target, name, () => made.record),
    ],
    [scaling.isRegistered(scope, target), scaling.isPolicy(scope, target, name, before)],
  );
  if (!isPut) return 'changed meanwhile';
  scalingChanged();
  return { PolicyARN: arn, Alarms: alarmsAnswer(scope, made.record) };
}

export function alarmsAnswer(scope: Scope, { alarms }: PolicyRecord): object[] {
  return alarms.map(({ name }) => ({ AlarmName: name, AlarmARN: alarmArn(scope, name) }));
}

function isSamePredefined(a: TargetTracking | undefined, b: TargetTracking | undefined): boolean {
  const type = a?.PredefinedMetricSpecification?.PredefinedMetricType;
  return type !== undefined && type === b?.PredefinedMetricSpecification?.PredefinedMetricType;
}

function trackingProblem(
  target: TargetName,
  tracking: TargetTracking | undefined,
  step: StepScaling | undefined,
): ScalingError | undefined {
  if (tracking === undefined || step !== undefined)
    return invalid(
      'A TargetTrackingScaling policy needs a TargetTrackingScalingPolicyConfiguration, and no other',
    );
  const {
    TargetValue,
    PredefinedMetricSpecification: predefined,
    CustomizedMetricSpecification: custom,
  } = tracking;
  if ((predefined === undefined) === (custom === undefined))
    return invalid(
      'Exactly one of PredefinedMetricSpecification and CustomizedMetricSpecification must be specified',
    );
  for (const seconds of [tracking.ScaleOutCooldown, tracking.ScaleInCooldown])
    if (seconds !== undefined && seconds < 0) return invalid('A cooldown must not be negative');
  if (custom !== undefined) {
    if ('Metrics' in custom && custom.Metrics !== undefined)
      return invalid('Metric math in a customized metric specification is not supported by Stator');
    if (custom.MetricName === undefined || custom.Namespace === undefined || custom.Statistic === undefined)
      return invalid('A customized metric specification needs MetricName, Namespace and Statistic');
    return TargetValue > 0 ? undefined : invalid('The target value must be greater than 0');
  }
  const wanted = target.dimension.includes('Read')
    ? 'DynamoDBReadCapacityUtilization'
    : 'DynamoDBWriteCapacityUtilization';
  if (predefined!.PredefinedMetricType !== wanted)
    return invalid(
      `Invalid predefined metric type ${predefined!.PredefinedMetricType.slice(0, 100)} for scalable dimension ${target.dimension}: it must be ${wanted}`,
    );
  if (!(TargetValue >= 20 && TargetValue <= 90))
    return invalid(`Invalid target value ${TargetValue}: it must be between 20 and 90`);
  return undefined;
}

function stepProblem(
  step: StepScaling | undefined,
  tracking: TargetTracking | undefined,
): ScalingError | undefined {
  if (step === undefined || tracking !== undefined)
    return invalid('A StepScaling policy needs a StepScalingPolicyConfiguration, and no other');
  const { AdjustmentType, StepAdjustments = [], MinAdjustmentMagnitude, Cooldown } = step;
  if (AdjustmentType === undefined) return invalid('An adjustment type must be specified');
  if (StepAdjustments.length === 0 || StepAdjustments.length > 20)
    return invalid('There must be between 1 and 20 step adjustments');
  if (MinAdjustmentMagnitude !== undefined && AdjustmentType !== 'PercentChangeInCapacity')
    return invalid('MinAdjustmentMagnitude goes with PercentChangeInCapacity only');
  if (Cooldown !== undefined && Cooldown < 0) return invalid('A cooldown must not be negative');
  const bounds = StepAdjustments.map(
    ({
      MetricIntervalLowerBound: low = Number.NEGATIVE_INFINITY,
      MetricIntervalUpperBound: high = Number.POSITIVE_INFINITY,
    }) => [low, high] as const,
  ).sort(([a], [b]) => a - b);
  for (const [at, [low, high]] of bounds.entries()) {
    if (!(low < high)) return invalid('The lower bound of a step adjustment must be below its upper bound');
    const before = bounds[at - 1];
    if (before !== undefined && before[1] !== low)
      return invalid('Step adjustments must follow each other without gap or overlap');
  }
  return undefined;
}
