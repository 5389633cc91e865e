import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import type { Item } from '../model/values/attribute-value.ts';
import { applyUpdate } from './apply-update.ts';
import { item, shown } from './cases.fixture.ts';
import { meetsCondition } from './evaluate-condition.ts';
import { keyCondition } from './key-condition.ts';
import {
  checkConditionalOperator,
  expectedCondition,
  filterCondition,
  keyConditionClauses,
  type LegacyCondition,
  type LegacyExpectation,
} from './legacy-conditions.ts';
import { attributesToGet } from './legacy-projection.ts';
import { attributeUpdates, type LegacyUpdate } from './legacy-updates.ts';
import { checkMixing } from './mixing.ts';
import { projectItem } from './project.ts';
import type { Condition } from './tree.ts';

const S = (S: string) => ({ S });
const N = (N: string) => ({ N });
const invalid = 'One or more parameter values were invalid: ';

function outcome(condition: Condition | DynamoError | undefined, thing: Item): string | boolean {
  if (condition instanceof DynamoError) return condition.message!;
  return condition === undefined || meetsCondition(condition, thing);
}

describe('a legacy filter', () => {
  const thing = item({
    s: S('hello'),
    n: N('5'),
    ss: { SS: ['x', 'y'] },
    l: { L: [N('1')] },
    m: { M: { a: N('1') } },
    nil: { NULL: true },
  });
  const filter = (name: string, operator: LegacyCondition['ComparisonOperator'], ...values: unknown[]) =>
    outcome(
      filterCondition(
        { [name]: { ComparisonOperator: operator, AttributeValueList: values } },
        undefined,
        'older',
      ),
      thing,
    );

  it.each<readonly [string, LegacyCondition['ComparisonOperator'], readonly unknown[], boolean | string]>([
    ['s', 'EQ', [S('hello')], true],
    ['s', 'EQ', [S('x')], false],
    ['m', 'EQ', [{ M: { a: N('1') } }], true],
    ['nope', 'EQ', [S('x')], false],
    ['s', 'NE', [S('x')], true],
    ['nope', 'NE', [S('x')], true],
    ['n', 'LT', [N('6')], true],
    ['n', 'LE', [N('5')], true],
    ['n', 'GT', [N('4')], true],
    ['n', 'GE', [N('6')], false],
    ['n', 'LT', [S('9')], false],
    ['n', 'BETWEEN', [N('4'), N('5')], true],
    ['n', 'IN', [N('4'), N('5')], true],
    ['s', 'BEGINS_WITH', [S('he')], true],
    ['s', 'CONTAINS', [S('ell')], true],
    ['ss', 'CONTAINS', [S('x')], true],
    ['l', 'CONTAINS', [N('1')], true],
    ['s', 'NOT_CONTAINS', [S('x')], true],
    ['s', 'NOT_CONTAINS', [S('ell')], false],
    ['n', 'NOT_CONTAINS', [S('x')], true],
    ['nope', 'NOT_CONTAINS', [S('x')], false],
    ['nope', 'NULL', [], true],
    ['nil', 'NULL', [], false],
    ['nil', 'NOT_NULL', [], true],
    ['s', 'EQ', [], `${invalid}Invalid number of argument(s) for the EQ ComparisonOperator`],
    ['s', 'BETWEEN', [N('1')], `${invalid}Invalid number of argument(s) for the BETWEEN ComparisonOperator`],
    ['s', 'IN', [], `${invalid}Invalid number of argument(s) for the IN ComparisonOperator`],
    ['s', 'NULL', [S('x')], `${invalid}Invalid number of argument(s) for the NULL ComparisonOperator`],
    ['s', 'IN', [S('x'), N('1')], `${invalid}AttributeValues inside AttributeValueList must be of same type`],
    [
      's',
      'BEGINS_WITH',
      [N('1')],
      `${invalid}ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type`,
    ],
    [
      's',
      'LT',
      [{ BOOL: true }],
      `${invalid}ComparisonOperator LT is not valid for BOOL AttributeValue type`,
    ],
    [
      's',
      'CONTAINS',
      [{ SS: ['x'] }],
      `${invalid}ComparisonOperator CONTAINS is not valid for SS AttributeValue type`,
    ],
    [
      'n',
      'BETWEEN',
      [N('5'), N('4')],
      'The BETWEEN condition was provided a range where the lower bound is greater than the upper bound',
    ],
    ['n', 'EQ', [N('x')], 'The parameter cannot be converted to a numeric value: x'],
    // Of several faults, values come first, then their number, then their types.
    ['n', 'EQ', [N('x'), S('y')], 'The parameter cannot be converted to a numeric value: x'],
    ['n', 'EQ', [N('1'), S('y')], `${invalid}Invalid number of argument(s) for the EQ ComparisonOperator`],
    [
      'n',
      'BETWEEN',
      [{ BOOL: true }, S('y')],
      `${invalid}AttributeValues inside AttributeValueList must be of same type`,
    ],
  ])('%s %s %j', (name, operator, values, expected) => {
    expect(filter(name, operator, ...values)).toBe(expected);
  });

  it('joins its conditions by AND, or by OR when asked', () => {
    const both = {
      s: { ComparisonOperator: 'EQ' as const, AttributeValueList: [S('hello')] },
      n: { ComparisonOperator: 'EQ' as const, AttributeValueList: [N('6')] },
    };
    expect(outcome(filterCondition(both, undefined, 'older'), thing)).toBe(false);
    expect(outcome(filterCondition(both, 'AND', 'older'), thing)).toBe(false);
    expect(outcome(filterCondition(both, 'OR', 'older'), thing)).toBe(true);
    expect(filterCondition({}, undefined, 'older')).toBeUndefined();
  });

  it('takes names as they are', () => {
    const odd = JSON.parse('{"__proto__":{"ComparisonOperator":"NULL"}}');
    expect(filterCondition(odd, undefined, 'older')).toEqual({
      kind: 'attribute_not_exists',
      path: ['__proto__'],
    });
  });
});

describe('Expected', () => {
  const thing = item({ a: S('x'), n: N('5') });

  it.each<readonly [Readonly<Record<string, LegacyExpectation>>, boolean | string]>([
    [{ a: { Value: S('x') } }, true],
    [{ a: { Value: S('y') } }, false],
    [{ a: { Exists: true, Value: S('x') } }, true],
    [{ a: { Exists: false } }, false],
    [{ b: { Exists: false } }, true],
    [{ n: { ComparisonOperator: 'LT', Value: N('6') } }, true],
    [{ n: { ComparisonOperator: 'BETWEEN', AttributeValueList: [N('1'), N('4')] } }, false],
    [{ b: { ComparisonOperator: 'NULL' } }, true],
    [{ b: { ComparisonOperator: 'NOT_NULL' } }, false],
    [{}, true],
    [{ a: {} }, `${invalid}Value must be provided when Exists is null for Attribute: a`],
    [{ a: { Exists: true } }, `${invalid}Value must be provided when Exists is true for Attribute: a`],
    [
      { a: { Exists: false, Value: S('x') } },
      `${invalid}Value cannot be used when Exists is false for Attribute: a`,
    ],
    [
      { a: { Value: S('x'), AttributeValueList: [] } },
      `${invalid}Value and AttributeValueList cannot be used together for Attribute: a`,
    ],
    [
      { a: { Exists: true, ComparisonOperator: 'EQ' } },
      `${invalid}Exists and ComparisonOperator cannot be used together for Attribute: a`,
    ],
    [
      { a: { ComparisonOperator: 'LT' } },
      `${invalid}Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a`,
    ],
    [
      { a: { AttributeValueList: [S('x')] } },
      `${invalid}AttributeValueList can only be used with a ComparisonOperator for Attribute: a`,
    ],
    [
      { a: { ComparisonOperator: 'BETWEEN', Value: N('1') } },
      `${invalid}Invalid number of argument(s) for the BETWEEN ComparisonOperator`,
    ],
    [
      { a: { ComparisonOperator: 'NULL', Value: N('1') } },
      `${invalid}Invalid number of argument(s) for the NULL ComparisonOperator`,
    ],
    [
      { a: { Value: {} } },
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    ],
  ])('%j', (expected, result) => {
    expect(outcome(expectedCondition(expected, undefined, 'older'), thing)).toBe(result);
  });
});

describe('ConditionalOperator', () => {
  it('needs two conditions', () => {
    const without = 'ConditionalOperator cannot be used without Filter or Expected';
    const more = 'ConditionalOperator can only be used when Filter or Expected has two or more elements';
    expect(checkConditionalOperator('AND', undefined)?.message).toBe(without);
    expect(checkConditionalOperator('OR', {})?.message).toBe(without);
    expect(checkConditionalOperator('OR', { a: {} })?.message).toBe(more);
    expect(checkConditionalOperator('OR', { a: {}, b: {} })).toBeUndefined();
    expect(checkConditionalOperator(undefined, { a: {} })).toBeUndefined();
  });
});

describe('KeyConditions', () => {
  const key = { hash: [{ name: 'pk', type: 'S' as const }], range: [{ name: 'sk', type: 'N' as const }] };
  const query = (conditions: Readonly<Record<string, LegacyCondition>>) => {
    const clauses = keyConditionClauses(conditions, 'older');
    const met = clauses instanceof DynamoError ? clauses : keyCondition(clauses, key);
    return met instanceof DynamoError ? met.message : met;
  };
  const pk: LegacyCondition = { ComparisonOperator: 'EQ', AttributeValueList: [S('k')] };

  it('become a key condition', () => {
    expect(query({ pk })).toEqual({ hash: [S('k')], equal: [], range: undefined });
    const between: LegacyCondition = { ComparisonOperator: 'BETWEEN', AttributeValueList: [N('1'), N('2')] };
    expect(query({ sk: between, pk })).toEqual({
      hash: [S('k')],
      equal: [],
      range: { operator: 'BETWEEN', low: N('1'), high: N('2') },
    });
  });

  it.each<readonly [LegacyCondition['ComparisonOperator'], readonly unknown[]]>([
    ['NULL', []],
    ['NOT_NULL', []],
    ['NE', [N('1')]],
    ['CONTAINS', [N('1')]],
    ['NOT_CONTAINS', [N('1')]],
    ['IN', [N('1')]],
  ])('know no %s', (operator, values) => {
    expect(query({ pk, sk: { ComparisonOperator: operator, AttributeValueList: values } })).toBe(
      'Attempted conditional constraint is not an indexable operation',
    );
  });

  it('are judged like filters and like key conditions', () => {
    expect(query({ pk: { ComparisonOperator: 'EQ' } })).toBe(
      `${invalid}Invalid number of argument(s) for the EQ ComparisonOperator`,
    );
    expect(query({ pk, sk: pk })).toBe(`${invalid}Condition parameter type does not match schema type`);
    expect(query({ pk: { ComparisonOperator: 'GT', AttributeValueList: [S('k')] } })).toBe(
      'Query key condition not supported',
    );
    expect(query({ sk: pk })).toBe('Query condition missed key schema element: pk');
    expect(query({ pk, a: pk, b: pk })).toBe(
      'The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)',
    );
  });
});

describe('AttributeUpdates', () => {
  const key = item({ pk: S('k') });
  const updated = (
    updates: Readonly<Record<string, LegacyUpdate>>,
    before?: Readonly<Record<string, unknown>>,
  ) => {
    const update = attributeUpdates(updates, 'older');
    const result = update instanceof DynamoError ? update : applyUpdate(update, before && item(before), key);
    return result instanceof DynamoError ? result.message : shown(result.item);
  };
  const mismatch = 'Type mismatch for attribute to update';

  it.each<
    readonly [
      Readonly<Record<string, LegacyUpdate>>,
      Readonly<Record<string, unknown>> | undefined,
      Readonly<Record<string, unknown>> | string | undefined,
    ]
  >([
    [{ a: { Value: S('x') } }, undefined, { pk: S('k'), a: S('x') }],
    [{ a: { Value: S('x'), Action: 'PUT' } }, { a: N('1') }, { a: S('x') }],
    [{ a: { Action: 'DELETE' } }, { a: N('1'), b: N('2') }, { b: N('2') }],
    [{ a: { Action: 'DELETE' } }, undefined, undefined],
    [{}, undefined, { pk: S('k') }],
    [{ a: { Value: N('2'), Action: 'ADD' } }, { a: N('1') }, { a: N('3') }],
    [{ a: { Value: N('2'), Action: 'ADD' } }, {}, { a: N('2') }],
    [{ a: { Value: { SS: ['y'] }, Action: 'ADD' } }, { a: { SS: ['x'] } }, { a: { SS: ['x', 'y'] } }],
    [
      { a: { Value: { L: [N('2')] }, Action: 'ADD' } },
      { a: { L: [N('1')] } },
      { a: { L: [N('1'), N('2')] } },
    ],
    [{ a: { Value: { SS: ['x'] }, Action: 'DELETE' } }, { a: { SS: ['x', 'y'] } }, { a: { SS: ['y'] } }],
    [{ a: { Value: { SS: ['x'] }, Action: 'DELETE' } }, { a: { SS: ['x'] } }, {}],
    [{ a: { Value: N('2'), Action: 'ADD' } }, { a: S('1') }, mismatch],
    [{ a: { Value: { SS: ['x'] }, Action: 'DELETE' } }, { a: { NS: ['1'] } }, mismatch],
    [{ a: { Value: { L: [] }, Action: 'ADD' } }, { a: { SS: ['1'] } }, mismatch],
    [{ a: {} }, {}, `${invalid}Only DELETE action is allowed when no attribute value is specified`],
    [
      { a: { Action: 'ADD' } },
      {},
      `${invalid}Only DELETE action is allowed when no attribute value is specified`,
    ],
    [
      { a: { Action: 'DELETE', Value: S('x') } },
      {},
      `${invalid}DELETE action with value is not supported for the type S`,
    ],
    [{ a: { Action: 'ADD', Value: S('x') } }, {}, `${invalid}ADD action is not supported for the type S`],
    [{ a: { Action: 'ADD', Value: { M: {} } } }, {}, `${invalid}ADD action is not supported for the type M`],
    [{ a: { Value: N('x') } }, {}, 'The parameter cannot be converted to a numeric value: x'],
    [{ '': { Value: N('1') } }, {}, 'Empty attribute name'],
    // A dot in a name is part of it.
    [{ 'a.b': { Value: N('1') } }, { a: { M: {} } }, { a: { M: {} }, 'a.b': N('1') }],
  ])('%j of %j', (updates, before, result) => {
    expect(updated(updates, before)).toEqual(result);
  });
});

describe('AttributesToGet', () => {
  it('names whole attributes', () => {
    const projection = attributesToGet(['a.b', 'name', 'nope']);
    if (projection instanceof DynamoError) throw new Error(projection.message);
    const thing = item({ 'a.b': N('1'), a: { M: { b: N('2') } }, name: S('x') });
    expect(shown(projectItem(projection, thing))).toEqual({ 'a.b': N('1'), name: S('x') });
  });

  it('names each once', () => {
    const error = attributesToGet(['a', 'b', 'a']);
    expect(error instanceof DynamoError && error.message).toBe(
      `${invalid}Duplicate value in attribute name: a`,
    );
  });
});

describe('legacy parameters and expressions', () => {
  const text = (legacy: string, expressions: string) =>
    `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${legacy}} Expression parameters: {${expressions}}`;

  it.each([
    [
      'GetItem',
      { AttributesToGet: ['a'], ProjectionExpression: 'a' },
      text('AttributesToGet', 'ProjectionExpression'),
    ],
    [
      'PutItem',
      { ConditionalOperator: 'AND', Expected: {}, ConditionExpression: 'a' },
      text('Expected, ConditionalOperator', 'ConditionExpression'),
    ],
    ['DeleteItem', { Expected: {}, ConditionExpression: '' }, text('Expected', 'ConditionExpression')],
    ['UpdateItem', { Expected: {}, UpdateExpression: 'a' }, text('Expected', 'UpdateExpression')],
    [
      'UpdateItem',
      {
        AttributeUpdates: {},
        Expected: {},
        ConditionalOperator: 'OR',
        ConditionExpression: 'a',
        UpdateExpression: 'b',
      },
      text('AttributeUpdates, Expected, ConditionalOperator', 'UpdateExpression, ConditionExpression'),
    ],
    [
      'Query',
      {
        AttributesToGet: [],
        QueryFilter: {},
        KeyConditionExpression: 'a',
        FilterExpression: 'b',
        ProjectionExpression: 'c',
      },
      text('AttributesToGet, QueryFilter', 'ProjectionExpression, FilterExpression, KeyConditionExpression'),
    ],
    [
      'Query',
      { KeyConditions: {}, QueryFilter: {}, ConditionalOperator: 'OR', KeyConditionExpression: 'a' },
      text('QueryFilter, ConditionalOperator, KeyConditions', 'KeyConditionExpression'),
    ],
    ['Query', { KeyConditions: {}, FilterExpression: 'a', ProjectionExpression: 'b' }, undefined],
    [
      'Query',
      { KeyConditions: {}, QueryFilter: {}, ProjectionExpression: 'b' },
      text('QueryFilter', 'ProjectionExpression'),
    ],
    ['Scan', { ScanFilter: {}, ProjectionExpression: 'b' }, text('ScanFilter', 'ProjectionExpression')],
    ['Scan', { ScanFilter: {}, AttributesToGet: ['a'], ConditionalOperator: 'AND' }, undefined],
    ['Scan', { FilterExpression: 'a' }, undefined],
  ] as const)('%s %j', (operation, input, message) => {
    expect(checkMixing(operation, input)?.message).toBe(message);
  });

  it('do not mix across the tables of a batch', () => {
    expect(checkMixing('GetItem', { AttributesToGet: ['a'] }, { ProjectionExpression: 'a' })?.message).toBe(
      text('AttributesToGet', 'ProjectionExpression'),
    );
    expect(checkMixing('GetItem', { AttributesToGet: ['a'] }, {})).toBeUndefined();
  });
});
