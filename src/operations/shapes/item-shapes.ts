import { tableLimits } from '../../model/limits.ts';
import { attributeValue, boolean, list, map, oneOf, type StringShape, string, structure } from './shape.ts';

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
export const returnItemCollectionMetrics = oneOf('SIZE', 'NONE');
export const returnValuesOnConditionCheckFailure = oneOf('ALL_OLD', 'NONE');

/** `UPDATE_NEW` and `ALL` are the service's own slips (newer layer, June to October 2026). */
export const returnValues: StringShape = {
  ...oneOf('ALL_NEW', 'UPDATED_OLD', 'ALL_OLD', 'NONE', 'UPDATED_NEW'),
  newerValues: 'ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE',
};
export const conditionalOperator: StringShape = { ...oneOf('OR', 'AND'), newerValues: 'ALL, OR' };

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

/** The conditions of the days before expressions. */
export const expected = map(
  structure('ExpectedAttributeValue', {
    AttributeValueList: list(attributeValue),
    ComparisonOperator: comparisonOperator,
    Exists: boolean,
    Value: attributeValue,
  }),
);

/** The updates of the days before expressions. */
export const attributeUpdates = map(
  structure('AttributeValueUpdate', { Value: attributeValue, Action: oneOf('ADD', 'PUT', 'DELETE') }),
);
