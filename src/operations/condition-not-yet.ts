import type { DynamoError } from '../model/errors.ts';
import { refuseNotYet } from './not-yet.ts';
import type { ConditionInput } from './shapes/item-input.ts';

/** Conditions come with the expression language. */
export function conditionNotYet(input: ConditionInput): DynamoError | undefined {
  return refuseNotYet(
    input,
    'Expected',
    'ConditionalOperator',
    'ConditionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
  );
}
