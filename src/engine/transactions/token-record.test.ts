import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { decodeToken, encodeToken } from './token-record.ts';

const record = fc.record({
  fingerprint: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  expiresMs: fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -2_000_000_000_000, max: 2_000_000_000_000 }),
    fc.nat(52).chain((power) => fc.constantFrom(2 ** power, 2 ** power - 1, 2 ** power + 1)),
  ),
  readUnits: fc.array(fc.nat(200), { maxLength: 100 }),
});

it('comes back as it was, out of any array', () => {
  assertProperty(
    fc.property(record, fc.nat(9), (token, before) => {
      const bytes = encodeToken(token);
      const larger = new Uint8Array(before + bytes.length + 3);
      larger.set(bytes, before);
      expect(decodeToken(larger.subarray(before, before + bytes.length))).toEqual(token);
    }),
    { numRuns: propertyRuns(200) },
  );
});

it('is not made of anything else', () => {
  const bytes = encodeToken({ fingerprint: new Uint8Array(8), expiresMs: 5, readUnits: [2, 4] });
  for (const wrong of [
    bytes.slice(0, 10),
    bytes.slice(0, -1),
    Uint8Array.of(1, ...bytes.slice(1)),
    new Uint8Array(),
  ])
    expect(() => decodeToken(wrong)).toThrow('unknown format');
});
