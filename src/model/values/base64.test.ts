import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { base64Bytes, decodeBase64, encodeBase64, isBase64 } from './base64.ts';

const runs = { numRuns: propertyRuns(1_000) };
const bytes = fc.uint8Array({ maxLength: 20 });

describe('base64', () => {
  it('round trips, with its length known beforehand', () => {
    assertProperty(
      fc.property(bytes, (value) => {
        const text = encodeBase64(value);
        expect(text).toBe(Buffer.from(value).toString('base64'));
        expect(isBase64(text)).toBe(true);
        expect(decodeBase64(text)).toEqual(value);
        expect(base64Bytes(text)).toBe(value.length);
      }),
      runs,
    );
  });

  it('accepts no other spelling', () => {
    const letters = fc.string({
      unit: fc.constantFrom('A', 'Q', 'g', 'z', '/', '+', '=', '-', '_', ' ', 'é'),
      maxLength: 12,
    });
    assertProperty(
      fc.property(letters, (text) => {
        expect(isBase64(text)).toBe(Buffer.from(text, 'base64').toString('base64') === text);
      }),
      runs,
    );
    for (const text of ['A', 'AA', 'AAA', 'A===', '====', 'AB==', 'AAB=', 'AA=A', '\u0100AAA'])
      expect(isBase64(text)).toBe(false);
  });
});
