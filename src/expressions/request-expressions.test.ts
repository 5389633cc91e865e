import { describe, expect, it, vi } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import { ParsedExpressions } from './parsed-cache.ts';
import {
  checkSubstitutionsHaveExpressions,
  type ExpressionInput,
  type ExpressionParameter,
  readExpressions,
} from './request-expressions.ts';

function answer(input: ExpressionInput, layer: 'older' | 'newer' = 'older'): string {
  const result = readExpressions(input, layer, new ParsedExpressions());
  return result instanceof DynamoError ? `${result.message}` : 'fine';
}

const condition = { ConditionExpression: 'a = :v' };
const value = { ':v': { S: 'x' } };

describe('names and values without an expression', () => {
  const early = (
    input: ExpressionInput,
    parameters: readonly ExpressionParameter[],
    layer: 'older' | 'newer' = 'older',
  ) => checkSubstitutionsHaveExpressions(input, parameters, layer)?.message;

  it('are refused by the names of what is missing', () => {
    const values = { ExpressionAttributeValues: value };
    const text = 'ExpressionAttributeValues can only be specified when using expressions';
    expect(early(values, ['ConditionExpression'])).toBe(`${text}: ConditionExpression is null`);
    expect(early(values, ['UpdateExpression', 'ConditionExpression'])).toBe(
      `${text}: UpdateExpression and ConditionExpression are null`,
    );
    expect(early(values, ['ProjectionExpression', 'FilterExpression'])).toBe(
      `${text}: FilterExpression is null`,
    );
    expect(early(values, ['ProjectionExpression', 'FilterExpression', 'KeyConditionExpression'])).toBe(
      `${text}: FilterExpression and KeyConditionExpression are null`,
    );
    expect(early(values, ['ConditionExpression'], 'newer')).toBe(text);
    expect(early({ ExpressionAttributeNames: {} }, ['ProjectionExpression'])).toBe(
      'ExpressionAttributeNames can only be specified when using expressions',
    );
  });

  it('report names before values', () => {
    const both = { ExpressionAttributeNames: {}, ExpressionAttributeValues: {} };
    expect(early(both, ['ConditionExpression'])).toBe(
      'ExpressionAttributeNames can only be specified when using expressions',
    );
  });

  it('count a projection for names only', () => {
    const input = { ProjectionExpression: 'a', ExpressionAttributeNames: {}, ExpressionAttributeValues: {} };
    expect(early(input, ['ProjectionExpression', 'FilterExpression'])).toBe(
      'ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null',
    );
    expect(
      early({ ...condition, ...input }, ['ProjectionExpression', 'ConditionExpression']),
    ).toBeUndefined();
  });
});

describe('the maps of names and values', () => {
  const longKey = 'x'.repeat(255);

  it.each<readonly [ExpressionInput, string]>([
    [{ ExpressionAttributeNames: {} }, 'ExpressionAttributeNames must not be empty'],
    [{ ExpressionAttributeValues: {} }, 'ExpressionAttributeValues must not be empty'],
    [
      { ExpressionAttributeNames: { a: 'a' } },
      'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
    ],
    [
      { ExpressionAttributeNames: { '#': 'a' } },
      'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"',
    ],
    [
      { ExpressionAttributeNames: { '#a-b': 'a' } },
      'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"',
    ],
    [
      { ExpressionAttributeNames: JSON.parse('{"__proto__":"a"}') },
      'ExpressionAttributeNames contains invalid key: Syntax error; key: "__proto__"',
    ],
    [
      { ExpressionAttributeValues: { b: {} } },
      'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"',
    ],
    [
      { ExpressionAttributeValues: { ':é': {} } },
      'ExpressionAttributeValues contains invalid key: Syntax error; key: ":é"',
    ],
    [
      { ExpressionAttributeNames: { [`#${longKey}`]: 'a' } },
      'ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: 256',
    ],
    [
      { ExpressionAttributeValues: { [`:${longKey}`]: { S: 'a' } } },
      'ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is too long;',
    ],
    [
      { ExpressionAttributeNames: { '#a': '' } },
      'ExpressionAttributeNames contains invalid value: Empty attribute name for key #a',
    ],
    [
      { ExpressionAttributeValues: { ':b': {} } },
      'ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes for key :b',
    ],
    [
      { ExpressionAttributeValues: { ':b': { N: 'x' } } },
      'ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for key :b',
    ],
  ])('%j', (maps, text) => {
    expect(answer({ ...condition, ...maps })).toBe(text);
  });

  it('are worded otherwise by the newer layer', () => {
    const bad = { ...condition, ExpressionAttributeValues: { ':b': { N: 'x' } } };
    expect(answer(bad, 'newer')).toBe('The parameter cannot be converted to a numeric value: x');
    const tooLong = { ...condition, ExpressionAttributeNames: { '#a': 'x'.repeat(65_536) } };
    expect(answer(tooLong, 'newer')).toBe('Attribute name is too large, must be less than 65536 bytes');
    const key = { ...condition, ExpressionAttributeValues: { [`:${longKey}`]: { S: 'a' } } };
    expect(answer(key, 'newer')).toMatch(/too long; size of key: 256$/);
  });

  it('allow what is just within the limits', () => {
    const reference = 'x'.repeat(254);
    expect(
      answer({
        ConditionExpression: `#${reference} = :${reference}`,
        ExpressionAttributeNames: { [`#${reference}`]: 'x'.repeat(65_535) },
        ExpressionAttributeValues: { [`:${reference}`]: { S: 'x' } },
      }),
    ).toBe('fine');
  });

  it('hold 2 MB together', () => {
    const half = { S: 'x'.repeat(1024 * 1024 - 2) };
    const two = { ':a': half, ':b': half };
    const input = { ConditionExpression: 'a IN (:a, :b, :c)' };
    expect(answer({ ConditionExpression: 'a IN (:a, :b)', ExpressionAttributeValues: two })).toBe('fine');
    expect(answer({ ...input, ExpressionAttributeValues: { ...two, ':c': { S: '' } } })).toBe(
      'ExpressionAttributeValues exceeds max size',
    );
    expect(
      answer({
        ConditionExpression: '#a IN (:a, :b)',
        ExpressionAttributeNames: { '#a': 'a' },
        ExpressionAttributeValues: two,
      }),
    ).toBe('ExpressionAttributeValues exceeds max size');
  });
});

describe('what is defined and not used', () => {
  it('is refused, whatever the condition would be', () => {
    expect(
      answer({ ConditionExpression: 'a = :v', ExpressionAttributeValues: { ...value, ':w': { S: 'y' } } }),
    ).toBe('Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}');
    expect(
      answer({
        ConditionExpression: 'attribute_exists(a)',
        ExpressionAttributeNames: { '#a': 'a', '#b': 'b' },
        ExpressionAttributeValues: value,
      }),
    ).toBe('Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}');
  });

  it('may be used by any expression of the request', () => {
    expect(
      answer({
        KeyConditionExpression: '#a = :v',
        FilterExpression: '#b = :w',
        ProjectionExpression: '#a, #c',
        ExpressionAttributeNames: { '#a': 'a', '#b': 'b', '#c': 'c' },
        ExpressionAttributeValues: { ':v': { S: 'v' }, ':w': { S: 'w' } },
      }),
    ).toBe('fine');
  });
});

describe('of several faults of a request', () => {
  const bad = {
    UpdateExpression: 'SET',
    ConditionExpression: 'a',
    KeyConditionExpression: 'b',
    FilterExpression: 'c',
    ProjectionExpression: 'd,',
    ExpressionAttributeNames: { '#unused': 'x' },
    ExpressionAttributeValues: { ':unused': { S: 'x' } },
  };

  it.each([
    [
      'empty names',
      { ...bad, ExpressionAttributeNames: {}, ExpressionAttributeValues: {} },
      'ExpressionAttributeNames must not be empty',
    ],
    [
      'names of names',
      { ...bad, ExpressionAttributeNames: { x: '' }, ExpressionAttributeValues: {} },
      'ExpressionAttributeNames contains invalid key',
    ],
    [
      'empty values',
      { ...bad, ExpressionAttributeValues: {} },
      'ExpressionAttributeValues must not be empty',
    ],
    [
      'names of values',
      { ...bad, ExpressionAttributeValues: { ':x': {}, y: {} } },
      'ExpressionAttributeValues contains invalid key',
    ],
    [
      'values',
      { ...bad, ExpressionAttributeValues: { ':x': {} } },
      'ExpressionAttributeValues contains invalid value',
    ],
    ['the update', bad, 'Invalid UpdateExpression'],
    ['the condition', { ...bad, UpdateExpression: 'REMOVE a' }, 'Invalid ConditionExpression'],
    [
      'the key condition',
      { ...bad, UpdateExpression: undefined, ConditionExpression: undefined },
      'Invalid KeyConditionExpression: Syntax',
    ],
    [
      'the filter',
      {
        ...bad,
        UpdateExpression: undefined,
        ConditionExpression: undefined,
        KeyConditionExpression: ':unused = :unused OR a = :unused',
      },
      'Invalid FilterExpression',
    ],
    [
      'the projection',
      {
        FilterExpression: 'attribute_exists(a)',
        ProjectionExpression: 'd,',
        ExpressionAttributeNames: { '#unused': 'x' },
      },
      'Invalid ProjectionExpression',
    ],
    [
      'unused names',
      {
        ProjectionExpression: 'd',
        ExpressionAttributeNames: { '#unused': 'x' },
        ExpressionAttributeValues: value,
      },
      'Value provided in ExpressionAttributeNames',
    ],
    [
      'unused values',
      { KeyConditionExpression: 'attribute_exists(a)', ExpressionAttributeValues: value },
      'Value provided in ExpressionAttributeValues',
    ],
    [
      'the meaning of the key condition',
      { KeyConditionExpression: 'attribute_exists(a)' },
      'Invalid KeyConditionExpression: Invalid operator used',
    ],
  ])('%s come first', (_, input, text) => {
    expect(answer(input).slice(0, text.length)).toBe(text);
  });
});

it('reads what a request has, and nothing of what it has not', () => {
  const parsed = new ParsedExpressions();
  const read = readExpressions(
    {
      UpdateExpression: 'SET #a = :v',
      ConditionExpression: 'attribute_not_exists(#a)',
      ExpressionAttributeNames: { '#a': '__proto__' },
      ExpressionAttributeValues: value,
    },
    'newer',
    parsed,
  );
  if (read instanceof DynamoError) throw new Error(read.message);
  expect(read.update?.actions[0]).toEqual({
    kind: 'set',
    path: ['__proto__'],
    value: { kind: 'value', value: { S: 'x' } },
  });
  expect(read.condition).toEqual({ kind: 'attribute_not_exists', path: ['__proto__'] });
  expect([read.filter, read.projection, read.keyClauses]).toEqual([undefined, undefined, undefined]);
  expect(readExpressions({}, 'older', parsed)).toEqual({
    update: undefined,
    condition: undefined,
    filter: undefined,
    projection: undefined,
    keyClauses: undefined,
    values: new Map(),
  });
});

it('makes names of lone surrogates as the model does', () => {
  const read = readExpressions(
    { ProjectionExpression: '#a', ExpressionAttributeNames: { '#a': '\ud800' } },
    'older',
    new ParsedExpressions(),
  );
  if (read instanceof DynamoError) throw new Error(read.message);
  expect(read.projection?.paths).toEqual([['\ufffd']]);
});

it('refuses texts that are too long before anything reads them', () => {
  const parsed = new ParsedExpressions();
  const parse = vi.spyOn(parsed, 'condition');
  const long = { ConditionExpression: `a = b${' OR a = b'.repeat(100_000)}` };
  expect(readExpressions(long, 'older', parsed)).toBeInstanceOf(DynamoError);
  expect(parse).not.toHaveBeenCalled();
});
