import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import type { KeyAttribute, TableSchema } from '../model/tables/table-schema.ts';
import { condition, problemOf, projection, read, update } from './cases.fixture.ts';
import { keyCondition, type QueriedKey } from './key-condition.ts';
import { checkFilterKeys, checkScalarKeys, checkWritePaths, pathsOf } from './key-paths.ts';

const S = (name: string): KeyAttribute => ({ name, type: 'S' });
const hashOnly: QueriedKey = { hash: [S('pk')], range: [] };
const composite: QueriedKey = { hash: [S('pk')], range: [S('sk')] };
const numbers: QueriedKey = { hash: [S('pk')], range: [{ name: 'sk', type: 'N' }] };
const multi: QueriedKey = { hash: [S('h1'), S('h2')], range: [S('r1'), { name: 'r2', type: 'N' }, S('r3')] };

describe('a key condition, before the table is known', () => {
  const prefix = 'Invalid condition in KeyConditionExpression:';

  it.each([
    ['pk = :s', 'fine'],
    ['pk = :s AND sk > :s', 'fine'],
    ['(pk = :s) AND (begins_with(sk, :s))', 'fine'],
    ['(pk = :s AND sk = :s)', 'fine'],
    [':s = pk AND :s <= sk', 'fine'],
    ['a = :s AND b = :s AND c = :s', 'fine'],
    ['pk = :s OR sk = :s', 'Invalid operator used in KeyConditionExpression: OR'],
    ['NOT pk = :s', 'Invalid operator used in KeyConditionExpression: NOT'],
    ['pk IN (:s)', 'Invalid operator used in KeyConditionExpression: IN'],
    ['pk <> :s', 'Invalid operator used in KeyConditionExpression: <>'],
    ['attribute_exists(pk)', 'Invalid operator used in KeyConditionExpression: attribute_exists'],
    ['attribute_not_exists(pk)', 'Invalid operator used in KeyConditionExpression: attribute_not_exists'],
    ['contains(pk, :s)', 'Invalid operator used in KeyConditionExpression: contains'],
    ['attribute_type(pk, :typeS)', 'Invalid operator used in KeyConditionExpression: attribute_type'],
    ['size(pk) = :n', 'KeyConditionExpressions cannot contain nested operations'],
    ['sk BETWEEN size(a) AND :n', 'KeyConditionExpressions cannot contain nested operations'],
    [':n BETWEEN pk AND :n', `${prefix} BETWEEN operator must have the key attribute as its first operand`],
    [
      'begins_with(:s, pk)',
      `${prefix} begins_with operator must have the key attribute as its first operand`,
    ],
    ['pk = sk', `${prefix} Multiple attribute names used in one condition`],
    ['sk BETWEEN :n AND pk', `${prefix} Multiple attribute names used in one condition`],
    [':s = :s', `${prefix} No key attribute specified`],
    ['pk.a = :s', 'KeyConditionExpressions cannot have conditions on nested attributes'],
    ['pk[0] = :s', 'KeyConditionExpressions cannot have conditions on nested attributes'],
    ['pk = :s AND pk = :s', 'KeyConditionExpressions must only contain one condition per key'],
    ['pk = :s AND #a = :s AND a > :s', 'KeyConditionExpressions must only contain one condition per key'],
    // Clauses are judged in the order of the text.
    ['pk <> :s AND (a = :s OR b = :s)', 'Invalid operator used in KeyConditionExpression: <>'],
    ['((pk = :s))', 'The expression has redundant parentheses;'],
    [
      'sk BETWEEN :s2 AND :s',
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:t}, upper bound operand: AttributeValue: {S:s}',
    ],
  ])('%s', (text, problem) => {
    expect(problemOf('KeyConditionExpression', text)).toBe(problem);
  });
});

function against(key: QueriedKey, text: string): unknown {
  const result = read({ KeyConditionExpression: text });
  if (result instanceof DynamoError) throw new Error(result.message);
  const met = keyCondition(result.keyClauses!, key);
  return met instanceof DynamoError ? met.message : met;
}

describe('a key condition, against a key', () => {
  const s = { S: 's' };
  const t = { S: 't' };
  const mismatch =
    'One or more parameter values were invalid: Condition parameter type does not match schema type';

  it.each([
    [hashOnly, 'pk = :s', { hash: [s], equal: [], range: undefined }],
    [composite, 'pk = :s', { hash: [s], equal: [], range: undefined }],
    [composite, 'sk = :s2 AND pk = :s', { hash: [s], equal: [], range: { operator: '=', value: t } }],
    [composite, 'pk = :s AND :s < sk', { hash: [s], equal: [], range: { operator: '>', value: s } }],
    [composite, 'pk = :s AND :s >= sk', { hash: [s], equal: [], range: { operator: '<=', value: s } }],
    [
      composite,
      'pk = :s AND sk BETWEEN :s AND :s2',
      { hash: [s], equal: [], range: { operator: 'BETWEEN', low: s, high: t } },
    ],
    [
      composite,
      'pk = :s AND begins_with(sk, :s)',
      { hash: [s], equal: [], range: { operator: 'begins_with', value: s } },
    ],
    [multi, 'h2 = :s2 AND h1 = :s', { hash: [s, t], equal: [], range: undefined }],
    [
      multi,
      'h1 = :s AND h2 = :s AND r1 = :s',
      { hash: [s, s], equal: [], range: { operator: '=', value: s } },
    ],
    [
      multi,
      'h1 = :s AND h2 = :s AND r2 < :n AND r1 = :s2',
      { hash: [s, s], equal: [t], range: { operator: '<', value: { N: '1' } } },
    ],
    [
      multi,
      'r3 = :s AND h1 = :s AND h2 = :s AND r1 = :s AND r2 = :n',
      { hash: [s, s], equal: [s, { N: '1' }], range: { operator: '=', value: s } },
    ],
    [composite, 'sk = :s', 'Query condition missed key schema element: pk'],
    [composite, 'a = :s', 'Query condition missed key schema element: pk'],
    [composite, 'pk = :s AND a = :s', 'Query condition missed key schema element: sk'],
    [hashOnly, 'a = :s', 'Query condition missed key schema element: pk'],
    [multi, 'h1 = :s', 'HASH key attributes h2 must have equality conditions specified in the query'],
    [multi, 'r1 = :s', 'HASH key attributes h1, h2 must have equality conditions specified in the query'],
    [
      multi,
      'h1 > :s AND h2 = :n',
      'HASH key attributes h1 must have equality conditions specified in the query',
    ],
    [hashOnly, 'pk = :s AND a = :s', 'Query key condition not supported'],
    [composite, 'pk > :s', 'Query key condition not supported'],
    [composite, 'begins_with(pk, :s) AND sk = :s', 'Query key condition not supported'],
    [
      multi,
      'h1 = :s AND h2 > :s',
      'HASH key attributes h2 must have equality conditions specified in the query',
    ],
    [
      composite,
      'pk = :s AND sk = :s AND a = :s',
      'The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)',
    ],
    [composite, 'pk = :n', mismatch],
    [composite, 'pk = :s AND sk = :n', mismatch],
    [numbers, 'pk = :s AND begins_with(sk, :s)', mismatch],
    [numbers, 'pk = :s AND sk = :bool', mismatch],
    [
      multi,
      'h1 = :s AND h2 = :s AND r2 = :n',
      'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
    ],
    [
      multi,
      'h1 = :s AND h2 = :s AND r1 > :s AND r2 = :n',
      'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
    ],
    [
      multi,
      'h1 = :s AND h2 = :s AND r1 = :s AND r3 = :s',
      'RANGE key attributes r2 must have equality conditions specified in the query because a condition is present on key attribute r3',
    ],
    [
      multi,
      'h1 = :s AND h2 = :s AND r3 = :s',
      'RANGE key attributes r1, r2 must have equality conditions specified in the query because a condition is present on key attribute r3',
    ],
    [
      composite,
      'pk = :empty',
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
    ],
  ])('%j: %s', (key, text, expected) => {
    expect(against(key, text)).toEqual(expected);
  });
});

describe('key attributes in other expressions', () => {
  const schema: TableSchema = {
    hash: S('pk'),
    range: S('sk'),
    localIndexes: [],
    globalIndexes: [{ name: 'i', hash: [S('d')], range: [S('e')], projection: { type: 'ALL' } }],
  };
  const scalar = (key: string) =>
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${key}`;

  it.each([
    ['a = :s', undefined],
    ['a.pk = :s', undefined],
    ['a = :s OR NOT contains(sk, :s)', 'sk'],
    ['size(pk) > :n AND sk = :s', 'pk'],
  ])('are kept out of the filter of a query: %s', (text, name) => {
    const error = checkFilterKeys(condition(text), composite, 'Filter Expression');
    expect(error?.message).toBe(
      name && `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
  });

  it('have no parts', () => {
    expect(checkScalarKeys(pathsOf(condition('a = :s AND sk[1] = :s')), schema)?.message).toBe(
      scalar('Key: sk'),
    );
    expect(checkScalarKeys(projection('d.x, a.b').paths, schema)?.message).toBe(scalar('IndexKey: d'));
    expect(checkScalarKeys(projection('d, pk, a.pk').paths, schema)).toBeUndefined();
  });

  it.each([
    ['SET a = :s, d = :s', undefined],
    ['SET a = pk', undefined],
    [
      'SET a = :s REMOVE sk',
      'One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key',
    ],
    [
      'SET pk.a = :s',
      'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
    ],
    [
      'ADD sk :n SET pk = :s',
      'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
    ],
    ['SET e.x = :s', scalar('IndexKey: e')],
  ])('are no targets of an update: %s', (text, message) => {
    expect(checkWritePaths(schema, undefined, update(text))?.message).toBe(message);
  });

  it('are found in every kind of condition', () => {
    const text =
      'a = b AND c BETWEEN d AND e OR f IN (g, size(h)) OR NOT attribute_exists(i) OR attribute_not_exists(j) OR attribute_type(k, :typeS) OR begins_with(l, m) OR contains(n, o)';
    expect(pathsOf(condition(text)).map(String).join('')).toBe('abcdefghijklmno');
  });
});
