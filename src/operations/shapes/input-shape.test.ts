import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { DynamoError } from '../../model/errors.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { batchGetItemShape } from '../batches/batch-get-item.ts';
import { batchWriteItemShape } from '../batches/batch-write-item.ts';
import { getItemShape } from '../items/get-item.ts';
import { putItemShape } from '../items/put-item.ts';
import { createTableShape } from '../tables/create-table.ts';
import { updateTableShape } from '../tables/update-table.ts';
import { transactWriteItemsShape } from '../transactions/transact-write-items.ts';
import { isCutOff } from './attribute-value-shape.ts';
import { naiveCheck } from './naive-check.fixture.ts';
import type { Shape } from './shape.ts';

test('a request with nothing to change is not copied', () => {
  const body = { TableName: 'abc', Item: { a: { S: 'x' }, b: { L: [{ M: { c: { NS: ['1'] } } }] } } };
  expect(putItemShape.check(body)).toBe(body);
});

test('unknown members, nulls and unknown datatypes are dropped, and the body stays as it was', () => {
  const body = {
    TableName: 'abc',
    Extra: 1,
    ConditionExpression: null,
    ExpressionAttributeNames: { '#a': 'a', '#b': null },
    Item: {
      a: { S: 'x', Dog: 1, N: null },
      b: { S: 'y' },
      c: { L: [null, { S: 'z', X: {} }], SS: ['a', null] },
    },
  };
  const before = structuredClone(body);
  expect(putItemShape.check(body)).toEqual({
    TableName: 'abc',
    ExpressionAttributeNames: { '#a': 'a' },
    Item: { a: { S: 'x' }, b: { S: 'y' }, c: { L: [{}, { S: 'z' }], SS: ['a'] } },
  });
  expect(body).toEqual(before);
  // A null AttributeValue is an empty one, which the operation refuses as such.
  expect(putItemShape.check({ TableName: 'abc', Item: { a: null } })).toEqual({
    TableName: 'abc',
    Item: { a: {} },
  });
});

test('members called __proto__ are data', () => {
  const text = `{
    "TableName": "abc", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}},
    "Item": {"__proto__": {"S": "x", "__proto__": {"polluted": 1}}, "gone": {"S": "y", "X": 1},
             "m": {"M": {"__proto__": {"S": "z"}, "constructor": {"BOOL": "yes"}}}},
    "ExpressionAttributeNames": {"__proto__": "p", "#n": null}
  }`;
  const input = putItemShape.check(JSON.parse(text));
  expect(JSON.stringify(input)).toBe(
    '{"TableName":"abc","Item":{"__proto__":{"S":"x"},"gone":{"S":"y"},' +
      '"m":{"M":{"__proto__":{"S":"z"},"constructor":{"BOOL":true}}}},"ExpressionAttributeNames":{"__proto__":"p"}}',
  );
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
});

test('nesting beyond any stack is cut off and not followed', () => {
  for (const [open, close] of [
    ['{"L":[', ']}'],
    ['{"M":{"a":', '}}'],
  ] as const) {
    const nested = (levels: number) =>
      JSON.parse(
        `{"TableName":"abc","Item":{"a":${open.repeat(levels)}{"S":"x"}${close.repeat(levels)}}}`,
      ) as unknown;
    for (const [levels, isCut] of [
      [62, false],
      [63, true],
      [200_000, true],
    ] as const) {
      const input = putItemShape.check(nested(levels));
      if (input instanceof DynamoError) throw input;
      expect(isCutOff(input)).toBe(isCut);
      expect(readItem(input.Item, 'newer')).toMatchObject({
        message:
          'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
      });
    }
  }
});

const shapes = [
  putItemShape,
  getItemShape,
  createTableShape,
  updateTableShape,
  batchWriteItemShape,
  batchGetItemShape,
  transactWriteItemsShape,
];

test('any JSON is checked without a throw and pollutes nothing', () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 6 }),
    fc.dictionary(
      fc.constantFrom('TableName', 'Item', 'Key', 'Expected', 'KeySchema', 'RequestItems', '__proto__', 'x'),
      fc.jsonValue({ maxDepth: 4 }),
    ),
  );
  const prototypeKeys = Object.getOwnPropertyNames(Object.prototype).length;
  assertProperty(
    fc.property(json, fc.constantFrom(...shapes), (value, shape) => {
      // Through text, as a body comes: only JSON.parse makes a member called __proto__.
      const text = JSON.stringify(value);
      const body: unknown = JSON.parse(text);
      shape.check(body);
      expect(JSON.stringify(body)).toBe(text);
      expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(prototypeKeys);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('the compiled check agrees with a naive reading of the shape', () => {
  assertProperty(
    fc.property(
      fc.constantFrom(...shapes).chain((shape) => fc.tuple(fc.constant(shape), nearly(shape.shape, 5))),
      ([shape, value]) => {
        const body: unknown = JSON.parse(JSON.stringify(value ?? null));
        const expected = naiveCheck(shape.layer, shape.shape, structuredClone(body));
        expect(shape.check(body)).toEqual(expected);
      },
    ),
    { numRuns: propertyRuns(1500) },
  );
});

/** Values that mostly fit the shape and now and then are something else. */
function nearly(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 30, arbitrary: fitting(shape, depth) },
    { weight: 1, arbitrary: fc.constantFrom(null, 0, 2.5, true, '', 'x', 'yes', [], {}, [1], { a: 1 }) },
  );
}

function fitting(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'string':
      return fc.constantFrom('abc', 'a', '', 'x;', 'arn:x', 'n'.repeat(256), ...(shape.values ?? []));
    case 'number':
      return fc.constantFrom(1, 5, 0, -1, 101, 3.7);
    case 'boolean':
      return fc.constantFrom(true, false, 'true', 'NO');
    case 'blob':
      return fc.constantFrom('', 'AA==', 'AAA=', 'AAAA', 'A===', 'AAAAA', '+/+=');
    case 'timestamp':
      return fc.constant(1700000000.5);
    case 'attribute-value':
      return depth <= 0 ? fc.constant({ S: 'x' }) : attributeValues(depth);
    case 'list':
      return fc.array(nearly(shape.member, depth - 1), { maxLength: 4 });
    case 'map':
      return fc.dictionary(
        fc.constantFrom('abc', 'b', '__proto__', 'c;', ''),
        nearly(shape.value, depth - 1),
        {
          maxKeys: 4,
        },
      );
    case 'structure':
      return fc.record(
        Object.fromEntries(
          [...shape.members].map(([name, member]) => [name, nearly(member.shape, depth - 1)]),
        ),
        { requiredKeys: [] },
      );
  }
}

function attributeValues(depth: number): fc.Arbitrary<unknown> {
  const av: Shape = { kind: 'attribute-value' };
  const next = depth - 1;
  return fc.record(
    {
      S: nearly({ kind: 'string' }, next),
      B: nearly({ kind: 'blob' }, next),
      NULL: nearly({ kind: 'boolean' }, next),
      SS: nearly({ kind: 'list', member: { kind: 'string' } }, next),
      BS: nearly({ kind: 'list', member: { kind: 'blob' } }, next),
      L: nearly({ kind: 'list', member: av }, next),
      M: nearly({ kind: 'map', keys: { kind: 'string' }, value: av }, next),
      Z: fc.constant(1),
    },
    { requiredKeys: [] },
  );
}
