import { DynamoError } from '../model/errors.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';
import { string } from './shapes/shape.ts';
import { resourceArn } from './shapes/tag-shapes.ts';
import { taggedNotFound, taggedTable } from './tagged-table.ts';

export interface ListTagsOfResourceInput {
  readonly ResourceArn: string;
  readonly NextToken?: string;
}

export const listTagsOfResourceShape = inputShape<ListTagsOfResourceInput>('ListTagsOfResource', {
  ResourceArn: resourceArn,
  NextToken: string(),
});

/** All tags fit on one page, so that there never is a next one. */
export const listTagsOfResource = operation(listTagsOfResourceShape, (road, input) => {
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
});
