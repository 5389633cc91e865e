import type { Engine } from '../../engine/engine.ts';
import { apiOperations } from '../../operations/api/api-operation.ts';
import { boolean, integer, map, oneOf, required, string, structure } from '../../operations/shapes/shape.ts';
import type { AlarmBook } from '../alarms/alarm-book.ts';
import { readToken, writeToken } from '../cloudwatch/next-token.ts';
import type { ScalingBook } from './scaling-book.ts';
import { invalid, invalidNextToken, type ScalingError, shapeError } from './scaling-errors.ts';

/** What the operations of Application Auto Scaling work with. */
export interface ScalingContext {
  readonly engine: Engine;
  readonly scaling: ScalingBook;
  readonly book: AlarmBook;
  readonly nowMs: () => number;
  readonly newUuid: () => string;
  /** Tells whoever scales that something was put. */
  readonly scalingChanged: () => void;
}

export const scalingOperation = apiOperations<ScalingContext>('application-autoscaling', shapeError);

const text1600 = string({ min: 1, max: 1600 });
export const longText = text1600;

export const serviceNamespace = oneOf(
  ...['ecs', 'elasticmapreduce', 'ec2', 'appstream', 'dynamodb', 'rds', 'sagemaker', 'custom-resource'],
  ...['comprehend', 'lambda', 'cassandra', 'kafka', 'elasticache', 'neptune', 'workspaces'],
);

export const scalableDimension = oneOf(
  'ecs:service:DesiredCount',
  'ec2:spot-fleet-request:TargetCapacity',
  'elasticmapreduce:instancegroup:InstanceCount',
  'appstream:fleet:DesiredCapacity',
  'dynamodb:table:ReadCapacityUnits',
  'dynamodb:table:WriteCapacityUnits',
  'dynamodb:index:ReadCapacityUnits',
  'dynamodb:index:WriteCapacityUnits',
  'rds:cluster:ReadReplicaCount',
  'sagemaker:variant:DesiredInstanceCount',
  'custom-resource:ResourceType:Property',
  'comprehend:document-classifier-endpoint:DesiredInferenceUnits',
  'comprehend:entity-recognizer-endpoint:DesiredInferenceUnits',
  'lambda:function:ProvisionedConcurrency',
  'cassandra:table:ReadCapacityUnits',
  'cassandra:table:WriteCapacityUnits',
  'kafka:broker-storage:VolumeSize',
  'elasticache:cache-cluster:Nodes',
  'elasticache:replication-group:NodeGroups',
  'elasticache:replication-group:Replicas',
  'neptune:cluster:ReadReplicaCount',
  'sagemaker:variant:DesiredProvisionedConcurrency',
  'sagemaker:inference-component:DesiredCopyCount',
  'workspaces:workspacespool:DesiredUserSessions',
);

/** The members that name a target in every request. */
export const targetMembers = {
  ServiceNamespace: required(serviceNamespace),
  ResourceId: required(text1600),
  ScalableDimension: required(scalableDimension),
};

/** The members of requests that list something. */
export const pageMembers = { MaxResults: integer(), NextToken: string() };

export const suspendedState = structure('SuspendedState', {
  DynamicScalingInSuspended: boolean,
  DynamicScalingOutSuspended: boolean,
  ScheduledScalingSuspended: boolean,
});

export const tagMap = map(string({ min: 0, max: 256 }), { keys: string({ min: 1, max: 128 }) });

const pageSize = 50;

/** A page of what a request lists, by its place in the list. Lists are short: 5,000 targets at most. */
export async function pageOf<T>(
  all: AsyncIterable<T>,
  { MaxResults = pageSize, NextToken }: { readonly MaxResults?: number; readonly NextToken?: string },
  request: string,
): Promise<{ readonly page: readonly T[]; readonly NextToken?: string } | ScalingError> {
  if (MaxResults < 1 || MaxResults > 100) return invalid('Max results must be between 1 and 100');
  const [from = 0] = NextToken === undefined ? [] : (readToken(request, NextToken) ?? ['wrong']);
  if (!Number.isSafeInteger(from)) return invalidNextToken();
  const page: T[] = [];
  let at = 0;
  for await (const one of all) {
    if (at++ < (from as number)) continue;
    if (page.length === Math.min(MaxResults, pageSize))
      return { page, NextToken: writeToken(request, [at - 1]) };
    page.push(one);
  }
  return { page };
}
