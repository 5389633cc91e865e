import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { requestFingerprint } from './request-fingerprint.ts';

const fingerprint = (input: object) => Buffer.from(requestFingerprint(input)).toString('hex');

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true });

it('is the same for members in any order', () => {
  assertProperty(
    fc.property(json, (value) => {
      expect(fingerprint(reversed(value) as object)).toBe(fingerprint(value));
    }),
    { numRuns: propertyRuns(300) },
  );
});

it('is another for another request', () => {
  const seen = new Map<string, string>();
  assertProperty(
    fc.property(json, (value) => {
      const text = canonical(value);
      const found = seen.get(fingerprint(value));
      if (found !== undefined) expect(found).toBe(text);
      seen.set(fingerprint(value), text);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

it.each<[object, object]>([
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, { a: 'null' }],
  [{ a: true }, { a: 'true' }],
  [{ a: [] }, { a: {} }],
  [{ a: ['b', 'c'] }, { a: ['c', 'b'] }],
  [{ a: ['bc'] }, { a: ['b', 'c'] }],
  [
    { a: { S: 'b' }, c: { S: 'd' } },
    { a: { S: 'd' }, c: { S: 'b' } },
  ],
  [{ a: { b: 'c' } }, { b: { a: 'c' } }],
  [{ a: { b: {} } }, { a: {}, b: {} }],
  [{ a: 'x' }, { a: 'x', b: '' }],
  [{ a: '\u0100' }, { a: '\u0001' }],
])('tells %j from %j', (one, other) => {
  expect(fingerprint(one)).not.toBe(fingerprint(other));
});

it('tells numbers that differ in one digit', () => {
  const all = Array.from({ length: 100_000 }, (_, i) => fingerprint({ Item: { version: { N: String(i) } } }));
  expect(new Set(all).size).toBe(all.length);
});

it('does not see members that are undefined, which no JSON has', () => {
  expect(fingerprint({ a: 'x', b: undefined })).toBe(fingerprint({ a: 'x' }));
});

/** The same value with the members of every structure in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '0' : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)}}`;
}
