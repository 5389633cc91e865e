import { DynamoError, invalidParameter, validationError } from '../model/errors.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import {
  type AttributeType,
  type AttributeValue,
  compareKeyValues,
  isKeyValue,
  typeOf,
} from '../model/values/attribute-value.ts';
import { readAttributeValue } from '../model/values/read-attribute-value.ts';

/** The comparison operators of the days before expressions. */
export type ComparisonOperator =
  | 'EQ'
  | 'NE'
  | 'IN'
  | 'LE'
  | 'LT'
  | 'GE'
  | 'GT'
  | 'BETWEEN'
  | 'NOT_NULL'
  | 'NULL'
  | 'CONTAINS'
  | 'NOT_CONTAINS'
  | 'BEGINS_WITH';

interface OperatorRule {
  readonly valuesMin: number;
  readonly valuesMax: number;
  /** Undefined when all will do. */
  readonly types: readonly AttributeType[] | undefined;
}

const one = { valuesMin: 1, valuesMax: 1 };
const none = { valuesMin: 0, valuesMax: 0, types: undefined };
const scalars: readonly AttributeType[] = ['S', 'N', 'B'];

/**
 * EQ and NE take documents too (documented: API Reference, Condition); the tests of older days knew scalars and sets
 * only.
 */
const rules: Readonly<Record<ComparisonOperator, OperatorRule>> = {
  EQ: { ...one, types: undefined },
  NE: { ...one, types: undefined },
  LE: { ...one, types: scalars },
  LT: { ...one, types: scalars },
  GE: { ...one, types: scalars },
  GT: { ...one, types: scalars },
  CONTAINS: { ...one, types: scalars },
  NOT_CONTAINS: { ...one, types: scalars },
  BEGINS_WITH: { ...one, types: ['S', 'B'] },
  IN: { valuesMin: 1, valuesMax: Number.POSITIVE_INFINITY, types: scalars },
  BETWEEN: { valuesMin: 2, valuesMax: 2, types: scalars },
  NULL: none,
  NOT_NULL: none,
};

/** The values of an operator, or what is wrong with them. */
export function readOperands(
  operator: ComparisonOperator,
  sent: readonly unknown[],
  layer: ValidationLayer,
): readonly AttributeValue[] | DynamoError {
  const values: AttributeValue[] = [];
  for (const json of sent) {
    const value = readAttributeValue(json, layer);
    if (value instanceof DynamoError) return value;
    values.push(value);
  }
  const { valuesMin, valuesMax, types } = rules[operator];
  if (values.length < valuesMin || values.length > valuesMax) {
    return invalidParameter(`Invalid number of argument(s) for the ${operator} ComparisonOperator`);
  }
  const [first] = values;
  if (first === undefined) return values;
  const type = typeOf(first);
  if (values.some((value) => typeOf(value) !== type)) {
    return invalidParameter('AttributeValues inside AttributeValueList must be of same type');
  }
  if (types !== undefined && !types.includes(type)) {
    return invalidParameter(`ComparisonOperator ${operator} is not valid for ${type} AttributeValue type`);
  }
  return operator === 'BETWEEN' && isReversed(first, values[1]!) ? reversedBounds() : values;
}

function isReversed(low: AttributeValue, high: AttributeValue): boolean {
  return isKeyValue(low) && isKeyValue(high) && (compareKeyValues(low, high) ?? 0) > 0;
}

function reversedBounds(): DynamoError {
  return validationError(
    'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
  );
}
