import { DynamoError } from '../model/errors.ts';
import { checkKey } from '../model/key-checks.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { itemJson } from '../model/stored-item.ts';
import { consumedCapacity } from './consumed-capacity.ts';
import { itemAnswer } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { operation } from './operation.ts';
import { returnsOldOnly } from './request-checks.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ConditionInput, WireAttributeMap } from './shapes/item-input.ts';
import {
  attributeMap,
  conditionalOperator,
  expected,
  expressionNames,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValues,
  returnValuesOnConditionCheckFailure,
  tableName,
} from './shapes/item-shapes.ts';
import { required, string } from './shapes/shape.ts';
import { tableReference } from './table-reference.ts';
import { conditionError, lookingAt, readWriteRequest, showsItem } from './write-request.ts';

export interface DeleteItemInput extends ConditionInput {
  readonly TableName: string;
  readonly Key: WireAttributeMap;
}

/** The capture `o_del_two_bad_enums` has `returnConsumedCapacity` first; the rest follows PutItem. */
export const deleteItemShape = inputShape<DeleteItemInput>('DeleteItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnValues: returnValues,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  ConditionalOperator: conditionalOperator,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
  TableName: required(tableName),
  Key: required(attributeMap),
  Expected: expected,
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
});

export const deleteItem = operation(deleteItemShape, (road, input) => {
  const { engine, caller } = road;
  const asked = readWriteRequest(engine, 'DeleteItem', input, input.Key, (_, layer) =>
    returnsOldOnly('DeleteItem', input.ReturnValues, layer),
  );
  if (asked instanceof DynamoError) return asked;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { item: key, condition } = asked;
  const written = engine.writeItem(
    road,
    reference,
    ({ schema }) =>
      checkKey(schema, key) ?? {
        key,
        ...lookingAt(showsItem(input), condition),
        next: (before) => conditionError(condition, before, showsItem(input)) ?? { item: undefined },
      },
  );
  return whenDone(written, (outcome) => {
    if (outcome instanceof DynamoError) return outcome;
    const old = input.ReturnValues === 'ALL_OLD' ? outcome.storedBefore : undefined;
    return itemAnswer('Attributes', old && itemJson(old), {
      ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.consumed),
      ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, key),
    });
  });
});
