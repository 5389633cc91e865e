import { invalid, type ScalingError } from './scaling-errors.ts';
import type { TargetName } from './scaling-records.ts';

/** The arm of a table that a target names. */
export interface Arm {
  readonly tableName: string;
  readonly indexName: string | undefined;
  readonly access: 'read' | 'write';
}

const dimensions = [
  'dynamodb:table:ReadCapacityUnits',
  'dynamodb:table:WriteCapacityUnits',
  'dynamodb:index:ReadCapacityUnits',
  'dynamodb:index:WriteCapacityUnits',
] as const;

const resourceForm = /^table\/([a-zA-Z0-9_.-]{3,255})(?:\/index\/([a-zA-Z0-9_.-]{3,255}))?$/;

export function armOf({ resourceId, dimension }: TargetName): Arm | undefined {
  const match = resourceForm.exec(resourceId);
  if (match === null || !(dimensions as readonly string[]).includes(dimension)) return undefined;
  const isIndex = dimension.startsWith('dynamodb:index:');
  if (isIndex !== (match[2] !== undefined)) return undefined;
  return {
    tableName: match[1]!,
    indexName: match[2],
    access: dimension.includes('Read') ? 'read' : 'write',
  };
}

/** The name of a request's target, checked: the namespace is DynamoDB's, and resource and dimension fit. */
export function targetNameOf(input: {
  readonly ServiceNamespace: string;
  readonly ResourceId: string;
  readonly ScalableDimension: string;
}): TargetName | ScalingError {
  const { ServiceNamespace, ResourceId, ScalableDimension } = input;
  if (ServiceNamespace !== 'dynamodb')
    return invalid(`Unsupported service namespace: Stator scales dynamodb only, and not ${ServiceNamespace}`);
  const name = { resourceId: ResourceId, dimension: ScalableDimension };
  if (armOf(name) === undefined)
    return invalid(
      `Unsupported service namespace, resource type or scalable dimension: ${ServiceNamespace}, ${ResourceId.slice(0, 600)}, ${ScalableDimension}`,
    );
  return name;
}
