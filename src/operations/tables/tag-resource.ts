import { tagsError } from '../../engine/control/rules/setting-rules.ts';
import { changeTags } from '../../engine/control/tags.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { onArn } from '../intents.ts';
import { emptyBody, operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { tags } from '../shapes/table-shapes.ts';
import { resourceArn } from '../shapes/tag-shapes.ts';
import { tagsOf } from './table-requests.ts';
import { taggedTable } from './tagged-table.ts';

export const tagResourceShape = inputShape('TagResource', {
  ResourceArn: resourceArn,
  Tags: required(tags),
});
export interface TagResourceInput extends InputOf<typeof tagResourceShape> {}

const tagResourceOutput = outputShape({});
export interface TagResourceOutput extends OutputOf<typeof tagResourceOutput> {}

/** The answer of TagResource and UntagResource. */
export type EmptyOutput = Record<string, never>;

export const tagResource = operation<TagResourceInput, TagResourceOutput>(
  tagResourceShape,
  tagResourceOutput,
  ({ ResourceArn }, road) => onArn(road, ResourceArn),
  (road, input) => {
    const { engine, caller } = road;
    const reference = taggedTable(input.ResourceArn, caller);
    if (reference instanceof DynamoError) return reference;
    if (input.Tags.length === 0) return validationError('Atleast one Tag needs to be provided as Input.');
    const wrong = tagsError(input.Tags);
    if (wrong !== undefined) return wrong;
    const forbidden = road.passControl(reference.tableName, reference.scope.account);
    if (forbidden !== undefined) return forbidden;
    const changed = changeTags(engine, reference, input.ResourceArn, (tags) => ({
      ...tags,
      ...tagsOf(input.Tags),
    }));
    return whenDone(changed, (result) => (result instanceof DynamoError ? result : emptyBody));
  },
);
