import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import type { AttributeValue, Item } from './attribute-value.ts';
import { encodeBase64 } from './base64.ts';
import { itemSize, numberSize, valueSize } from './item-size.ts';
import { canonicalNumber } from './numbers.ts';
import { readItem } from './read-attribute-value.ts';

function numberOf(text: string): string {
  const number = canonicalNumber(text, 'newer');
  if (typeof number !== 'string') throw new Error(`not a number: ${text}`);
  return number;
}

describe('the size of a number', () => {
  it.each([
    ['0', 1],
    ['-0', 1],
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['100', 2],
    ['1E125', 2],
    ['1E-130', 2],
    ['1.5', 3],
    ['0.15', 2],
    ['0.0015', 2],
    ['100.5', 4],
    ['3.14159', 5],
    ['123456', 4],
    ['-42', 3],
    ['-0.5', 3],
    ['12345678901234567890123456789012345678', 20],
  ])('%s is %d', (text, size) => expect(numberSize(numberOf(text))).toBe(size));
});

describe('the size of an item', () => {
  it('is 23 in the guide’s example', () => {
    expect(itemSize(readItem({ 'shirt-color': { S: 'R' }, 'shirt-size': { S: 'M' } }, 'newer') as Item)).toBe(
      23,
    );
  });

  it('counts what each type costs', () => {
    expect(valueSize({ S: '' })).toBe(0);
    expect(valueSize({ S: 'é€\u{1f600}' })).toBe(9);
    expect(valueSize({ B: encodeBase64(new Uint8Array(10)) })).toBe(10);
    expect(valueSize({ BOOL: false })).toBe(1);
    expect(valueSize({ NULL: true })).toBe(1);
    expect(valueSize({ L: [] })).toBe(3);
    expect(valueSize({ M: new Map() })).toBe(3);
    expect(valueSize({ L: [{ S: 'ab' }, { N: '1' }] })).toBe(3 + 2 + 2 + 2);
    expect(valueSize({ M: new Map([['name', { BOOL: true }]]) })).toBe(3 + 1 + 4 + 1);
    expect(valueSize({ SS: ['a', 'bc'] })).toBe(3);
    expect(valueSize({ NS: ['1', '-42'] })).toBe(5);
    expect(valueSize({ BS: ['AA==', 'AAAA'] })).toBe(4);
  });

  it('is the sum of its attributes, and nests with a fixed overhead', () => {
    const value: fc.Arbitrary<AttributeValue> = fc.oneof(
      fc.string({ unit: 'binary' }).map((S) => ({ S })),
      fc.integer().map((n) => ({ N: `${n}` })),
      fc.uint8Array().map((bytes) => ({ B: encodeBase64(bytes) })),
      fc.boolean().map((BOOL) => ({ BOOL })),
    );
    assertProperty(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), value), { selector: ([name]) => name }),
        (entries) => {
          const item = new Map(entries);
          const sum = entries.reduce((size, [name, one]) => size + itemSize(new Map([[name, one]])), 0);
          expect(itemSize(item)).toBe(sum);
          expect(valueSize({ M: item })).toBe(3 + entries.length + sum);
          const values = entries.map(([, one]) => one);
          const contents = values.reduce((size, one) => size + valueSize(one), 0);
          expect(valueSize({ L: values })).toBe(3 + values.length + contents);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});
