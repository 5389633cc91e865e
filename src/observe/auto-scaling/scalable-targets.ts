import type { Caller } from '../../engine/events.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { DynamoError } from '../../model/errors.ts';
import { integer, list, required, string, structure, timestamp } from '../../operations/shapes/shape.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTargets } from '../cloudwatch/api-intents.ts';
import type { ExpectedRecord } from '../record-edit.ts';
import { policyDeletion } from './delete-policy.ts';
import type { ScalingBook } from './scaling-book.ts';
import {
  longText,
  pageMembers,
  pageOf,
  scalableDimension,
  scalingOperation,
  serviceNamespace,
  suspendedState,
  tagMap,
  targetMembers,
} from './scaling-context.ts';
import { invalid, limitExceeded, noTarget, type ScalingError } from './scaling-errors.ts';
import type { SuspendedState, TargetName, TargetRecord } from './scaling-records.ts';
import { tagsProblem } from './scaling-tags.ts';
import { armOf, targetNameOf } from './scaling-target.ts';
import { capacityOf } from './table-capacity.ts';

/** As many DynamoDB targets as an account may have in a Region. */
const targetsMax = 5_000;

function targetArn({ account, region }: Scope, { id }: TargetRecord): string {
  return `arn:aws:application-autoscaling:${region}:${account}:scalable-target/${id}`;
}

function serviceRole({ accountId }: Caller): string {
  return `arn:aws:iam::${accountId}:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/AWSServiceRoleForApplicationAutoScaling_DynamoDBTable`;
}

export const registerScalableTarget = scalingOperation(
  'RegisterScalableTarget',
  onTargets,
  {
    ...targetMembers,
    MinCapacity: integer(),
    MaxCapacity: integer(),
    RoleARN: longText,
    SuspendedState: suspendedState,
    Tags: tagMap,
  },
  { ScalableTargetARN: string() },
  async ({ engine, scaling, nowMs, newUuid, scalingChanged }, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const { MinCapacity, MaxCapacity, SuspendedState: suspended, Tags = {} } = input;
    const wrongTags = tagsProblem(Tags);
    if (wrongTags !== undefined) return wrongTags;
    const scope = scopeOf(caller);
    const capacity = await capacityOf(engine, scope, armOf(target)!);
    const before = await scaling.get(scope, 'target', target);
    if (before === undefined) {
      if (capacity === 'no table') return invalid(`DynamoDB table does not exist: ${target.resourceId}`);
      if (capacity === 'no index') return invalid(`DynamoDB index does not exist: ${target.resourceId}`);
      let count = 0;
      for await (const _ of scaling.records(scope, 'target')) count++;
      if (count >= targetsMax)
        return limitExceeded(`An account may have at most ${targetsMax} scalable targets`);
    }
    const at = nowMs();
    const id = newUuid().replaceAll('-', '');
    const answer = await scaling.change<'target', TargetRecord | ScalingError>(
      scope,
      'target',
      target,
      '',
      (now) => {
        const min = MinCapacity ?? now?.min;
        const max = MaxCapacity ?? now?.max;
        if (min === undefined || max === undefined)
          return { result: invalid('Min and max capacity must be specified for a new scalable target') };
        if (min < 1) return { result: invalid('Minimum capacity must be at least 1') };
        if (max < min) return { result: invalid('Maximum capacity cannot be less than minimum capacity') };
        const causes = [
          MinCapacity !== undefined && MinCapacity !== now?.min && `minimum capacity was set to ${min}`,
          MaxCapacity !== undefined && MaxCapacity !== now?.max && `maximum capacity was set to ${max}`,
        ].filter((cause) => cause !== false);
        const record: TargetRecord = {
          ...(now ?? {
            ...target,
            id,
            roleArn: serviceRole(caller),
            createdAt: at,
            tags: Tags,
          }),
          min,
          max,
          suspended: { ...(now?.suspended ?? notSuspended), ...suspended },
          ...(causes.length > 0 && { pending: { cause: causes.join(' and ') } }),
        };
        return { result: record, record };
      },
    );
    if (answer instanceof DynamoError) return answer;
    scalingChanged();
    return { ScalableTargetARN: targetArn(scope, answer) };
  },
);

const notSuspended: SuspendedState = {
  DynamicScalingInSuspended: false,
  DynamicScalingOutSuspended: false,
  ScheduledScalingSuspended: false,
};

export const deregisterScalableTarget = scalingOperation(
  'DeregisterScalableTarget',
  onTargets,
  targetMembers,
  {},
  async (context, input, caller) => {
    const target = targetNameOf(input);
    if (target instanceof DynamoError) return target;
    const { scaling } = context;
    const scope = scopeOf(caller);
    if ((await scaling.get(scope, 'target', target)) === undefined) return noTarget(target);
    for (;;) {
      const expected: ExpectedRecord[] = [];
      const edits = [scaling.edit(scope, 'target', target, '', () => null)];
      for await (const policy of scaling.records(scope, 'policy', target)) {
        edits.push(...policyDeletion(context, scope, policy));
        expected.push(scaling.isPolicy(scope, target, policy.name, policy));
      }
      for await (const { name } of scaling.records(scope, 'schedule', target))
        edits.push(scaling.edit(scope, 'schedule', target, name, () => null));
      // What was put in between goes the same way.
      if ((await scaling.changeAll(edits, expected)) && !(await hasAny(scaling, scope, target))) return {};
    }
  },
);

async function hasAny(scaling: ScalingBook, scope: Scope, target: TargetName): Promise<boolean> {
  for (const kind of ['policy', 'schedule'] as const)
    for await (const _ of scaling.records(scope, kind, target)) return true;
  return false;
}

export const describeScalableTargets = scalingOperation(
  'DescribeScalableTargets',
  onTargets,
  {
    ServiceNamespace: required(serviceNamespace),
    ResourceIds: list(longText, { max: 50 }),
    ScalableDimension: scalableDimension,
    ...pageMembers,
  },
  {
    ScalableTargets: list(
      structure('ScalableTarget', {
        ServiceNamespace: string(),
        ResourceId: string(),
        ScalableDimension: string(),
        MinCapacity: integer(),
        MaxCapacity: integer(),
        RoleARN: string(),
        CreationTime: timestamp,
        SuspendedState: suspendedState,
        ScalableTargetARN: string(),
      }),
    ),
    NextToken: string(),
  },
  async ({ scaling }, input, caller) => {
    const { ServiceNamespace, ResourceIds, ScalableDimension } = input;
    if (ScalableDimension !== undefined && ResourceIds === undefined)
      return invalid('A scalable dimension can only be specified together with resource IDs');
    const scope = scopeOf(caller);
    const wanted = ResourceIds && new Set(ResourceIds);
    const found = (async function* () {
      if (ServiceNamespace !== 'dynamodb') return;
      for await (const target of scaling.records(scope, 'target')) {
        if (wanted !== undefined && !wanted.has(target.resourceId)) continue;
        if (ScalableDimension === undefined || target.dimension === ScalableDimension) yield target;
      }
    })();
    const request = JSON.stringify([ServiceNamespace, ResourceIds, ScalableDimension]);
    const page = await pageOf(found, input, request);
    if (page instanceof DynamoError) return page;
    return {
      ScalableTargets: page.page.map((target) => ({
        ServiceNamespace: 'dynamodb',
        ResourceId: target.resourceId,
        ScalableDimension: target.dimension,
        MinCapacity: target.min,
        MaxCapacity: target.max,
        RoleARN: target.roleArn,
        CreationTime: target.createdAt / 1000,
        SuspendedState: target.suspended,
        ScalableTargetARN: targetArn(scope, target),
      })),
      ...(page.NextToken !== undefined && { NextToken: page.NextToken }),
    };
  },
);
