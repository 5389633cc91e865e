import type { ComparisonOperator } from '../../expressions/legacy-operators.ts';

export type { ComparisonOperator };

/**
 * The parts of item operations' inputs that have passed the check of JSON types and model constraints, and nothing
 * else: an AttributeValue here may still be empty, have two datatypes or hold a number that is none.
 */
export interface WireAttributeValue {
  readonly S?: string;
  readonly N?: string;
  /** Canonical base64. */
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly WireAttributeValue[];
  readonly M?: WireAttributeMap;
}

/** Names are the client's own, `__proto__` among them: look them up with `Object.hasOwn`. */
export type WireAttributeMap = Readonly<Record<string, WireAttributeValue>>;

export type ReturnConsumedCapacity = 'INDEXES' | 'TOTAL' | 'NONE';
export type ReturnItemCollectionMetrics = 'SIZE' | 'NONE';
export type ReturnValues = 'ALL_NEW' | 'UPDATED_OLD' | 'ALL_OLD' | 'NONE' | 'UPDATED_NEW';
export type ReturnValuesOnConditionCheckFailure = 'ALL_OLD' | 'NONE';
export type ConditionalOperator = 'AND' | 'OR';

export interface ExpectedAttributeValue {
  readonly Value?: WireAttributeValue;
  readonly Exists?: boolean;
  readonly ComparisonOperator?: ComparisonOperator;
  readonly AttributeValueList?: readonly WireAttributeValue[];
}

/** What a conditional write may carry. */
export interface ConditionInput {
  readonly Expected?: Readonly<Record<string, ExpectedAttributeValue>>;
  readonly ConditionalOperator?: ConditionalOperator;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: WireAttributeMap;
  readonly ReturnValues?: ReturnValues;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics;
  readonly ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure;
}
