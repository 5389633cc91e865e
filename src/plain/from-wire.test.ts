import assert from 'node:assert/strict';
import fc from 'fast-check';
import { it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { propertyRuns } from '../../tests/property-runs.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { LoneItem } from '../operations/items/item-answer.ts';
import { RawJson } from '../operations/operation.ts';
import { converted, fromWire, newAnswerReader } from './from-wire.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', '"', '\\', 'a\nb', '\u0000', 'é', '💡', '\u2028', 'x'.repeat(40)),
);
const name = fc.oneof(
  text,
  fc.constantFrom('S', 'N', 'B', 'BOOL', 'M', 'L', 'BS', '__proto__', 'constructor', 'Time', '0', '10', 'pk'),
);
const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Members that a client named contain attribute values, whatever their names are. */
const { map: attributes } = fc.letrec<{ value: object; map: Record<string, object> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text.map((S) => ({ S })),
    fc.integer().map((n) => ({ N: String(n) })),
    base64.map((B) => ({ B })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true }),
    fc.array(text).map((SS) => ({ SS })),
    fc.array(base64).map((BS) => ({ BS })),
    fc.array(tie('value')).map((L) => ({ L })),
    tie('map').map((M) => ({ M })),
  ),
  map: fc.dictionary(name, tie('value'), { noNullPrototype: true }),
}));

const answer = fc.record(
  {
    Items: fc.array(attributes, { maxLength: 4 }),
    Count: fc.nat(),
    LastEvaluatedKey: attributes,
    // Lists of items under the names of tables.
    Responses: fc.dictionary(fc.constantFrom('EventTime', 'Orders'), fc.array(attributes, { maxLength: 2 })),
    ConsumedCapacity: fc.record({
      TableName: text,
      CapacityUnits: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    CreationDateTime: fc.double({ min: 0, max: 2e9, noNaN: true }),
    Deleted: fc.constant(null),
  },
  { requiredKeys: [] },
);

it('gives what JSON.parse reads, with bytes and dates', () => {
  const reader = newAnswerReader();
  assertProperty(
    fc.property(fc.array(answer, { maxLength: 5 }), (answers) => {
      for (const each of answers) {
        const json = JSON.stringify(each);
        const half = json.indexOf('{', json.length / 2);
        // The answer in pieces of text and of bytes.
        const raw = new RawJson(half < 0 ? [json] : [json.slice(0, half), Buffer.from(json.slice(half))]);
        // Not `toStrictEqual`, which takes an attribute that is called `constructor` for the object's own.
        assert.deepStrictEqual(fromWire(raw, reader), converted(parseJson(json)));
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

it.each([1, 1_000])('gives an item and what is %i times as long', (times) => {
  const reader = newAnswerReader();
  assertProperty(
    fc.property(attributes, (item) => {
      const long = { ...item, filling: { S: 'ab"c \u00e9'.repeat(times) } };
      const json = JSON.stringify(long);
      const stored = Buffer.from(`head${json}`);
      assert.deepStrictEqual(fromWire(new LoneItem('Item', stored, 4), reader), {
        Item: converted(parseJson(json)),
      });
    }),
    { numRuns: propertyRuns(100) },
  );
});
