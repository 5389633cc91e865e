import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { SharedBuffer } from './shared-buffer.ts';

it('gives arrays of the length that was asked for, none of which changes another', () => {
  assertProperty(
    fc.property(fc.array(fc.oneof(fc.nat(100), fc.nat(5_000)), { maxLength: 200 }), (lengths) => {
      const room = new SharedBuffer();
      const taken = lengths.map((length, i) => {
        const bytes = room.take(length);
        expect([...bytes]).toEqual(new Array(length).fill(0));
        return bytes.fill(i + 1);
      });
      for (const [i, bytes] of taken.entries())
        expect(bytes.length === lengths[i] && bytes.every((byte) => byte === i + 1)).toBe(true);
    }),
    { numRuns: propertyRuns(20) },
  );
});
