import { describe, expect, it, vi } from 'vitest';
import { JsonReader } from '../model/json/json-reader.ts';
import { JsonBodies, jsonDepthMax, unparsable } from './json-body.ts';

const bodies = new JsonBodies();

/** Parses a text as text and as bytes; both results must be equal. */
function parse(text: string): unknown {
  const parsed = bodies.parse(text);
  expect(bodies.parse(Buffer.from(text))).toEqual(parsed);
  return parsed;
}

describe('JsonBodies', () => {
  it('reads an ordinary request with the JSON reader, not with JSON.parse', () => {
    const read = vi.spyOn(JsonReader.prototype, 'read');
    const body =
      '{"TableName": "t", "Item": {"pk": {"S": "é\\n"}, "n": {"L": [{"N": "1"}, {"BOOL": true}]}}}';
    bodies.parse(Buffer.from(body));
    expect(read.mock.results).toEqual([{ type: 'return', value: JSON.parse(body) }]);
    read.mockRestore();
  });

  it('parses what is JSON, from any view of bytes', () => {
    const bytes = new TextEncoder().encode('xx{"A":"ö𝒳"}xx');
    expect(bodies.parse(bytes.subarray(2, -2))).toEqual({ A: 'ö𝒳' });
  });

  it.each(['', 'hi', '{', '{"a":1}}', "{'a':1}", '{"a":1,}', 'NaN', '\uFEFF{}', '"\u0000"'])(
    'refuses %j',
    (text) => {
      expect(parse(text)).toBe(unparsable);
    },
  );

  it('keeps null members, which the shapes of the operations drop', () => {
    expect(parse('{"TableName":null}')).toEqual({ TableName: null });
  });

  it('takes the last of duplicate keys', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 });
  });

  it('takes __proto__ for a key like any other', () => {
    const parsed = parse('{"__proto__":{"polluted":true}}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('tells names apart that JSON.parse of Node 24 takes for one', () => {
    for (const space of [0, 2]) {
      const texts = ['\\', '\n', '"'].map((name) => JSON.stringify({ a: 1, [name]: 2 }, null, space));
      expect(texts.map((text) => Object.keys(parse(text) as object)[1])).toEqual(['\\', '\n', '"']);
    }
  });

  it.each([
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
    ['a stray continuation', [0x22, 0x80, 0x22]],
  ])('refuses bytes that are not UTF-8: %s', (_, bytes) => {
    expect(bodies.parse(Uint8Array.from(bytes))).toBe(unparsable);
  });

  it('parses to the greatest depth and no deeper', () => {
    const nested = (depth: number) => '{"M":'.repeat(depth) + '1'.padEnd(jsonDepthMax) + '}'.repeat(depth);
    expect(parse(nested(jsonDepthMax))).not.toBe(unparsable);
    expect(parse(nested(jsonDepthMax + 1))).toBe(unparsable);
  });

  it('does not count brackets in strings, nor closed ones', () => {
    const text = JSON.stringify({ s: `"\\${'['.repeat(5000)}`, l: Array.from({ length: 5000 }, () => [{}]) });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('is done at once with sixteen megabytes of brackets', () => {
    expect(bodies.parse(Buffer.alloc(16 << 20, '['))).toBe(unparsable);
  });
});
