import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { propertyRuns } from '../../tests/property-runs.ts';
import { DynamoError } from './errors.ts';
import { checkKey } from './key-checks.ts';
import { readItem } from './read-attribute-value.ts';
import { sentKey } from './sent-key.ts';
import { primaryKeyOf, type TableSchema } from './table-schema.ts';

const noIndexes = { localIndexes: [], globalIndexes: [] };
const schemas: readonly TableSchema[] = [
  { hash: { name: 'pk', type: 'S' }, range: undefined, ...noIndexes },
  { hash: { name: 'pk', type: 'S' }, range: { name: 'sk', type: 'N' }, ...noIndexes },
  { hash: { name: 'pk', type: 'N' }, range: { name: 'sk', type: 'S' }, ...noIndexes },
  { hash: { name: '__proto__', type: 'S' }, range: { name: 'constructor', type: 'S' }, ...noIndexes },
  { hash: { name: 'pk', type: 'B' }, range: undefined, ...noIndexes },
];

const value = fc.oneof(
  fc.constantFrom<unknown>(
    { S: 'a' },
    { S: 'é' },
    { S: 'x'.repeat(400) },
    { N: '1' },
    { N: '1.50' },
    { B: 'AA==' },
  ),
  fc.constantFrom<unknown>(
    { S: '' },
    { S: 'x'.repeat(3_000) },
    { S: '\ud800' },
    { N: 'x' },
    { S: 'a', N: '1' },
  ),
  fc.constantFrom<unknown>(
    undefined,
    null,
    7,
    {},
    { S: 7 },
    { S: null },
    { BOOL: true },
    Object.create({ S: 'a' }),
  ),
);
const keyOf = ({ hash, range }: TableSchema) =>
  fc
    .record({
      [hash.name]: value,
      ...(range && { [range.name]: value }),
      more: fc.constantFrom(undefined, { S: 'a' }),
    })
    .map(({ more, ...key }) => (more === undefined ? key : { ...key, more }));
const cases = fc
  .constantFrom(...schemas)
  .chain((schema) => fc.record({ schema: fc.constant(schema), json: keyOf(schema) }));

it('reads what the long way reads, and leaves to it what that refuses', () => {
  let read = 0;
  assertProperty(
    fc.property(cases, ({ schema, json }) => {
      const found = sentKey(schema, json);
      if (found === undefined) return;
      read++;
      const item = readItem(json, 'newer');
      if (item instanceof DynamoError) throw new Error(item.message);
      expect(checkKey(schema, item)).toBeUndefined();
      expect(found).toEqual(primaryKeyOf(schema, item));
    }),
    { numRuns: propertyRuns(5_000) },
  );
  expect(read).toBeGreaterThan(propertyRuns(20));
});

it.each<[object, object | undefined]>([
  [
    { pk: { S: 'a' }, sk: { N: '1.50' } },
    { hash: { S: 'a' }, range: { N: '1.5' } },
  ],
  [
    { sk: { N: '1' }, pk: { S: 'é' } },
    { hash: { S: 'é' }, range: { N: '1' } },
  ],
  [{ pk: { S: 'a' } }, undefined],
  [{ pk: { S: 'a' }, sk: { N: '1' }, more: { S: 'b' } }, undefined],
  [{ pk: { N: '1' }, sk: { N: '1' } }, undefined],
  [Object.assign(Object.create({ sk: { N: '1' } }), { pk: { S: 'a' } }), undefined],
])('of %j is %j', (json, expected) => {
  expect(sentKey(schemas[1]!, json)).toEqual(expected);
});
