import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../tests/assert-property.ts';
import { newHash16 } from './hash16.ts';

it('is the beginning of SHA-256, for every length around the end of a block', () => {
  const h16 = newHash16();
  const check = (bytes: Uint8Array) => {
    const expected = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    expect(Buffer.from(h16(bytes)).toString('hex')).toBe(expected);
  };
  for (let length = 0; length <= 130; length++) check(new Uint8Array(length).fill(length));
  assertProperty(fc.property(fc.uint8Array({ maxLength: 200 }), check), { numRuns: 2_000 });
});
