import { bound } from './cloudwatch-service.ts';
import { putScalingPolicy } from './observe/auto-scaling/put-scaling-policy.ts';
import {
  deregisterScalableTarget,
  describeScalableTargets,
  registerScalableTarget,
} from './observe/auto-scaling/scalable-targets.ts';
import { describeScalingActivities } from './observe/auto-scaling/scaling-activities.ts';
import type { ScalingContext } from './observe/auto-scaling/scaling-context.ts';
import { scalingErrors } from './observe/auto-scaling/scaling-errors.ts';
import { deleteScalingPolicy, describeScalingPolicies } from './observe/auto-scaling/scaling-policies.ts';
import {
  listScalingTags,
  tagScalingResource,
  untagScalingResource,
} from './observe/auto-scaling/scaling-tags.ts';
import {
  deleteScheduledAction,
  describeScheduledActions,
  putScheduledAction,
} from './observe/auto-scaling/scheduled-actions.ts';
import type { ApiOperation } from './operations/api/api-operation.ts';
import { awsErrors } from './operations/api/aws-errors.ts';
import type { Service } from './operations/api/service.ts';
import type { Caller } from './operations/operation.ts';

const scalingOperations: readonly ApiOperation<ScalingContext>[] = [
  ...[registerScalableTarget, deregisterScalableTarget, describeScalableTargets],
  ...[putScalingPolicy, deleteScalingPolicy, describeScalingPolicies],
  ...[putScheduledAction, deleteScheduledAction, describeScheduledActions],
  ...[describeScalingActivities, listScalingTags, tagScalingResource, untagScalingResource],
];

/** Application Auto Scaling beside DynamoDB on the port. */
export function autoScalingService(contextOf: (caller: Caller) => ScalingContext): Service {
  return {
    targetPrefix: 'AnyScaleFrontendService',
    signingName: 'application-autoscaling',
    apiVersion: '2016-02-06',
    protocols: ['json-1.1'],
    errors: awsErrors({
      ...{ prefix: 'com.amazonaws.applicationautoscaling', messageMember: 'Message', own: scalingErrors },
      ...{ xmlNamespace: '', apiVersion: '2016-02-06' },
    }),
    operations: bound(scalingOperations, contextOf),
  };
}
