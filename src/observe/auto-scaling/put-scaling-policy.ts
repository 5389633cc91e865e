import type { Scope } from '../../engine/store-keys.ts';
import { ApiError } from '../../operations/api/api-error.ts';
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
import { alarmArn } from '../alarms/alarm-answer.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { configurationItem } from '../alarms/configuration-item.ts';
import { alarmWith } from '../alarms/put-metric-alarm.ts';
import { basicStatistics } from '../cloudwatch/statistics.ts';
import { minuteOf } from '../metrics.ts';
import { deletePolicy } from './delete-policy.ts';
import { type ScalingContext, scalingOperation, targetMembers } from './scaling-context.ts';
import { invalid, limitExceeded, noTarget } from './scaling-errors.ts';
import type { PolicyRecord, StepScaling, TargetName, TargetTracking } from './scaling-records.ts';
import { armOf, targetNameOf } from './scaling-target.ts';
import { capacityOf } from './table-capacity.ts';
import { alarmSettings, rolesOf } from './tracking-alarms.ts';

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

export const policyType = oneOf('StepScaling', 'TargetTrackingScaling', 'PredictiveScaling');
export const policyAlarms = list(structure('Alarm', { AlarmName: string(), AlarmARN: string() }));

export const putScalingPolicy = scalingOperation(
  'PutScalingPolicy',
  {
    PolicyName: required(string({ min: 1, max: 256 })),
    ...targetMembers,
    PolicyType: policyType,
    StepScalingPolicyConfiguration: stepConfiguration,
    TargetTrackingScalingPolicyConfiguration: trackingConfiguration,
    PredictiveScalingPolicyConfiguration: map(string()),
  },
  { PolicyARN: string(), Alarms: policyAlarms },
  async (context, input, caller) => {
    const { scaling, newUuid, nowMs, scalingChanged } = context;
    const target = targetNameOf(input);
    if (target instanceof ApiError) return target;
    const { PolicyName: name } = input;
    if (name.includes('\0')) return invalid('A policy name must be printable');
    const scope = scopeOf(caller);
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
    // New settings get new alarms, under new names.
    if (before !== undefined) await deletePolicy(context, scope, before);
    const policy: PolicyRecord = {
      ...target,
      format: 1,
      name,
      arn,
      createdAt: before?.createdAt ?? nowMs(),
      type,
      alarms: [],
      ...(type === 'StepScaling' ? { step: step! } : { tracking: tracking! }),
    };
    const record = type === 'StepScaling' ? policy : await withAlarms(context, scope, policy);
    await scaling.change(scope, 'policy', target, name, () => ({ result: undefined, record }));
    scalingChanged();
    return { PolicyARN: arn, Alarms: alarmsAnswer(scope, record) };
  },
);

export function alarmsAnswer(scope: Scope, { alarms }: PolicyRecord): object[] {
  return alarms.map(({ name }) => ({ AlarmName: name, AlarmARN: alarmArn(scope, name) }));
}

/** Makes the alarms of a target tracking policy. */
async function withAlarms(
  { engine, book, nowMs, newUuid }: ScalingContext,
  scope: Scope,
  policy: PolicyRecord,
): Promise<PolicyRecord> {
  const arm = armOf(policy)!;
  const capacity = await capacityOf(engine, scope, arm);
  const provisioned = typeof capacity === 'string' ? 0 : capacity.provisioned;
  const action = `${policy.arn}:createdBy/${newUuid()}`;
  const at = nowMs();
  const alarms: PolicyRecord['alarms'][number][] = [];
  for (const role of rolesOf(policy.tracking!)) {
    const name = `TargetTracking-${policy.resourceId}-${role}-${newUuid()}`;
    const settings = alarmSettings(policy, arm, role, provisioned, action);
    const isConsumed = 'MetricName' in settings.watched && settings.watched.MetricName.startsWith('Consumed');
    const isZeroed = isConsumed && policy.tracking!.CustomizedMetricSpecification === undefined;
    await book.change(scope, name, () => {
      const made = alarmWith(undefined, name, settings, {}, at);
      const record = isZeroed ? { ...made, zeroFromMinute: minuteOf(at) } : made;
      return { result: undefined, record, history: [configurationItem(undefined, record, at)] };
    });
    alarms.push({ role, name });
  }
  return { ...policy, alarms, alarmedCapacity: provisioned };
}

function isSamePredefined(a: TargetTracking | undefined, b: TargetTracking | undefined): boolean {
  const type = a?.PredefinedMetricSpecification?.PredefinedMetricType;
  return type !== undefined && type === b?.PredefinedMetricSpecification?.PredefinedMetricType;
}

function trackingProblem(
  target: TargetName,
  tracking: TargetTracking | undefined,
  step: StepScaling | undefined,
): ApiError | undefined {
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
): ApiError | undefined {
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
