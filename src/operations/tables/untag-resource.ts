import { tagKeyError } from '../../engine/control/rules/setting-rules.ts';
import { changeTags } from '../../engine/control/tags.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { onArn } from '../intents.ts';
import { emptyBody, operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';

import { list, required, string } from '../shapes/shape.ts';
import { resourceArn } from '../shapes/tag-shapes.ts';
import { taggedTable } from './tagged-table.ts';

const untagResourceShape = inputShape('UntagResource', {
  ResourceArn: resourceArn,
  TagKeys: required(list(string())),
});
export interface UntagResourceInput extends InputOf<typeof untagResourceShape> {}

const untagResourceOutput = outputShape({});
export interface UntagResourceOutput extends OutputOf<typeof untagResourceOutput> {}

export const untagResource = operation<UntagResourceInput, UntagResourceOutput>(
  untagResourceShape,
  untagResourceOutput,
  ({ ResourceArn }, road) => onArn(road, ResourceArn),
  (road, input) => {
    const { engine, caller } = road;
    const reference = taggedTable(input.ResourceArn, caller);
    if (reference instanceof DynamoError) return reference;
    if (input.TagKeys.length === 0)
      return validationError('Atleast one Tag Key needs to be provided as Input.');
    for (const key of input.TagKeys) {
      const wrong = tagKeyError(key);
      if (wrong !== undefined) return wrong;
    }
    const forbidden = road.passControl(reference.tableName, reference.scope.account);
    if (forbidden !== undefined) return forbidden;
    const changed = changeTags(engine, reference, input.ResourceArn, (tags) =>
      Object.fromEntries(Object.entries(tags).filter(([key]) => !input.TagKeys.includes(key))),
    );
    return whenDone(changed, (result) => (result instanceof DynamoError ? result : emptyBody));
  },
);
