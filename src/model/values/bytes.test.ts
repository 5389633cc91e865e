import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { compareBytes, concatBytes, keyAfter, prefixEnd } from './bytes.ts';

const runs = { numRuns: propertyRuns(1_000) };
const bytes = fc.uint8Array({ maxLength: 20 });

describe('bytes', () => {
  it('puts keyAfter directly above a key', () => {
    assertProperty(
      fc.property(bytes, bytes, (key, other) => {
        expect(compareBytes(key, keyAfter(key))).toBeLessThan(0);
        if (compareBytes(other, key) > 0)
          expect(compareBytes(other, keyAfter(key))).toBeGreaterThanOrEqual(0);
      }),
      runs,
    );
  });

  it('ends a prefix where its keys end', () => {
    const high = fc.uint8Array({ min: 0xfd, maxLength: 4 });
    assertProperty(
      fc.property(fc.oneof(bytes, high), fc.oneof(bytes, high), (prefix, other) => {
        const end = prefixEnd(prefix);
        const begins = compareBytes(other.subarray(0, prefix.length), prefix) === 0;
        const within =
          compareBytes(other, prefix) >= 0 && (end === undefined || compareBytes(other, end) < 0);
        expect(within).toBe(begins);
        expect(concatBytes(prefix, other).length).toBe(prefix.length + other.length);
      }),
      runs,
    );
  });

  it('leaves the prefix as it is, also when it is a Buffer', () => {
    const prefix = Buffer.from([1, 2, 0xff]);
    expect(prefixEnd(prefix)).toEqual(Uint8Array.of(1, 3));
    expect([...prefix]).toEqual([1, 2, 0xff]);
  });
});
