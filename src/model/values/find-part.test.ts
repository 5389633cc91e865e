import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { bytesContain, textContains } from './find-part.ts';

function counted(bytes: Uint8Array): { readonly bytes: Uint8Array; reads(): number } {
  let reads = 0;
  const proxy = new Proxy(bytes, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { bytes: proxy, reads: () => reads };
}

const alphabets = fc.constantFrom('a', 'ab', 'abc', 'aé𝄞');
const texts = alphabets.chain((letters) =>
  fc.tuple(
    fc.string({ unit: fc.constantFrom(...letters), maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...letters), maxLength: 60 }),
    fc.nat(200),
    fc.nat(60),
  ),
);

describe('a part of a text or of bytes', () => {
  it('is found where the engine finds it', () => {
    assertProperty(
      fc.property(texts, ([whole, other, from, length]) => {
        for (const part of [
          other,
          whole.slice(from, from + length),
          `${whole.slice(from, from + length)}a`,
        ]) {
          expect(textContains(whole, part)).toBe(whole.includes(part));
          const [bytes, partBytes] = [Buffer.from(whole), Buffer.from(part)];
          expect(bytesContain(bytes, partBytes)).toBe(bytes.includes(partBytes));
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it.each([
    ['aaaaab', 'a'],
    ['aaaaaa', 'b'],
    ['abababac', 'ab'],
  ])('is searched for in linear time: %s in %s…', (end, repeated) => {
    const length = 20_000;
    const whole = Buffer.from(repeated.repeat(length));
    for (const partLength of [20, 200, 2_000, 15_000]) {
      const part = Buffer.from(repeated.repeat(partLength) + end);
      const [countedWhole, countedPart] = [counted(whole), counted(part)];
      expect(bytesContain(countedWhole.bytes, countedPart.bytes)).toBe(whole.includes(part));
      expect(textContains(whole.toString(), part.toString())).toBe(whole.includes(part));
      expect(countedWhole.reads()).toBeLessThanOrEqual(whole.length);
      // Each step of the search either goes on or falls back, and it cannot fall back more often than it went on.
      expect(countedPart.reads()).toBeLessThanOrEqual(4 * whole.length + 6 * part.length);
    }
  });
});
