import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { JsonReader, ownCopy } from './json-reader.ts';
import { parseJson } from './parse-json.ts';

function newReader(): JsonReader {
  return new JsonReader({
    latin1: (bytes, start, end) => Buffer.from(bytes).toString('latin1', start, end),
    utf8: (bytes, start, end) => Buffer.from(bytes).toString('utf8', start, end),
  });
}

/** The value of the bytes if they are JSON in UTF-8. */
function parsed(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    '"',
    '\\',
    'a\nb',
    '\u0000',
    'é',
    '💡',
    '\u2028',
    '\ufffd',
    '\ud800',
    '\x7f',
    'x'.repeat(40),
  ),
);
const name = fc.oneof(
  text,
  fc.constantFrom('S', 'N', 'B', 'BOOL', 'M', 'L', 'BS', '__proto__', 'constructor', 'Time', '0', '10', 'pk'),
  fc.constant('n'.repeat(300)),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
    // The attribute values that requests are full of.
    text.map((S) => ({ S })),
    fc.integer().map((n) => ({ N: String(n) })),
    fc.dictionary(name, tie('value'), { noNullPrototype: true, maxKeys: 4 }).map((M) => ({ M })),
    fc.boolean().map((BOOL) => ({ BOOL })),
  ),
}));

/** JSON as Python's `json.dumps` writes it. */
function withBlanks(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withBlanks).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${withBlanks(inner)}`,
  );
  return `{${members.join(', ')}}`;
}

describe('JsonReader', () => {
  it('reads what programs write, to the same values as JSON.parse', () => {
    const reader = newReader();
    assertProperty(
      fc.property(fc.array(anything, { maxLength: 5 }), (values) => {
        // Not `toStrictEqual`, which takes an attribute that is called `constructor` for the object's own.
        for (const value of values)
          for (const json of [JSON.stringify(value), withBlanks(value)])
            assert.deepStrictEqual(reader.read(Buffer.from(json)), parseJson(json));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('reads nothing that JSON.parse would refuse, and nothing otherwise', () => {
    const reader = newReader();
    let read = 0;
    let refused = 0;
    const part = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        ' ',
        '  ',
        '\n',
        '0',
        '-',
        '1e5',
        '.5',
        '+',
        'true',
        'nul',
        '\t',
      ],
      ...['{"S":', '{"S"', '"S":"x"', '{"BOOL":', '"a"', '\\u00', '\u0001', '\u00e9', ', ', '{"__proto__":'],
    );
    const change = fc.tuple(fc.nat(), fc.nat({ max: 2 }), part);
    assertProperty(
      fc.property(anything, fc.array(change, { maxLength: 2 }), fc.boolean(), (value, changes, blanks) => {
        let json = Buffer.from(blanks ? withBlanks(value) : JSON.stringify(value));
        for (const [where, dropped, added] of changes) {
          const at = where % (json.length + 1);
          // Latin-1, so that some bytes are not UTF-8.
          json = Buffer.concat([
            json.subarray(0, at),
            Buffer.from(added, 'latin1'),
            json.subarray(at + dropped),
          ]);
        }
        let result: unknown;
        try {
          result = reader.read(json);
        } catch {
          refused++;
          return;
        }
        read++;
        assert.deepStrictEqual(result, parsed(json));
      }),
      { numRuns: propertyRuns(5_000) },
    );
    expect(read).toBeGreaterThan(500);
    expect(refused).toBeGreaterThan(500);
  });

  it.each(
    [
      [
        '',
        '{',
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"S":"x"',
        '{"S" "x"}',
        '{"S"}',
        '{"S":}',
        '{"S":"x",}',
        '{"BOOL":}',
      ],
      [
        '[1',
        '[1,]',
        '[,1]',
        '"a',
        '"a\\',
        '"\\x"',
        '"\\u12"',
        '"a\nb"',
        'tru',
        'trues',
        '{"a":1}x',
        'x',
        '{a:1}',
      ],
      [
        '01',
        '-',
        '1.',
        '.5',
        '1e',
        '+1',
        '0x1',
        'NaN',
        '-Infinity',
        '{"a":1,,"b":2}',
        '{,}',
        '[1 2]',
        '{"a":1"b":2}',
      ],
    ].flat(),
  )('throws at %j', (json) => {
    expect(() => JSON.parse(json)).toThrow();
    expect(() => newReader().read(Buffer.from(json))).toThrow();
  });

  it.each([
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xe2, 0x82, 0x22],
    [0x22, 0x80, 0x22],
    [0xef, 0xbb, 0xbf, 0x7b, 0x7d],
  ])('throws at bytes that are not UTF-8 or not JSON: %j', (...bytes) => {
    expect(() => newReader().read(Uint8Array.from(bytes))).toThrow();
  });

  it('takes the last of members of one name, in the place of the first', () => {
    const json = '{"S":"a","b":1,"S":"c","__proto__":1,"__proto__":{"x":2}}';
    const value = newReader().read(Buffer.from(json));
    assert.deepStrictEqual(value, JSON.parse(json));
    expect(Object.keys(value as object)).toEqual(['S', 'b', '__proto__']);
  });

  it('reads a part of an array of bytes', () => {
    const bytes = Buffer.from('xx{"é":"ö","a":"b"}');
    expect(newReader().read(bytes, 2)).toEqual({ é: 'ö', a: 'b' });
  });

  it('reads what looks like a value and is a map, in time that grows with its length', () => {
    let json = '{"S":"x"}';
    for (let i = 0; i < 40; i++) json = `{"M":${json},"other":{"S":"y"}}`;
    expect(newReader().read(Buffer.from(json))).toEqual(JSON.parse(json));
  });

  it('reads what DynamoDB stores at the deepest, and leaves the deepest of others to others', () => {
    const nested = (begin: string, end: string, times: number) =>
      Buffer.from(`${begin.repeat(times)}{"S":"x"}${end.repeat(times)}`);
    for (const [begin, end] of [
      ['{"M":{"a":', '}}'],
      ['{"L":[', ']}'],
      ['{"M":', '}'],
      ['{"BOOL":', '}'],
      ['{"S":"x","a":', '}'],
      ['{"b":1, "a":', '}'],
      ['[', ']'],
    ] as const) {
      expect(newReader().read(nested(begin, end, 50))).toEqual(parsed(nested(begin, end, 50)));
      expect(() => newReader().read(nested(begin, end, 1_000))).toThrow('unexpected JSON');
      expect(() => newReader().read(nested(begin, end, 1_000_000))).toThrow('unexpected JSON');
    }
  });

  it('counts levels and not objects, also after it has thrown', () => {
    const reader = newReader();
    expect(() => reader.read(Buffer.alloc(200, '['))).toThrow();
    const json = JSON.stringify(
      Array.from({ length: 300 }, () => [{}, { S: 'x' }, { a: { BOOL: true } }, []]),
    );
    expect(reader.read(Buffer.from(json))).toEqual(JSON.parse(json));
  });

  it('goes on with other names than it expects', () => {
    const reader = newReader();
    for (const json of ['{"a":1,"b":2}', '{"a":1,"c":2}', '{"a":1}', '{"b":1,"a":2}', '{"a":1,"bb":2}'])
      expect(reader.read(Buffer.from(json))).toEqual(JSON.parse(json));
    for (let i = 0; i < 30_000; i++)
      expect((reader.read(Buffer.from(`{"n${i}":${i},"z":0}`)) as Record<string, number>)[`n${i}`]).toBe(i);
  });

  it('reads more names than it remembers', () => {
    const reader = newReader();
    const json = JSON.stringify(
      Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`n${i}`, { S: 'x' }])),
    );
    for (let turn = 0; turn < 2; turn++) expect(reader.read(Buffer.from(json))).toEqual(JSON.parse(json));
  });

  it('converts members by their names', () => {
    const reader = new JsonReader(
      {
        latin1: (bytes, start, end) => Buffer.from(bytes).toString('latin1', start, end),
        utf8: (bytes, start, end) => Buffer.from(bytes).toString('utf8', start, end),
      },
      (name) => (name === 'B' ? (value) => [value] : undefined),
    );
    for (let turn = 0; turn < 2; turn++)
      expect(reader.read(Buffer.from('{"a":{"B":"x"},"B":{"B":1},"S":"B"}'))).toEqual({
        a: { B: ['x'] },
        B: [{ B: [1] }],
        S: 'B',
      });
  });
});

it('copies a text', () => {
  assertProperty(
    fc.property(text, (one) => {
      expect(ownCopy(one)).toBe(one);
    }),
  );
});
