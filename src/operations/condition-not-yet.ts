import type { DynamoError } from '../model/errors.ts';
import type { TableSchema } from '../model/table-schema.ts';
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

/** Only tables with local indexes have item-collection metrics, and those come with the indexes. */
export function collectionMetricsNotYet(input: ConditionInput, schema: TableSchema): DynamoError | undefined {
  const asked = input.ReturnItemCollectionMetrics === 'SIZE' && schema.localIndexes.length > 0;
  return asked ? refuseNotYet(input, 'ReturnItemCollectionMetrics') : undefined;
}
