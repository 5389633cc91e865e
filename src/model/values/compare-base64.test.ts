import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { compareBase64 } from './attribute-value.ts';

const bytes = fc.uint8Array({ max: 2, maxLength: 9 });

it('orders binary values as their bytes', () => {
  assertProperty(
    fc.property(bytes, bytes, (a, b) => {
      const order = compareBase64(Buffer.from(a).toString('base64'), Buffer.from(b).toString('base64'));
      expect(Math.sign(order)).toBe(Buffer.compare(a, b));
    }),
    { numRuns: 2_000 },
  );
});
