import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { compareBytes } from './bytes.ts';
import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length, wellFormed } from './utf8.ts';

const runs = { numRuns: propertyRuns(1_000) };
const wellFormedText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      '\u{7f}',
      '\u{80}',
      '\u{7ff}',
      '\u{800}',
      '\u{d7ff}',
      '\u{e000}',
      '\u{ffff}',
      '\u{10000}',
      '\u{10ffff}',
    ),
  }),
);
/** Any sequence of UTF-16 units, lone surrogates among them. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

describe('UTF-8', () => {
  it('has the length that the encoder gives it', () => {
    assertProperty(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
      runs,
    );
  });

  it('is the same for a text and its well-formed spelling', () => {
    assertProperty(
      fc.property(anyText, (text) => {
        const spelled = wellFormed(text);
        expect(encodeUtf8(spelled)).toEqual(encodeUtf8(text));
        expect(decodeUtf8(encodeUtf8(spelled))).toBe(spelled);
      }),
      runs,
    );
  });

  it('orders text by bytes, astral characters above private use', () => {
    expect(compareUtf8('\u{10000}', '\uffff')).toBeGreaterThan(0);
    assertProperty(
      fc.property(wellFormedText, wellFormedText, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Math.sign(compareBytes(encodeUtf8(a), encodeUtf8(b))));
      }),
      runs,
    );
  });

  it('keeps a leading byte order mark', () => {
    expect(decodeUtf8(encodeUtf8('\ufeffa'))).toBe('\ufeffa');
  });
});
