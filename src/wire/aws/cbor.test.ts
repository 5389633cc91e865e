import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { WireWork } from '../wire-work.ts';
import { notCbor, readCbor } from './cbor-reader.ts';
import { CborWriter } from './cbor-writer.ts';

function hex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function written(value: unknown): Uint8Array {
  const writer = new CborWriter();
  write(writer, value);
  return writer.bytes;
}

function write(writer: CborWriter, value: unknown): void {
  if (typeof value === 'number') writer.integer(value);
  else if (typeof value === 'string') writer.text(value);
  else if (typeof value === 'boolean') writer.boolean(value);
  else if (value instanceof Uint8Array) writer.blob(value);
  else if (Array.isArray(value)) {
    writer.list(value.length);
    for (const item of value) write(writer, item);
  } else {
    const entries = Object.entries(value as object);
    writer.map(entries.length);
    for (const [key, item] of entries) {
      writer.text(key);
      write(writer, item);
    }
  }
}

describe('the reader of CBOR', () => {
  // The examples of RFC 8949, appendix A, that Smithy's protocol can have.
  it.each([
    ['00', 0],
    ['17', 23],
    ['18 18', 24],
    ['18 64', 100],
    ['19 03e8', 1000],
    ['1a 000f4240', 1_000_000],
    ['1b 000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['38 63', -100],
    ['39 03e7', -1000],
    ['f9 0000', 0],
    ['f9 8000', -0],
    ['f9 3c00', 1],
    ['f9 3e00', 1.5],
    ['f9 7bff', 65_504],
    ['f9 0001', 2 ** -24],
    ['f9 0400', 0.00006103515625],
    ['f9 c400', -4],
    ['f9 7c00', Number.POSITIVE_INFINITY],
    ['f9 7e00', Number.NaN],
    ['fa 47c35000', 100_000],
    ['fa 7f7fffff', 3.4028234663852886e38],
    ['fb 3ff199999999999a', 1.1],
    ['fb 7e37e43c8800759c', 1e300],
    ['fb fff0000000000000', Number.NEGATIVE_INFINITY],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['f7', null],
    ['c1 1a 514b67b0', 1_363_896_240],
    ['c1 fb 41d452d9ec200000', 1_363_896_240.5],
    ['d9 d9f7 01', 1],
    ['60', ''],
    ['64 49455446', 'IETF'],
    ['62 c3bc', 'ü'],
    ['7f 65 7374726561 64 6d696e67 ff', 'streaming'],
    ['80', []],
    ['83 01 02 03', [1, 2, 3]],
    ['9f ff', []],
    ['9f 01 82 02 03 9f 04 05 ff ff', [1, [2, 3], [4, 5]]],
    ['a0', {}],
    ['a2 61 61 01 61 62 82 02 03', { a: 1, b: [2, 3] }],
    ['bf 61 61 01 61 62 9f 02 03 ff ff', { a: 1, b: [2, 3] }],
  ])('reads %s', (bytes, value) => {
    expect(readCbor(hex(bytes))).toEqual(value);
  });

  it('joins bytes of indefinite length', () => {
    expect(Buffer.from(readCbor(hex('5f 42 0102 43 030405 ff')) as Uint8Array).toString('hex')).toBe(
      '0102030405',
    );
  });

  it('keeps a member named __proto__ as a member', () => {
    const value = readCbor(hex('a1 69 5f5f70726f746f5f5f a1 61 61 01')) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([['__proto__', { a: 1 }]]);
  });

  it.each([
    ['nothing', ''],
    ['a length without its bytes', '19 01'],
    ['a text that is shorter than it says', '63 6161'],
    ['a text of four gigabytes', '7a ffffffff 61'],
    ['a list of 2^53 items', '9b 0020000000000000 01'],
    ['a map of 2^32 members', 'ba ffffffff 61 61 01'],
    ['text that is not UTF-8', '61 ff'],
    ['a break on its own', 'ff'],
    ['a break instead of a value', 'bf 61 61 ff'],
    ['a break in a list of known length', '81 ff'],
    ['a list without its end', '9f 01'],
    ['a key that is a number', 'a1 01 01'],
    ['a chunk of another kind', '7f 41 61 ff'],
    ['a chunk of indefinite length', '7f 7f ff ff'],
    ['reserved lengths', '1c'],
    ['an unknown tag', 'c2 41 01'],
    ['a time that is a text', 'c1 61 31'],
    ['an unknown simple value', 'e0'],
    ['half a number', 'f9 00'],
    ['something behind the value', '01 01'],
    ['too many levels', `${'81'.repeat(70)}01`],
    ['too many open levels', `${'9f'.repeat(100_000)}`],
    ['too many tags', `${'c1'.repeat(1000)}01`],
  ])('refuses %s', (_, bytes) => {
    expect(readCbor(hex(bytes))).toBe(notCbor);
  });

  it('refuses more values than any request has', () => {
    const bytes = Buffer.alloc(2_000_005, 0x01);
    bytes.set(hex('9a 001e8480'));
    const work = new WireWork();
    expect(readCbor(bytes, work)).toBe(notCbor);
    expect(work.cborValues).toBeLessThanOrEqual(500_001);
  });

  it('never throws, whatever the bytes', () => {
    assertProperty(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        readCbor(bytes);
      }),
      { numRuns: propertyRuns(3000) },
    );
  });
});

describe('what is written', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.double(),
      fc.maxSafeInteger(),
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.array(tie('any'), { maxLength: 30 }),
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 30 }),
    ),
  })).any;

  it('is read as it was', () => {
    assertProperty(
      fc.property(value, (given) => {
        expect(readCbor(written(given))).toEqual(given);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is refused when its end is missing', () => {
    assertProperty(
      fc.property(value, fc.nat(), (given, cut) => {
        const bytes = written(given);
        expect(readCbor(bytes.subarray(0, cut % bytes.length))).toBe(notCbor);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('has the shortest head', () => {
    const head = (number: number) => Buffer.from(written(number)).toString('hex');
    expect([0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, -1, -25].map(head)).toEqual([
      ...['00', '17', '1818', '18ff', '190100', '19ffff', '1a00010000', '1affffffff'],
      ...['1b0000000100000000', '20', '3818'],
    ]);
  });

  it('marks times', () => {
    const writer = new CborWriter();
    writer.timestamp(1_363_896_240);
    writer.timestamp(1_363_896_240.5);
    expect(Buffer.from(writer.bytes).toString('hex')).toBe('c11a514b67b0c1fb41d452d9ec200000');
  });
});
