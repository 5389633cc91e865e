import { bound } from './cloudwatch-service.ts';
import { putScalingPolicy } from './observe/auto-scaling/put-scaling-policy.ts';
import {
  deregisterScalableTarget,
  describeScalableTargets,
  registerScalableTarget,
} from './observe/auto-scaling/scalable-targets.ts';
import { describeScalingActivities } from './observe/auto-scaling/scaling-activities.ts';
import type { ScalingContext } from './observe/auto-scaling/scaling-context.ts';
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
import type { ApiOperation, ApiService } from './operations/api/api-operation.ts';
import type { Caller } from './operations/operation.ts';

const scalingOperations: readonly ApiOperation<ScalingContext>[] = [
  ...[registerScalableTarget, deregisterScalableTarget, describeScalableTargets],
  ...[putScalingPolicy, deleteScalingPolicy, describeScalingPolicies],
  ...[putScheduledAction, deleteScheduledAction, describeScheduledActions],
  ...[describeScalingActivities, listScalingTags, tagScalingResource, untagScalingResource],
];

/** Application Auto Scaling beside DynamoDB on the port. */
export function autoScalingService(contextOf: (caller: Caller) => ScalingContext): ApiService {
  return {
    targetPrefix: 'AnyScaleFrontendService',
    signingName: 'application-autoscaling',
    protocols: ['json-1.1'],
    errorPrefix: 'com.amazonaws.applicationautoscaling',
    messageMember: 'Message',
    xmlNamespace: '',
    apiVersion: '2016-02-06',
    operations: bound(scalingOperations, contextOf),
  };
}
