import {
  attributeMap,
  attributesToGet,
  comparisonOperator,
  conditionalOperator,
  expressionNames,
  name,
  returnConsumedCapacity,
  tableName,
} from './item-shapes.ts';
import {
  attributeValue,
  boolean,
  integer,
  list,
  map,
  oneOf,
  required,
  type StructureShape,
  string,
  structure,
} from './shape.ts';
import type { InputValue } from './shape-types.ts';

/** Members that the inputs of Query and Scan share. */

const condition = structure('Condition', {
  AttributeValueList: list(attributeValue),
  ComparisonOperator: required(comparisonOperator),
});
export interface Condition extends InputValue<typeof condition> {}

export const legacyConditions = map(condition);
export type LegacyConditions = InputValue<typeof legacyConditions>;

const select = oneOf('SPECIFIC_ATTRIBUTES', 'COUNT', 'ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES');
export type Select = InputValue<typeof select>;

export const readMembers = {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: required(tableName),
  IndexName: name,
  Select: select,
  AttributesToGet: attributesToGet,
  Limit: integer({ min: 1 }),
  ConsistentRead: boolean,
  ConditionalOperator: conditionalOperator,
  ExclusiveStartKey: attributeMap,
  ProjectionExpression: string(),
  FilterExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
};

export interface ReadInput extends InputValue<StructureShape<typeof readMembers>> {}
