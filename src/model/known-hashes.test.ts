import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../tests/property-runs.ts';
import { KnownHashes } from './known-hashes.ts';
import { encodeUtf8 } from './utf8.ts';

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '#', '1'), maxLength: 4 }),
  // Units that are bytes of each other's UTF-8.
  fc.string({ unit: fc.constantFrom('\u9000', '\u00e9', '\u0080', '\u00c3', '\u00a9', 'a'), maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('x', 'y'), minLength: 54, maxLength: 70 }),
);

it('answers the hash of a text that was noted, or none', () => {
  const known = new KnownHashes();
  const hashes = new Map<string, Uint8Array>();
  let found = 0;
  fc.assert(
    fc.property(text, (one) => {
      const hash = known.find(one);
      if (hash !== undefined) {
        found++;
        expect(hash).toBe(hashes.get(one));
        return;
      }
      const bytes = encodeUtf8(`12345${one}`);
      const made = Uint8Array.of(hashes.size);
      hashes.set(one, made);
      known.note(one, bytes, 5, made);
    }),
    { numRuns: propertyRuns(5_000) },
  );
  expect(found).toBeGreaterThan(1_000);
});

it('finds what was noted last, until another has its place', () => {
  const known = new KnownHashes();
  expect(known.find('a')).toBeUndefined();
  const hash = Uint8Array.of(1);
  known.note('a', encodeUtf8('a'), 0, hash);
  expect(known.find('a')).toBe(hash);
  for (let i = 0; i < 100_000; i++) known.note(`k${i}`, encodeUtf8(`k${i}`), 0, Uint8Array.of(2));
  expect(known.find('a')).toBeUndefined();
  expect(known.find('k99999')).toEqual(Uint8Array.of(2));
});
