import { DynamoError, invalidParameter, validationError } from '../model/errors.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import type { AttributeValue } from '../model/values/attribute-value.ts';
import { checkAttributeName } from '../model/values/read-attribute-value.ts';
import { wellFormed } from '../model/values/utf8.ts';
import type { KeyClause } from './key-clauses.ts';
import { type ComparisonOperator, readOperands } from './legacy-operators.ts';
import type { Comparator, Condition, PathOperand, ValueOperand } from './tree.ts';

/** A condition of QueryFilter, ScanFilter or KeyConditions; the operator is required by the shape. */
export interface LegacyCondition {
  readonly ComparisonOperator?: ComparisonOperator | undefined;
  readonly AttributeValueList?: readonly unknown[] | undefined;
}

/** A condition of Expected, in either of its two forms. */
export interface LegacyExpectation extends LegacyCondition {
  readonly Value?: unknown;
  readonly Exists?: boolean | undefined;
}

/** Keys are the client's own names: read them with `Object.keys`. */
type ByAttribute<T> = Readonly<Record<string, T>>;

/**
 * ConditionalOperator needs at least two conditions to combine. The service makes this check right after that of
 * mixing, before it looks at the conditions themselves (observed: ExtendDB's tests, 2026).
 */
export function checkConditionalOperator(
  operator: string | undefined,
  conditions: ByAttribute<unknown> | undefined,
): DynamoError | undefined {
  if (operator === undefined) return undefined;
  const count = Object.keys(conditions ?? {}).length;
  if (count > 1) return undefined;
  return validationError(
    count === 0
      ? 'ConditionalOperator cannot be used without Filter or Expected'
      : 'ConditionalOperator can only be used when Filter or Expected has two or more elements',
  );
}

/** Expected as a condition; undefined when it asks for nothing. */
export function expectedCondition(
  expected: ByAttribute<LegacyExpectation> | undefined,
  operator: 'AND' | 'OR' | undefined,
  layer: ValidationLayer,
): Condition | DynamoError | undefined {
  return combined(expected, operator, (name, expectation) => {
    const wrong = checkForm(name, expectation);
    if (wrong !== undefined) return wrong;
    const { ComparisonOperator, AttributeValueList, Exists, Value } = expectation;
    if (ComparisonOperator !== undefined) {
      const sent = AttributeValueList ?? (Value === undefined ? [] : [Value]);
      return translated(name, ComparisonOperator, sent, layer);
    }
    if (Exists === false) return { kind: 'attribute_not_exists', path: [name] };
    return translated(name, 'EQ', [Value], layer);
  });
}

/** QueryFilter or ScanFilter as a condition; undefined when it asks for nothing. */
export function filterCondition(
  filter: ByAttribute<LegacyCondition> | undefined,
  operator: 'AND' | 'OR' | undefined,
  layer: ValidationLayer,
): Condition | DynamoError | undefined {
  return combined(filter, operator, (name, { ComparisonOperator, AttributeValueList }) =>
    translated(name, ComparisonOperator!, AttributeValueList ?? [], layer),
  );
}

/** KeyConditions as the clauses of a key condition. */
export function keyConditionClauses(
  conditions: ByAttribute<LegacyCondition>,
  layer: ValidationLayer,
): readonly KeyClause[] | DynamoError {
  const clauses: KeyClause[] = [];
  for (const sent of Object.keys(conditions)) {
    const { ComparisonOperator: operator, AttributeValueList } = conditions[sent]!;
    const values = readOperands(operator!, AttributeValueList ?? [], layer);
    if (values instanceof DynamoError) return values;
    clauses.push({ name: wellFormed(sent), operator: keyOperators[operator!] ?? 'not indexable', values });
  }
  return clauses;
}

const comparators: Readonly<Partial<Record<ComparisonOperator, Exclude<Comparator, '<>'>>>> = {
  EQ: '=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
};

const keyOperators: Readonly<Partial<Record<ComparisonOperator, KeyClause['operator']>>> = {
  ...comparators,
  BETWEEN: 'BETWEEN',
  BEGINS_WITH: 'begins_with',
};

function combined<T>(
  conditions: ByAttribute<T> | undefined,
  operator: 'AND' | 'OR' | undefined,
  translate: (name: string, condition: T) => Condition | DynamoError,
): Condition | DynamoError | undefined {
  if (conditions === undefined) return undefined;
  const parts: Condition[] = [];
  for (const sent of Object.keys(conditions)) {
    const name = wellFormed(sent);
    const part = checkAttributeName(name) ?? translate(name, conditions[sent]!);
    if (part instanceof DynamoError) return part;
    parts.push(part);
  }
  if (parts.length < 2) return parts[0];
  return { kind: operator === 'OR' ? 'or' : 'and', conditions: parts };
}

/** Which members of an expectation go together. */
function checkForm(name: string, expectation: LegacyExpectation): DynamoError | undefined {
  const { Value, Exists, ComparisonOperator: operator, AttributeValueList } = expectation;
  const wrong = (text: string) => invalidParameter(`${text} for Attribute: ${name}`);
  if (Value !== undefined && AttributeValueList !== undefined) {
    return wrong('Value and AttributeValueList cannot be used together');
  }
  if (operator === undefined) {
    if (AttributeValueList !== undefined) {
      return wrong('AttributeValueList can only be used with a ComparisonOperator');
    }
    if (Exists === false) {
      return Value === undefined ? undefined : wrong('Value cannot be used when Exists is false');
    }
    return Value === undefined
      ? wrong(`Value must be provided when Exists is ${Exists === undefined ? 'null' : 'true'}`)
      : undefined;
  }
  if (Exists !== undefined) return wrong('Exists and ComparisonOperator cannot be used together');
  const needsValues = operator !== 'NULL' && operator !== 'NOT_NULL';
  return needsValues && Value === undefined && AttributeValueList === undefined
    ? wrong(`Value or AttributeValueList must be used with ComparisonOperator: ${operator}`)
    : undefined;
}

function translated(
  name: string,
  operator: ComparisonOperator,
  sent: readonly unknown[],
  layer: ValidationLayer,
): Condition | DynamoError {
  const values = readOperands(operator, sent, layer);
  return values instanceof DynamoError
    ? values
    : conditionOf({ kind: 'path', path: [name] }, operator, values);
}

function conditionOf(
  attribute: PathOperand,
  operator: ComparisonOperator,
  values: readonly AttributeValue[],
): Condition {
  const { path } = attribute;
  const [first, second] = values.map((value): ValueOperand => ({ kind: 'value', value })) as [
    ValueOperand,
    ValueOperand,
  ];
  switch (operator) {
    case 'NULL':
      return { kind: 'attribute_not_exists', path };
    case 'NOT_NULL':
      return { kind: 'attribute_exists', path };
    case 'NE':
      return { kind: 'compare', comparator: '<>', left: attribute, right: first };
    case 'IN':
      return { kind: 'in', operand: attribute, list: values.map((value) => ({ kind: 'value', value })) };
    case 'BETWEEN':
      return { kind: 'between', operand: attribute, low: first, high: second };
    case 'BEGINS_WITH':
      return { kind: 'begins_with', operand: attribute, prefix: first };
    case 'CONTAINS':
      return { kind: 'contains', container: attribute, element: first };
    case 'NOT_CONTAINS':
      // An attribute that is missing does not meet it (observed: Alternator's tests).
      return {
        kind: 'and',
        conditions: [
          { kind: 'attribute_exists', path },
          { kind: 'not', condition: { kind: 'contains', container: attribute, element: first } },
        ],
      };
    default:
      return { kind: 'compare', comparator: comparators[operator]!, left: attribute, right: first };
  }
}
