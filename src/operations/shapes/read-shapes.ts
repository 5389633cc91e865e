import type {
  ComparisonOperator,
  ConditionalOperator,
  ReturnConsumedCapacity,
  WireAttributeMap,
  WireAttributeValue,
} from './item-input.ts';
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
import { attributeValue, boolean, integer, list, map, oneOf, required, string, structure } from './shape.ts';

/** What Query and Scan share of their inputs. */

export type Select = 'SPECIFIC_ATTRIBUTES' | 'COUNT' | 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES';

export interface LegacyConditionInput {
  readonly ComparisonOperator: ComparisonOperator;
  readonly AttributeValueList?: readonly WireAttributeValue[];
}

export type LegacyConditions = Readonly<Record<string, LegacyConditionInput>>;

export interface ReadInput {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Select?: Select;
  readonly AttributesToGet?: readonly string[];
  readonly Limit?: number;
  readonly ConsistentRead?: boolean;
  readonly ConditionalOperator?: ConditionalOperator;
  readonly ExclusiveStartKey?: WireAttributeMap;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ProjectionExpression?: string;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: WireAttributeMap;
}

export const legacyConditions = map(
  structure('Condition', {
    AttributeValueList: list(attributeValue),
    ComparisonOperator: required(comparisonOperator),
  }),
);

export const readMembers = {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: required(tableName),
  IndexName: name,
  Select: oneOf('SPECIFIC_ATTRIBUTES', 'COUNT', 'ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES'),
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
