import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { encodeBase64 } from '../../model/values/base64.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import { jsonOf } from '../items/item-answer.ts';
import { KeyFinder } from './key-finder.ts';

/** What makes a reader of JSON stumble. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', 'é', '😀', '\u0001', 'a', '\ufeff'),
  }),
  fc.constantFrom('pk', 'sk', '{"S":"', '"pk":{"S":"x"}', '\\"', '\\'),
);
const keyValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  text.map((S) => ({ S })),
  fc.constantFrom('0', '-1.5', '100', '0.001').map((N) => ({ N })),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ B: encodeBase64(bytes) })),
);
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    keyValue,
    fc.constantFrom<AttributeValue>({ BOOL: true }, { BOOL: false }, { NULL: true }),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .array(fc.tuple(text, tie('value')), { maxLength: 3 })
      .map((members) => ({ M: new Map(members) as Item })),
  ),
}));

describe('the finder of keys', () => {
  it('finds what reading the whole item would, byte for byte, and counts the same size', () => {
    const names = fc.uniqueArray(text, { minLength: 1, maxLength: 2 });
    assertProperty(
      fc.property(
        names.chain((keys) =>
          fc.record({
            keys: fc.constant(keys),
            key: fc.tuple(...keys.map(() => keyValue)),
            rest: fc.array(fc.tuple(text, value), { maxLength: 5 }),
          }),
        ),
        ({ keys, key, rest }) => {
          const parts = new Map(keys.map((name, i) => [name, key[i]!]));
          const finder = new KeyFinder(keys);
          // It looks at one item after another.
          for (const item of [parts, new Map([...rest, ...parts])]) {
            finder.find(jsonOf(item));
            const members = finder.members().map(decodeUtf8);
            expect(`{${members.join(',')}}`).toBe(decodeUtf8(jsonOf(parts)));
            expect(finder.sizeBytes()).toBe(itemSize(parts));
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it('refuses an item without its key', () => {
    expect(() => new KeyFinder(['pk']).find(encodeUtf8('{"a":{"S":"x"}}'))).toThrow('does not have its key');
  });

  it.each(['{}', '{"pk":{"S":"x"', '{"pk', '{"a":{"S":"\\"'])('refuses a damaged item: %s', (json) => {
    expect(() => new KeyFinder(['pk']).find(encodeUtf8(json))).toThrow('not canonical JSON');
  });

  it('knows of what type a key can be', () => {
    const finder = new KeyFinder(['pk']);
    finder.find(encodeUtf8('{"pk":{"M":{}}}'));
    expect(() => finder.sizeBytes()).toThrow('of no type that a key can have');
  });
});
