import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { parseCanonicalAttributes, parseCanonicalItem } from '../json/parse-canonical-json.ts';
import { parseJson } from '../json/parse-json.ts';
import { header, item, name, text } from '../values/any-item.fixture.ts';
import { type AttributeValue, equalItems, type Item } from '../values/attribute-value.ts';
import { compareBytes } from '../values/bytes.ts';
import { itemSize } from '../values/item-size.ts';
import { readItem } from '../values/read-attribute-value.ts';
import { encodeUtf8 } from '../values/utf8.ts';
import {
  decodeAttributes,
  decodeItem,
  encodeItem,
  encodeStored,
  headerBytes,
  itemJson,
  nextVersion,
  nextWriteTime,
  readHeader,
  readItemBytes,
} from './stored-item.ts';

function jsonOf(one: Item): string {
  return new TextDecoder().decode(itemJson(encodeItem(one, header)));
}

/** The same item with every map and set reversed. */
function reversed(one: Item): Item {
  return new Map([...one].reverse().map(([key, content]) => [key, reversedValue(content)]));
}

function reversedValue(one: AttributeValue): AttributeValue {
  if ('M' in one) return { M: reversed(one.M) };
  if ('L' in one) return { L: one.L.map(reversedValue) };
  if ('SS' in one) return { SS: one.SS.toReversed() };
  if ('NS' in one) return { NS: one.NS.toReversed() };
  if ('BS' in one) return { BS: one.BS.toReversed() };
  return one;
}

describe('some attributes of an item', () => {
  it('are those of the whole item', () => {
    assertProperty(
      fc.property(item, fc.array(name, { maxLength: 3 }), fc.nat(), (one, others, pick) => {
        const own = [...one.keys()].filter((_, i) => ((pick >> i) & 1) === 1);
        const names = new Set([...own, ...others]);
        const expected = new Map([...one].filter(([each]) => names.has(each)));
        expect(equalItems(decodeAttributes(encodeItem(one, header), names), expected)).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('are not looked for in what is damaged', () => {
    const whole = '{"a":{"L":[{"S":"x\\"y"}]},"b":{"N":"1"}}';
    const names = new Set(['b']);
    expect(parseCanonicalAttributes(encodeUtf8(whole), names)).toEqual(new Map([['b', { N: '1' }]]));
    for (let end = 0; end < whole.length - 1; end++)
      expect(() => parseCanonicalAttributes(encodeUtf8(whole.slice(0, end)), names)).toThrow(
        'not canonical JSON',
      );
  });
});

describe('the header', () => {
  it('round trips and stands where its table says', () => {
    const bytes = encodeItem(new Map([['a', { S: 'b' }]]), {
      ...header,
      itemBytes: 0x01020304,
      era: 0x05060708,
      version: 2 ** 48 - 1,
    });
    expect([...bytes.subarray(0, 6)]).toEqual([2, 0, 1, 2, 3, 4]);
    expect([...bytes.subarray(6, 10)]).toEqual([5, 6, 7, 8]);
    expect([...bytes.subarray(17, 24)]).toEqual([3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    expect(new TextDecoder().decode(bytes.subarray(headerBytes))).toBe('{"a":{"S":"b"}}');
    expect(readItemBytes(bytes)).toBe(0x01020304);
    assertProperty(
      fc.property(
        fc.record({
          encrypted: fc.boolean(),
          tombstone: fc.boolean(),
          itemBytes: fc.nat(0xffff_ffff),
          era: fc.nat(0xffff_ffff),
          writtenMicros: fc.maxSafeNat(),
          region: fc.nat(0xff),
          version: fc.nat(2 ** 48 - 1),
        }),
        (any) => {
          expect(readHeader(encodeStored(new Uint8Array(3), any))).toEqual(any);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it('refuses what it cannot hold and what it does not know', () => {
    for (const wrong of [
      { itemBytes: -1 },
      { itemBytes: 2 ** 32 },
      { era: 2 ** 32 },
      { version: 2 ** 48 },
      { region: 256 },
      { writtenMicros: 0.5 },
    ]) {
      expect(() => encodeItem(new Map(), { ...header, ...wrong })).toThrow();
    }
    const bytes = encodeItem(new Map(), header);
    for (const wrong of [
      bytes.subarray(0, 23),
      new Uint8Array(),
      new Uint8Array(40),
      Uint8Array.from(bytes, (byte, i) => (i === 0 ? 1 : byte)),
      Uint8Array.from(bytes, (byte, i) => (i === 1 ? 4 : byte)),
    ]) {
      expect(() => readHeader(wrong)).toThrow();
      expect(() => itemJson(wrong)).toThrow();
      expect(() => decodeItem(wrong)).toThrow();
    }
    expect(() => decodeItem(encodeItem(new Map(), { ...header, encrypted: true }))).toThrow('decrypted');
  });

  it('never goes back in time within an era', () => {
    const previous = { ...header, era: 4, writtenMicros: 10 };
    expect(nextWriteTime(undefined, 4, 5)).toBe(5);
    expect(nextWriteTime(previous, 4, 20)).toBe(20);
    expect(nextWriteTime(previous, 4, 10)).toBe(11);
    expect(nextWriteTime(previous, 4, 3)).toBe(11);
    expect(nextWriteTime(previous, 5, 3)).toBe(3);
    expect(() => nextWriteTime(previous, 3, 20)).toThrow('later era');
    expect(nextVersion(undefined)).toBe(1);
    expect(nextVersion(header)).toBe(8);
  });
});

describe('canonical JSON', () => {
  it('sorts names by UTF-8 bytes, whatever JavaScript would do', () => {
    const names = ['10', '9', '\u{10000}', '\uffff', 'b', 'a', '__proto__', 'B'];
    const one = new Map(names.map((each): [string, AttributeValue] => [each, { NULL: true }]));
    const sorted = ['10', '9', 'B', '__proto__', 'a', 'b', '\uffff', '\u{10000}'];
    expect(jsonOf(one)).toBe(`{${sorted.map((each) => `"${each}":{"NULL":true}`).join(',')}}`);
  });

  it('is JSON, escaped as JSON.stringify does', () => {
    assertProperty(
      fc.property(text, (S) => {
        expect(jsonOf(new Map([['a', { S }]]))).toBe(`{"a":{"S":${JSON.stringify(S)}}}`);
      }),
      { numRuns: propertyRuns(500) },
    );
    assertProperty(
      fc.property(item, (one) => {
        expect(readItem(parseJson(jsonOf(one)), 'older')).toEqual(one);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('round trips', () => {
    assertProperty(
      fc.property(item, (one) => {
        const bytes = encodeItem(one, { ...header, itemBytes: itemSize(one) });
        const back = decodeItem(bytes);
        expect(equalItems(back, one)).toBe(true);
        expect(back).toEqual(one);
        expect(compareBytes(encodeItem(back, readHeader(bytes)), bytes)).toBe(0);
        expect(itemSize(back)).toBe(itemSize(one));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('is equal exactly for equal values', () => {
    const names = fc.constantFrom('1', '2', '10', 'a', '__proto__');
    const few = fc.constantFrom<AttributeValue>(
      { S: '1' },
      { N: '1' },
      { B: 'AAAA' },
      { SS: ['1'] },
      { NS: ['1'] },
      { BS: ['AAAA'] },
      { BOOL: true },
      { NULL: true },
      { L: [] },
      { M: new Map() },
    );
    const small = fc.array(fc.tuple(names, few), { maxLength: 3 }).map((entries): Item => new Map(entries));
    const same = (a: Item, b: Item) => {
      expect(jsonOf(a) === jsonOf(b)).toBe(equalItems(a, b));
    };
    assertProperty(fc.property(small, small, same), { numRuns: propertyRuns(1_000) });
    assertProperty(fc.property(item, item, same), { numRuns: propertyRuns(300) });
    assertProperty(
      fc.property(item, (one) => {
        expect(jsonOf(reversed(one))).toBe(jsonOf(one));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is refused when it is damaged', () => {
    const whole = '{"a":{"S":"b\\n"},"c":{"L":[{"BOOL":true},{"NULL":true}]},"d":{"NS":["1"]}}';
    expect(parseCanonicalItem(encodeUtf8(whole)).size).toBe(3);
    for (let length = 0; length < whole.length; length++)
      expect(() => parseCanonicalItem(encodeUtf8(whole.slice(0, length)))).toThrow();
    for (const wrong of [
      `${whole} `,
      '{"a":{"X":"b"}}',
      '{"a":{"NULL":false}}',
      '{"a":{"BOOL":1}}',
      '{ "a":{"S":"b"}}',
    ]) {
      expect(() => parseCanonicalItem(encodeUtf8(wrong))).toThrow();
    }
  });
});
