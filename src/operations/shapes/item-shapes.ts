import { tableLimits } from '../../model/limits.ts';
import {
  attributeValue,
  boolean,
  list,
  map,
  oneOf,
  type StructureShape,
  string,
  structure,
} from './shape.ts';
import type { InputValue } from './shape-types.ts';

/** Shapes that the item operations share. */

const nameText = '[a-zA-Z0-9_.-]+';

/** Names of tables given to be created or listed, and of indexes. */
export const name = string({
  min: tableLimits.tableNameLengthMin,
  max: tableLimits.tableNameLengthMax,
  pattern: { matches: /^[a-zA-Z0-9_.-]+$/, text: nameText },
});

/**
 * The table of an item operation, by name or ARN. Its name may be a single character, and an empty one breaks the
 * length only: the rules of names are applied after the model's own minimum of one.
 */
export const tableName = string({
  min: 1,
  max: tableLimits.tableNameLengthMax,
  pattern: { matches: /^[a-zA-Z0-9_.-]*$/, text: nameText },
  orArn: true,
});

export const attributeMap = map(attributeValue);
export const expressionNames = map(string());
export const attributesToGet = list(string(), { min: 1 });

export const returnConsumedCapacity = oneOf('INDEXES', 'TOTAL', 'NONE');
export type ReturnConsumedCapacity = InputValue<typeof returnConsumedCapacity>;

export const returnItemCollectionMetrics = oneOf('SIZE', 'NONE');
export type ReturnItemCollectionMetrics = InputValue<typeof returnItemCollectionMetrics>;

export const returnValuesOnConditionCheckFailure = oneOf('ALL_OLD', 'NONE');
export type ReturnValuesOnConditionCheckFailure = InputValue<typeof returnValuesOnConditionCheckFailure>;

/**
 * `UPDATE_NEW` and `ALL` are the service's own slips (observed: public captures, newer layer, June to October 2026).
 */
export const returnValues = {
  ...oneOf('ALL_NEW', 'UPDATED_OLD', 'ALL_OLD', 'NONE', 'UPDATED_NEW'),
  newerValues: 'ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE',
};
export type ReturnValues = InputValue<typeof returnValues>;

export const conditionalOperator = { ...oneOf('OR', 'AND'), newerValues: 'ALL, OR' };

export const comparisonOperator = oneOf(
  'IN',
  'NULL',
  'BETWEEN',
  'LT',
  'NOT_CONTAINS',
  'EQ',
  'GT',
  'NOT_NULL',
  'NE',
  'LE',
  'BEGINS_WITH',
  'GE',
  'CONTAINS',
);

/** One of the conditions of the days before expressions. */
const expectedAttributeValue = structure('ExpectedAttributeValue', {
  AttributeValueList: list(attributeValue),
  ComparisonOperator: comparisonOperator,
  Exists: boolean,
  Value: attributeValue,
});
export interface ExpectedAttributeValue extends InputValue<typeof expectedAttributeValue> {}

/** One of the updates of the days before expressions. */
const attributeValueUpdate = structure('AttributeValueUpdate', {
  Value: attributeValue,
  Action: oneOf('ADD', 'PUT', 'DELETE'),
});
export interface AttributeValueUpdate extends InputValue<typeof attributeValueUpdate> {}

/** What PutItem and DeleteItem report before all else, in this order. */
export const returnMembers = {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnValues: returnValues,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  ConditionalOperator: conditionalOperator,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
};

/** The two ways to set a condition. */
export const conditionMembers = {
  Expected: map(expectedAttributeValue),
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
};

/** The two ways to describe an update. */
export const updateMembers = { AttributeUpdates: map(attributeValueUpdate), UpdateExpression: string() };

/** The part of an input that PutItem, UpdateItem and DeleteItem share. */
export interface WriteInput
  extends InputValue<StructureShape<typeof returnMembers & typeof conditionMembers & typeof updateMembers>> {}
