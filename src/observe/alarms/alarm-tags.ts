import { DynamoError } from '../../model/errors.ts';
import { list, required, string, structure } from '../../operations/shapes/shape.ts';
import { onTagged } from '../cloudwatch/api-intents.ts';
import { type CloudWatchError, invalidValue, resourceNotFound } from '../cloudwatch/cloudwatch-errors.ts';
import { alarmOperation, scopeOf } from './alarm-context.ts';

const tagsMax = 50;

export const alarmTags = list(
  structure('Tag', {
    Key: required(string({ min: 1, max: 128 })),
    Value: required(string({ min: 0, max: 256 })),
  }),
);

type Tags = readonly { readonly Key: string; readonly Value: string }[];

export function tagsOf(
  tags: Tags,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> | CloudWatchError {
  const all = new Map(Object.entries(before));
  for (const { Key, Value } of tags) {
    if (/^aws:/i.test(Key)) return invalidValue('Tag keys that begin with aws: are reserved.');
    all.set(Key, Value);
  }
  if (all.size > tagsMax) return invalidValue(`A resource may have at most ${tagsMax} tags.`);
  return Object.fromEntries(all);
}

const resource = required(string({ min: 1, max: 1024 }));
const arnForm = /^arn:aws[\w-]*:cloudwatch:([\w-]+):(\d{12}):alarm:(.+)$/s;

/** The name of the alarm that an ARN of the caller's account and Region names. */
function alarmNamed(arn: string, caller: Parameters<typeof scopeOf>[0]): string | CloudWatchError {
  const match = arnForm.exec(arn);
  if (match === null) return invalidValue(`The value ${arn} for parameter ResourceARN is invalid.`);
  const { account, region } = scopeOf(caller);
  return match[1] === region && match[2] === account ? match[3]! : unknown(arn);
}

function unknown(arn: string): CloudWatchError {
  return resourceNotFound(`The resource ${arn} does not exist.`);
}

export const listTagsForResource = alarmOperation(
  'ListTagsForResource',
  onTagged,
  { ResourceARN: resource },
  { Tags: alarmTags },
  async ({ book }, { ResourceARN }, caller) => {
    const name = alarmNamed(ResourceARN, caller);
    if (name instanceof DynamoError) return name;
    const record = await book.get(scopeOf(caller), name);
    if (record === undefined) return unknown(ResourceARN);
    return { Tags: Object.entries(record.tags).map(([Key, Value]) => ({ Key, Value })) };
  },
);

export const tagResource = alarmOperation(
  'TagResource',
  onTagged,
  { ResourceARN: resource, Tags: required(alarmTags) },
  {},
  async ({ book }, { ResourceARN, Tags }, caller) => {
    const name = alarmNamed(ResourceARN, caller);
    if (name instanceof DynamoError) return name;
    return book.change<object | CloudWatchError>(scopeOf(caller), name, (record) => {
      if (record === undefined) return { result: unknown(ResourceARN) };
      const tags = tagsOf(Tags, record.tags);
      return tags instanceof DynamoError ? { result: tags } : { result: {}, record: { ...record, tags } };
    });
  },
);

export const untagResource = alarmOperation(
  'UntagResource',
  onTagged,
  { ResourceARN: resource, TagKeys: required(list(string({ min: 1, max: 128 }))) },
  {},
  async ({ book }, { ResourceARN, TagKeys }, caller) => {
    const name = alarmNamed(ResourceARN, caller);
    if (name instanceof DynamoError) return name;
    return book.change<object | CloudWatchError>(scopeOf(caller), name, (record) => {
      if (record === undefined) return { result: unknown(ResourceARN) };
      const kept = Object.entries(record.tags).filter(([key]) => !TagKeys.includes(key));
      return { result: {}, record: { ...record, tags: Object.fromEntries(kept) } };
    });
  },
);
