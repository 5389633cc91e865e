import { DynamoError, validationError } from '../model/errors.ts';
import { itemSize } from '../model/item-size.ts';
import { checkIndexKeys, checkItemKey } from '../model/key-checks.ts';
import { itemLimits } from '../model/limits.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { itemJson } from '../model/stored-item.ts';
import { writeCapacity } from './consumed-capacity.ts';
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
import { conditionError, readWriteRequest } from './write-request.ts';

export interface PutItemInput extends ConditionInput {
  readonly TableName: string;
  readonly Item: WireAttributeMap;
}

/**
 * The order of enums is that of the capture `o_put_three_bad_enums` (September 2026); that `returnValues` comes
 * before `tableName` is what the Regions of the older layer still said in October 2026.
 */
export const putItemShape = inputShape<PutItemInput>('PutItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnValues: returnValues,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  ConditionalOperator: conditionalOperator,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
  TableName: required(tableName),
  Item: required(attributeMap),
  Expected: expected,
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
});

export const putItem = operation(putItemShape, (engine, input, caller) => {
  let bytes = 0;
  const request = readWriteRequest(engine, 'PutItem', input, input.Item, (sent) => {
    bytes = itemSize(sent);
    return returnsOldOnly('PutItem', input.ReturnValues) ?? sizeError(bytes);
  });
  if (request instanceof DynamoError) return request;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { item, condition } = request;
  const written = engine.writeItem(
    reference.scope,
    reference.tableName,
    ({ schema }) =>
      checkItemKey(schema, item) ??
      checkIndexKeys(schema, item, 'put') ?? {
        key: item,
        isBlind: condition === undefined,
        next: (before) => conditionError(condition, before, input) ?? { item, bytes },
      },
  );
  return whenDone(written, (outcome) => {
    if (outcome instanceof DynamoError) return outcome;
    const old = input.ReturnValues === 'ALL_OLD' ? outcome.storedBefore : undefined;
    return itemAnswer('Attributes', old && itemJson(old), {
      ConsumedCapacity: writeCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.capacity),
      ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, item),
    });
  });
});

function sizeError(bytes: number): DynamoError | undefined {
  return bytes > itemLimits.itemBytesMax
    ? validationError('Item size has exceeded the maximum allowed size')
    : undefined;
}
