import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../tests/property-runs.ts';
import { AnswerReader } from './answer-reader.ts';
import { converted } from './from-wire.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', '"', '\\', 'a\nb', '\u0000', 'é', '💡', '\u2028', 'x'.repeat(40)),
);
const name = fc.oneof(
  text,
  fc.constantFrom('S', 'N', 'B', 'BOOL', 'M', 'L', 'BS', '__proto__', 'constructor', 'Time', '0', '10', 'pk'),
);
const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Members that a client named hold attribute values, whatever they are called. */
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
    ConsumedCapacity: fc.record({
      TableName: text,
      CapacityUnits: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    CreationDateTime: fc.double({ min: 0, max: 2e9, noNaN: true }),
    Deleted: fc.constant(null),
  },
  { requiredKeys: [] },
);

it('reads what JSON.parse reads, with bytes and dates', () => {
  const reader = new AnswerReader();
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 5 }), (answers) => {
      for (const each of answers) {
        const json = JSON.stringify(each);
        // Not `toStrictEqual`, which takes an attribute that is called `constructor` for the object's own.
        assert.deepStrictEqual(reader.read(Buffer.from(json)), converted(JSON.parse(json)));
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

it('reads what looks like a value and is a map, in time that grows with its length', () => {
  let json = '{"S":"x"}';
  for (let i = 0; i < 200; i++) json = `{"M":${json},"other":{"S":"y"}}`;
  expect(new AnswerReader().read(Buffer.from(json))).toStrictEqual(JSON.parse(json));
});

it.each([
  '',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"S":"x"',
  '[1',
  '"a',
  '"a\\',
  'tru',
  '{"a":1}x',
  'x',
  '{a:1}',
])('throws at %j', (json) => {
  expect(() => new AnswerReader().read(Buffer.from(json))).toThrow('an answer is not JSON');
});
