import { inputShape } from './input-shape.ts';
import {
  attributeMap,
  attributesToGet,
  conditionalOperator,
  expressionNames,
  name,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValues,
  returnValuesOnConditionCheckFailure,
  tableName,
} from './item-shapes.ts';
import { boolean, integer, list, map, required, string, structure } from './shape.ts';

/** Shapes of operations that are not built yet, to show that the language can say them. */

export const batchWriteItemShape = inputShape<object>('BatchWriteItem', {
  RequestItems: required(
    map(
      list(
        structure('WriteRequest', {
          PutRequest: structure('PutRequest', { Item: required(attributeMap) }, ['workloadProfileName']),
          DeleteRequest: structure('DeleteRequest', { Key: required(attributeMap) }),
        }),
        { min: 1, max: 25 },
      ),
      { min: 1, max: 25, keys: name },
    ),
    { ifEmpty: 'The requestItems parameter is required for BatchWriteItem' },
  ),
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
});

export const batchGetItemShape = inputShape<object>('BatchGetItem', {
  RequestItems: required(
    map(
      structure('KeysAndAttributes', {
        Keys: required(list(attributeMap, { min: 1, max: 100 })),
        AttributesToGet: attributesToGet,
        ConsistentRead: boolean,
        ProjectionExpression: string(),
        ExpressionAttributeNames: expressionNames,
      }),
      { min: 1, max: 100 },
    ),
  ),
  ReturnConsumedCapacity: returnConsumedCapacity,
});

const condition = {
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
};

export const transactWriteItemsShape = inputShape<object>('TransactWriteItems', {
  ClientRequestToken: string({ min: 1, max: 36 }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  TransactItems: required(
    list(
      structure('TransactWriteItem', {
        ConditionCheck: structure('ConditionCheck', {
          ...condition,
          Key: required(attributeMap),
          TableName: required(tableName),
          ConditionExpression: required(string()),
        }),
        Put: structure('Put', { ...condition, Item: required(attributeMap), TableName: required(tableName) }),
        Delete: structure('Delete', {
          ...condition,
          Key: required(attributeMap),
          TableName: required(tableName),
        }),
        Update: structure('Update', {
          ...condition,
          Key: required(attributeMap),
          UpdateExpression: required(string()),
          TableName: required(tableName),
        }),
      }),
      { min: 1, max: 100 },
    ),
  ),
});

export const updateItemShape = inputShape<object>('UpdateItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  TableName: required(tableName),
  ReturnValues: returnValues,
  Key: required(attributeMap),
  ...condition,
});

export const queryShape = inputShape<object>('Query', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: required(tableName),
  Limit: integer({ min: 1 }),
  ConditionalOperator: conditionalOperator,
});

export const scanShape = inputShape<object>('Scan', {
  TableName: required(tableName),
  Limit: integer({ min: 1 }),
});
