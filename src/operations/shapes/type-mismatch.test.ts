import { expect, test } from 'vitest';
import { DynamoError } from '../../model/errors.ts';
import { batchGetItemShape } from '../batches/batch-get-item.ts';
import { batchWriteItemShape } from '../batches/batch-write-item.ts';
import { putItemShape } from '../items/put-item.ts';
import { createTableShape } from '../tables/create-table.ts';
import { listTablesShape } from '../tables/list-tables.ts';
import { inputShape } from './input-shape.ts';
import { double, integer, timestamp } from './shape.ts';

const leakedCast =
  "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";
const structureNotExpected = 'Start of structure or map found where not expected';
const shapePackage = 'com.amazonaws.dynamodb.v20120810';

function refusal(check: (body: unknown) => unknown, body: unknown): string | undefined {
  const result = check(body);
  if (!(result instanceof DynamoError)) return undefined;
  expect(result.name).toBe('SerializationException');
  return result.message;
}

const numbers = [23, -2147483648, 2147483648];

/** Every value of another type, by the expected type, with the text for it. */
function scalarCases(java: string, path: string): [unknown, string][] {
  return [
    ...numbers.map((value): [unknown, string] => [value, `NUMBER_VALUE cannot be converted to ${java}`]),
    [34.56, `DECIMAL_VALUE cannot be converted to ${java}`],
    [true, `TRUE_VALUE cannot be converted to ${java}`],
    [false, `FALSE_VALUE cannot be converted to ${java}`],
    ['23', `STRING_VALUE cannot be converted to ${java}`],
    [[], `Unrecognized collection type class ${path}`],
    [{}, structureNotExpected],
  ];
}

const stringCases = scalarCases('String', 'java.lang.String').filter(([value]) => typeof value !== 'string');
const longCases = scalarCases('Long', 'java.lang.Long').filter(([value]) => typeof value !== 'number');
const integerCases = scalarCases('Integer', 'java.lang.Integer').filter(([v]) => typeof v !== 'number');
const booleanCases: [unknown, string][] = [
  ...scalarCases('Boolean', 'java.lang.Boolean').filter(
    ([value]) => typeof value !== 'boolean' && typeof value !== 'string',
  ),
  ['23', 'Unexpected token received from parser'],
  ['maybe', 'Unexpected token received from parser'],
];
const blobCases: [unknown, string][] = [
  [true, 'only base-64-encoded strings are convertible to bytes'],
  [23, 'only base-64-encoded strings are convertible to bytes'],
  [34.56, 'only base-64-encoded strings are convertible to bytes'],
  [[], 'Unrecognized collection type class java.nio.ByteBuffer'],
  [{}, structureNotExpected],
  ['23456', 'Base64 encoded length is expected a multiple of 4 bytes but found: 5'],
  ['=+/=', 'Invalid last non-pad Base64 character dectected'],
  ['+/+=', 'Invalid last non-pad Base64 character dectected'],
  ['+/==', 'Invalid last non-pad Base64 character dectected'],
  ['ab-_', 'Invalid last non-pad Base64 character dectected'],
  ['a===', 'Invalid last non-pad Base64 character dectected'],
  ['====', 'Invalid last non-pad Base64 character dectected'],
];
const scalars = ['23', true, 23, -2147483648, 34.56];
const listCases: [unknown, string][] = [
  ...scalars.map((value): [unknown, string] => [value, 'Unexpected field type']),
  [{}, structureNotExpected],
];
const nestedListCases: [unknown, string][] = [
  ...scalars.map((value): [unknown, string] => [value, leakedCast]),
  [{}, structureNotExpected],
];
function mapCases(value: string, scalarText = 'Unexpected field type'): [unknown, string][] {
  return [
    ...scalars.map((scalar): [unknown, string] => [scalar, scalarText]),
    [[], `Unrecognized collection type java.util.Map<java.lang.String, ${value}>`],
  ];
}
function memberStructureCases(name: string): [unknown, string][] {
  return [
    ...scalars.map((value): [unknown, string] => [value, 'Unexpected field type']),
    [[], `Unrecognized collection type class ${shapePackage}.${name}`],
  ];
}
function elementStructureCases(name: string): [unknown, string][] {
  return [
    ...scalars.map((value): [unknown, string] => [value, 'Unexpected value type in payload']),
    [[], `Unrecognized collection type class ${shapePackage}.${name}`],
  ];
}

const attributeValueCases: [string, (value: unknown) => unknown, [unknown, string][]][] = [
  ['S', (S) => ({ S }), stringCases],
  ['N', (N) => ({ N }), stringCases],
  ['B', (B) => ({ B }), blobCases],
  ['BOOL', (BOOL) => ({ BOOL }), booleanCases],
  ['NULL', (NULL) => ({ NULL }), booleanCases],
  ['SS', (SS) => ({ SS }), listCases],
  ['SS.0', (value) => ({ SS: ['a', value] }), stringCases],
  ['NS.0', (value) => ({ NS: [value] }), stringCases],
  ['BS.0', (value) => ({ BS: [value] }), blobCases],
  ['L', (L) => ({ L }), listCases],
  ['L.0', (value) => ({ L: [value] }), elementStructureCases('AttributeValue')],
  ['L.0.BS.0', (value) => ({ L: [{ BS: [value] }] }), blobCases],
  ['M', (M) => ({ M }), mapCases(`${shapePackage}.AttributeValue`)],
  ['M.a', (a) => ({ M: { a } }), elementStructureCases('AttributeValue')],
  ['M.a.N', (N) => ({ M: { a: { N } } }), stringCases],
];

const cases: [string, (body: unknown) => unknown, (value: unknown) => unknown, [unknown, string][]][] = [
  ['a string', putItemShape.check, (TableName) => ({ TableName }), stringCases],
  ['a long', createTableShape.check, (v) => ({ ProvisionedThroughput: { ReadCapacityUnits: v } }), longCases],
  ['an integer', listTablesShape.check, (Limit) => ({ Limit }), integerCases],
  ['a boolean', createTableShape.check, (v) => ({ DeletionProtectionEnabled: v }), booleanCases],
  ['a list', createTableShape.check, (KeySchema) => ({ KeySchema }), listCases],
  ['a map', putItemShape.check, (Item) => ({ Item }), mapCases(`${shapePackage}.AttributeValue`)],
  [
    'a map of strings',
    putItemShape.check,
    (v) => ({ ExpressionAttributeNames: v }),
    mapCases('java.lang.String'),
  ],
  [
    'a map of lists',
    batchWriteItemShape.check,
    (RequestItems) => ({ RequestItems }),
    mapCases(`java.util.List<${shapePackage}.WriteRequest>`),
  ],
  ['a list in a map', batchWriteItemShape.check, (T) => ({ RequestItems: { T } }), nestedListCases],
  [
    'a map in a list',
    batchGetItemShape.check,
    (value) => ({ RequestItems: { T: { Keys: [value] } } }),
    mapCases(`${shapePackage}.AttributeValue`, leakedCast),
  ],
  [
    'a structure in a structure',
    createTableShape.check,
    (ProvisionedThroughput) => ({ ProvisionedThroughput }),
    memberStructureCases('ProvisionedThroughput'),
  ],
  [
    'a structure in a list',
    createTableShape.check,
    (value) => ({ KeySchema: [value] }),
    elementStructureCases('KeySchemaElement'),
  ],
  [
    'a structure in a map',
    putItemShape.check,
    (a) => ({ Expected: { a } }),
    elementStructureCases('ExpectedAttributeValue'),
  ],
  [
    'an AttributeValue in a structure',
    putItemShape.check,
    (Value) => ({ Expected: { a: { Value } } }),
    memberStructureCases('AttributeValue'),
  ],
  [
    'an AttributeValue in a map',
    putItemShape.check,
    (a) => ({ Item: { a } }),
    elementStructureCases('AttributeValue'),
  ],
  ...attributeValueCases.map(([path, value, expected]): (typeof cases)[number] => [
    `an AttributeValue's ${path}`,
    putItemShape.check,
    (wrong) => ({ Item: { a: value(wrong) } }),
    expected,
  ]),
];

test.each(cases)('where %s is expected', (_, check, body, wrongValues) => {
  for (const [value, text] of wrongValues) {
    expect([value, refusal(check, body(value))]).toEqual([value, text]);
  }
});

test('the first mismatch in the order of the document is reported', () => {
  expect(refusal(putItemShape.check, { Item: { a: { N: 1 } }, TableName: 1.5 })).toMatch(/^NUMBER_VALUE/);
  expect(refusal(putItemShape.check, { TableName: 1.5, Item: { a: { N: 1 } } })).toMatch(/^DECIMAL_VALUE/);
});

test.each([[[]], ['text'], [1], [true], [null], [undefined]])('a body that is no object: %j', (body) => {
  const result = putItemShape.check(body);
  expect(result).toEqual(new DynamoError('SerializationException'));
});

test('booleans may be spelled, numbers lose their fraction and are cut to their type', () => {
  for (const spelling of ['true', 'TRUE', '1', 'yes', 'Yes']) {
    expect(createTableShape.check({ TableName: 'abc', DeletionProtectionEnabled: spelling })).toEqual({
      TableName: 'abc',
      DeletionProtectionEnabled: true,
    });
  }
  for (const spelling of ['false', '0', 'NO']) {
    const Item = { a: { BOOL: spelling } };
    expect(putItemShape.check({ TableName: 'abc', Item })).toEqual({
      TableName: 'abc',
      Item: { a: { BOOL: false } },
    });
  }
  expect(listTablesShape.check({ Limit: 3.99 })).toEqual({ Limit: 3 });
  const numeric = inputShape('Scan', { i: integer(), d: double() });
  expect(numeric.check(JSON.parse('{"i": 1e400, "d": -1e400}'))).toEqual({
    i: 2147483647,
    d: -Number.MAX_VALUE,
  });
});

test('timestamps are numbers', () => {
  const shape = inputShape('Scan', { at: timestamp });
  expect(shape.check({ at: 1700000000.123 })).toEqual({ at: 1700000000.123 });
  expect(refusal(shape.check, { at: 'now' })).toBe('STRING_VALUE cannot be converted to Date');
});

test('valid base64 is taken', () => {
  for (const B of ['', 'AA==', 'AAA=', 'AAAA', '+/+/', '/w==']) {
    expect(putItemShape.check({ TableName: 't', Item: { a: { B } } })).not.toBeInstanceOf(DynamoError);
  }
});
