import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { partOf, partStart } from '../model/keys/hash-segments.ts';
import { compareBytes, concatBytes } from '../model/values/bytes.ts';
import { comparePositions, compareSort, partPlace, placeOf, placesEnd, separator } from './place.ts';

const hash = fc.uint8Array({ minLength: 16, maxLength: 16 });
const sort = fc.uint8Array({ maxLength: 6, max: 3 });
const position = fc.record({ place: fc.nat(3), sort });

describe('places', () => {
  it('are the first 53 bits of a hash', () => {
    expect(placeOf(new Uint8Array(16))).toBe(0);
    expect(placeOf(new Uint8Array(16).fill(0xff))).toBe(placesEnd - 1);
    expect(placeOf(Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0))).toBe(2 ** 52);
    expect(placeOf(Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0x08, 0), 1)).toBe(1);
  });

  it('order hashes as their bytes do', () => {
    assertProperty(
      fc.property(hash, hash, (a, b) => {
        const byPlace = Math.sign(placeOf(a) - placeOf(b));
        if (byPlace !== 0) expect(byPlace).toBe(Math.sign(compareBytes(a, b)));
      }),
    );
  });

  it('cut the space where the segments of a Scan are cut', () => {
    for (const parts of [1, 2, 3, 4, 5, 7, 10, 999, 10_000])
      for (const part of [0, 1, 2, parts >> 1, parts - 1]) {
        if (part >= parts) continue;
        expect(placeOf(partStart(part, parts)!)).toBe(partPlace(part, parts));
      }
    expect(partPlace(3, 3)).toBe(placesEnd);
  });

  it('lie in the part of their hash, up to the hashes of one place', () => {
    assertProperty(
      fc.property(hash, fc.integer({ min: 1, max: 5_000 }), (bytes, parts) => {
        const part = partOf(bytes, parts);
        expect(placeOf(bytes)).toBeGreaterThanOrEqual(partPlace(part, parts));
        expect(placeOf(bytes)).toBeLessThanOrEqual(partPlace(part + 1, parts));
      }),
    );
  });
});

describe('positions', () => {
  it('compare sort keys within longer keys', () => {
    assertProperty(
      fc.property(sort, sort, fc.nat(4), (a, b, prefix) => {
        const key = concatBytes(new Uint8Array(prefix).fill(7), a);
        expect(Math.sign(compareSort(key, prefix, b))).toBe(Math.sign(compareBytes(a, b)));
      }),
    );
  });

  it('have a separator between any two', () => {
    assertProperty(
      fc.property(position, position, (a, b) => {
        const order = comparePositions(a, b);
        if (order === 0) return;
        const [left, right] = order < 0 ? [a, b] : [b, a];
        const between = separator(left, right);
        expect(comparePositions(left, between)).toBeLessThan(0);
        expect(comparePositions(between, right)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
