import { taggedNotFound } from '../../engine/control/tags.ts';
import { DynamoError } from '../../model/errors.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { onArn } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';

import { list, required, string, structure } from '../shapes/shape.ts';
import { resourceArn } from '../shapes/tag-shapes.ts';
import { taggedTable } from './tagged-table.ts';

const listTagsOfResourceShape = inputShape('ListTagsOfResource', {
  ResourceArn: resourceArn,
  NextToken: string(),
});
export interface ListTagsOfResourceInput extends InputOf<typeof listTagsOfResourceShape> {}

const listTagsOfResourceOutput = outputShape({
  Tags: required(list(structure('Tag', { Key: required(string()), Value: required(string()) }))),
  NextToken: string(),
});
export interface ListTagsOfResourceOutput extends OutputOf<typeof listTagsOfResourceOutput> {}

/** All tags fit on one page, so that there never is a next one. */
export const listTagsOfResource = operation<ListTagsOfResourceInput, ListTagsOfResourceOutput>(
  listTagsOfResourceShape,
  listTagsOfResourceOutput,
  ({ ResourceArn }, road) => onArn(road, ResourceArn),
  (road, input) => {
    const { engine, caller } = road;
    const reference = taggedTable(input.ResourceArn, caller);
    if (reference instanceof DynamoError) return reference;
    const forbidden = road.passControl(reference.tableName, reference.scope.account);
    if (forbidden !== undefined) return forbidden;
    return whenDone(engine.catalogue.record(reference.scope, reference.tableName), (record) =>
      record === undefined
        ? taggedNotFound(input.ResourceArn)
        : { Tags: Object.entries(record.tags).map(([Key, Value]) => ({ Key, Value })) },
    );
  },
);
