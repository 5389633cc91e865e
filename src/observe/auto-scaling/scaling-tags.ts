import type { Scope } from '../../engine/store-keys.ts';
import { DynamoError } from '../../model/errors.ts';
import { list, required, string } from '../../operations/shapes/shape.ts';
import { scopeOf } from '../alarms/alarm-context.ts';
import { onTagged } from '../cloudwatch/api-intents.ts';
import { type ScalingContext, scalingOperation, tagMap } from './scaling-context.ts';
import { invalid, resourceNotFound, type ScalingError, scalingError } from './scaling-errors.ts';
import type { TargetRecord } from './scaling-records.ts';

const tagsMax = 50;

export function tagsProblem(tags: Readonly<Record<string, string>>): ScalingError | undefined {
  const keys = Object.keys(tags);
  if (keys.some((key) => /^aws:/i.test(key))) return invalid('Tag keys that begin with aws: are reserved');
  if (keys.length > tagsMax)
    return scalingError('TooManyTagsException', `A resource may have at most ${tagsMax} tags`);
  return undefined;
}

const resource = required(string({ min: 1, max: 1011 }));

/** Targets carry the tags. */
async function targetOf(
  { scaling }: ScalingContext,
  { account, region }: Scope,
  arn: string,
): Promise<TargetRecord | ScalingError> {
  const match =
    /^arn:aws[\w-]*:application-autoscaling:([\w-]+):(\d+):scalable-target\/([a-zA-Z0-9-]+)$/.exec(arn);
  if (match === null) return invalid(`Invalid ARN: ${arn.slice(0, 200)}`);
  if (match[1] === region && match[2] === account)
    for await (const target of scaling.records({ account, region }, 'target'))
      if (target.id === match[3]) return target;
  return resourceNotFound(arn);
}

export const listScalingTags = scalingOperation(
  'ListTagsForResource',
  onTagged,
  { ResourceARN: resource },
  { Tags: tagMap },
  async (context, { ResourceARN }, caller) => {
    const target = await targetOf(context, scopeOf(caller), ResourceARN);
    return target instanceof DynamoError ? target : { Tags: target.tags };
  },
);

export const tagScalingResource = scalingOperation(
  'TagResource',
  onTagged,
  { ResourceARN: resource, Tags: required(tagMap) },
  {},
  async (context, { ResourceARN, Tags }, caller) =>
    changeTags(context, scopeOf(caller), ResourceARN, (tags) => ({ ...tags, ...Tags })),
);

export const untagScalingResource = scalingOperation(
  'UntagResource',
  onTagged,
  { ResourceARN: resource, TagKeys: required(list(string({ min: 1, max: 128 }), { max: 200 })) },
  {},
  async (context, { ResourceARN, TagKeys }, caller) =>
    changeTags(context, scopeOf(caller), ResourceARN, (tags) =>
      Object.fromEntries(Object.entries(tags).filter(([key]) => !TagKeys.includes(key))),
    ),
);

async function changeTags(
  context: ScalingContext,
  scope: Scope,
  arn: string,
  change: (tags: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): Promise<object | ScalingError> {
  const target = await targetOf(context, scope, arn);
  if (target instanceof DynamoError) return target;
  return context.scaling.change<'target', object | ScalingError>(scope, 'target', target, '', (now) => {
    if (now === undefined) return { result: resourceNotFound(arn) };
    const tags = change(now.tags);
    return tagsProblem(tags) === undefined
      ? { result: {}, record: { ...now, tags } }
      : { result: tagsProblem(tags)! };
  });
}
