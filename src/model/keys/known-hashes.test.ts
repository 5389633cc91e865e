import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { KnownHashes } from './known-hashes.ts';

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '#', '1'), maxLength: 4 }),
  // UTF-16 units whose values are the UTF-8 bytes of another text.
  fc.string({ unit: fc.constantFrom('\u9000', '\u00e9', '\u0080', '\u00c3', '\u00a9', 'a'), maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('x', 'y'), minLength: 54, maxLength: 70 }),
);

/** Makes a stand-in for a hash, surrounded by other bytes. */
function wanted(number: number): Uint8Array {
  return Uint8Array.of(7, ...hashOf(number), 7);
}

function hashOf(number: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => (i < 4 ? (number >>> (8 * i)) & 0xff : 255 - i));
}

function found(known: KnownHashes, text: string): Uint8Array | undefined {
  const target = new Uint8Array(18).fill(7);
  if (known.copy(text, target, 1)) return target;
  expect(target).toEqual(new Uint8Array(18).fill(7));
  return undefined;
}

it('gives the hash of a text that was noted, or none', () => {
  const known = new KnownHashes();
  const numbers = new Map<string, number>();
  let hits = 0;
  assertProperty(
    fc.property(text, (one) => {
      const hash = found(known, one);
      if (hash !== undefined) {
        hits++;
        expect(hash).toEqual(wanted(numbers.get(one)!));
        return;
      }
      numbers.set(one, numbers.size);
      known.note(one, hashOf(numbers.get(one)!));
    }),
    { numRuns: propertyRuns(5_000) },
  );
  expect(hits).toBeGreaterThan(1_000);
});

it('knows what was noted last, until others have its places', () => {
  const known = new KnownHashes();
  expect(found(known, 'a')).toBeUndefined();
  known.note('a', hashOf(1));
  expect(found(known, 'a')).toEqual(wanted(1));
  for (let i = 0; i < 100_000; i++) {
    known.note(`k${i}`, hashOf(i));
    expect(known.copy(`k${i}`, new Uint8Array(16), 0)).toBe(true);
  }
  expect(found(known, 'a')).toBeUndefined();
  expect(found(known, 'k99999')).toEqual(wanted(99_999));
});

it('knows two texts that have the same places', () => {
  const known = new KnownHashes();
  const texts = Array.from({ length: 1_000 }, (_, i) => `CUSTOMER#${i}`);
  // Enough texts to enlarge the cache.
  for (let turn = 0; turn < 2; turn++) for (const [i, one] of texts.entries()) known.note(one, hashOf(i));
  const hits = texts.filter((one) => found(known, one) !== undefined).length;
  expect(hits).toBeGreaterThan(990);
});

it('knows no long texts, and none that are not ASCII', () => {
  const known = new KnownHashes();
  for (const one of ['x'.repeat(48), 'é', '\u9000']) {
    known.note(one, hashOf(1));
    expect(found(known, one)).toBeUndefined();
  }
  known.note('x'.repeat(47), hashOf(2));
  expect(found(known, 'x'.repeat(47))).toEqual(wanted(2));
});
