import { inputShape } from './input-shape.ts';
import {
  attributeMap,
  expressionNames,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValues,
  returnValuesOnConditionCheckFailure,
  tableName,
} from './item-shapes.ts';
import { list, required, string, structure } from './shape.ts';

/** Shapes of operations that are not built yet, to show that the language can say them. */

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
