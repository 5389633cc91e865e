import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it.each([
    ['{"a":1,"\\\\":2}', '{"a":1,"\\n":2}', 'a', '\n'],
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', 'h', '"'],
    ['{"x":1,"a\\\\":1}', '{"x":1,"a\\t":1}', 'x', 'a\t'],
    ['{"y":1,"\\\\":1}', '{ "y" : 1 ,\r\n\t"\\u0000" : 1 }', 'y', '\0'],
  ])('tells names apart that V8 takes for one: after %s, %s', (before, text, ...names) => {
    expect(Object.keys(parseJson(before) as object)[1]).toMatch(/\\$/);
    expect(Object.keys(parseJson(text) as object)).toEqual(names);
  });

  it('gives back what JSON.stringify wrote, however it is spaced', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const name = fc.stringMatching(/^[\\"\n\t\0\u00e9ab]{0,3}$/);
    const named = fc.dictionary(name, fc.oneof(anything, fc.dictionary(name, anything)));
    assertProperty(
      fc.property(
        fc.oneof(named, fc.array(named)),
        fc.constantFrom(undefined, 1, '\t', '\r\n'),
        (value, space) => {
          assert.deepStrictEqual(parseJson(JSON.stringify(value, null, space)), written(value));
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('lets the last of equal names count, in the place of the first', () => {
    const value = parseJson('{"\\u0061":1,"b":2,"a":{"\\u0062":3,"b":[4]}}');
    expect(JSON.stringify(value)).toBe('{"a":{"b":[4]},"b":2}');
  });

  it('makes a member of a name that means more to an object', () => {
    const value = parseJson('{"\\u005f_proto__":{"a":1}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each(['', '{"\\n":1', '{"\\n":1,}', '{"\\n" 1}', '[1 2]', '"\\n', '{"\\x":1}'])(
    'refuses %s, which is no JSON',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

/** Normalises a value to what JSON.stringify can express, which knows neither prototypes nor the sign of a zero. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, written(inner)]));
}
