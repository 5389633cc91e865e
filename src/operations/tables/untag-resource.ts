import { nowMs } from '../../engine/clock.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { onArn } from '../intents.ts';
import { emptyBody, operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';

import { list, required, string } from '../shapes/shape.ts';
import { resourceArn } from '../shapes/tag-shapes.ts';
import { tagKeyError } from './rules/setting-rules.ts';
import { tagsIntervalError } from './rules/short-intervals.ts';
import { isLeaving, taggedNotFound, taggedTable } from './tagged-table.ts';

export const untagResourceShape = inputShape('UntagResource', {
  ResourceArn: resourceArn,
  TagKeys: required(list(string())),
});
export interface UntagResourceInput extends InputOf<typeof untagResourceShape> {}

export const untagResourceOutput = outputShape({});
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
    const now = nowMs(engine.clock);
    const { scope, tableName } = reference;
    const changed = engine.catalogue.change(scope, tableName, (current) => {
      if (current === undefined || isLeaving(current)) return taggedNotFound(input.ResourceArn);
      const isSlow = engine.effectsOf(scope, tableName, current).acts('changeQuotas');
      const busy = isSlow ? tagsIntervalError(current, now) : undefined;
      if (busy !== undefined) return busy;
      const changedAt = isSlow ? { tagsChangedAt: now } : {};
      const left = Object.entries(current.tags).filter(([key]) => !input.TagKeys.includes(key));
      return { put: { ...current, tags: Object.fromEntries(left), ...changedAt } };
    });
    return whenDone(changed, (result) => (result instanceof DynamoError ? result : emptyBody));
  },
);
