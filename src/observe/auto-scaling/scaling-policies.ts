import { DynamoError } from '../../model/errors.ts';
import { list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTargets } from '../cloudwatch/api-intents.ts';
import { policyDeletion } from './delete-policy.ts';
import {
  alarmsAnswer,
  policyAlarms,
  stepConfiguration,
  trackingConfiguration,
} from './put-scaling-policy.ts';
import {
  longText,
  pageMembers,
  pageOf,
  scalableDimension,
  scalingOperation,
  serviceNamespace,
  targetMembers,
} from './scaling-context.ts';
import { invalid, notFound } from './scaling-errors.ts';
import { targetNameOf } from './scaling-target.ts';

export const deleteScalingPolicy = scalingOperation(
  'DeleteScalingPolicy',
  onTargets,
  { PolicyName: required(longText), ...targetMembers },
  {},
  async (context, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const scope = scopeOf(caller);
    const { PolicyName: name } = input;
    for (;;) {
      const policy = await context.scaling.get(scope, 'policy', target, name);
      if (policy === undefined)
        return notFound(
          `No scaling policy found for service namespace: dynamodb, resource ID: ${target.resourceId}, scalable dimension: ${target.dimension}, policy name: ${name}`,
        );
      const isAsRead = context.scaling.isPolicy(scope, target, name, policy);
      if (await context.scaling.changeAll(policyDeletion(context, scope, policy), [isAsRead])) return {};
    }
  },
);

export const describeScalingPolicies = scalingOperation(
  'DescribeScalingPolicies',
  onTargets,
  {
    PolicyNames: list(longText, { max: 50 }),
    ServiceNamespace: required(serviceNamespace),
    ResourceId: longText,
    ScalableDimension: scalableDimension,
    ...pageMembers,
  },
  {
    ScalingPolicies: list(
      structure('ScalingPolicy', {
        PolicyARN: string(),
        PolicyName: string(),
        ServiceNamespace: string(),
        ResourceId: string(),
        ScalableDimension: string(),
        PolicyType: string(),
        StepScalingPolicyConfiguration: stepConfiguration,
        TargetTrackingScalingPolicyConfiguration: trackingConfiguration,
        Alarms: policyAlarms,
        CreationTime: timestamp,
      }),
    ),
    NextToken: string(),
  },
  async ({ scaling, book }, input, caller) => {
    const { PolicyNames, ServiceNamespace, ResourceId, ScalableDimension } = input;
    if (ScalableDimension !== undefined && ResourceId === undefined)
      return invalid('A scalable dimension can only be specified together with a resource ID');
    const scope = scopeOf(caller);
    const names = PolicyNames && new Set(PolicyNames);
    const found = (async function* () {
      if (ServiceNamespace !== 'dynamodb') return;
      for await (const policy of scaling.records(scope, 'policy')) {
        if (names !== undefined && !names.has(policy.name)) continue;
        if (ResourceId !== undefined && policy.resourceId !== ResourceId) continue;
        if (ScalableDimension === undefined || policy.dimension === ScalableDimension) yield policy;
      }
    })();
    const request = JSON.stringify([PolicyNames, ServiceNamespace, ResourceId, ScalableDimension]);
    const page = await pageOf(found, input, request);
    if (page instanceof DynamoError) return page;
    const ScalingPolicies: object[] = [];
    for (const policy of page.page) {
      // The alarms of a step policy are those that name it as their action.
      const alarms: string[] = [];
      if (policy.type === 'StepScaling')
        for await (const alarm of book.alarms(scope))
          if (alarm.settings.alarmActions.some((action) => action.startsWith(policy.arn)))
            alarms.push(alarm.name);
      const listed = { ...policy, alarms: alarms.map((name) => ({ role: 'AlarmHigh' as const, name })) };
      ScalingPolicies.push({
        PolicyARN: policy.arn,
        PolicyName: policy.name,
        ServiceNamespace: 'dynamodb',
        ResourceId: policy.resourceId,
        ScalableDimension: policy.dimension,
        PolicyType: policy.type,
        StepScalingPolicyConfiguration: policy.step,
        TargetTrackingScalingPolicyConfiguration: policy.tracking,
        Alarms: alarmsAnswer(scope, policy.type === 'StepScaling' ? listed : policy),
        CreationTime: policy.createdAt / 1000,
      });
    }
    return { ScalingPolicies, ...(page.NextToken !== undefined && { NextToken: page.NextToken }) };
  },
);
