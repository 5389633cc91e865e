import { describe, expect, it } from 'vitest';
import { base64, deepValue } from './generate-values.ts';
import { attributes, compareValues, depthOf, equal, sizeOf, sizeOfItem, type Value } from './values.ts';

describe('naive values', () => {
  const equals: [Value, Value][] = [
    [{ N: '1' }, { N: '1.0' }],
    [{ N: '1e3' }, { N: '1000' }],
    [{ SS: ['a', 'b'] }, { SS: ['b', 'a'] }],
    [{ NS: ['1', '2.0'] }, { NS: ['2', '1e0'] }],
    [{ BS: ['AA==', '/w=='] }, { BS: ['/w==', 'AA=='] }],
    [{ L: [{ N: '1' }] }, { L: [{ N: '1.00' }] }],
    [map({ a: { N: '1' }, b: { S: '' } }), map({ b: { S: '' }, a: { N: '1.0' } })],
  ];
  it.each(equals)('%j equals %j', (a, b) => {
    expect(equal(a, b)).toBe(true);
  });

  const different: [Value, Value][] = [
    [{ N: '1' }, { S: '1' }],
    [{ S: 'a' }, { B: 'a' }],
    [{ L: [{ S: 'a' }, { S: 'b' }] }, { L: [{ S: 'b' }, { S: 'a' }] }],
    [{ L: [{ S: 'a' }] }, { SS: ['a'] }],
    [map({ a: { S: 'a' } }), map({ a: { S: 'a' }, b: { S: 'b' } })],
    [{ NULL: true }, { BOOL: true }],
    [map({ ['__proto__']: { S: 'a' } }), map({})],
  ];
  it.each(different)('%j differs from %j', (a, b) => {
    expect(equal(a, b)).toBe(false);
  });

  const ordered: [Value, Value][] = [
    [{ N: '2' }, { N: '10' }],
    [{ S: '10' }, { S: '2' }],
    [{ S: 'a' }, { S: 'ab' }],
    // By UTF-8 bytes a character beyond the plane comes last; by UTF-16 units it would come before.
    [{ S: '\uffff' }, { S: '🙂' }],
    [{ B: base64('7f') }, { B: base64('80') }],
    [{ B: '' }, { B: base64('00') }],
  ];
  it.each(ordered)('%j comes before %j', (a, b) => {
    expect(compareValues(a, b)).toBeLessThan(0);
    expect(compareValues(b, a)).toBeGreaterThan(0);
    expect(compareValues(a, a)).toBe(0);
  });

  it('has no order between types and of other types', () => {
    expect(compareValues({ S: '1' }, { N: '1' })).toBeUndefined();
    expect(compareValues({ BOOL: true }, { BOOL: true })).toBeUndefined();
    expect(compareValues({ L: [] }, { L: [] })).toBeUndefined();
  });

  const sizes: [Value, number][] = [
    [{ S: '' }, 0],
    [{ S: 'é🙂' }, 6],
    [{ N: '-42' }, 3],
    [{ B: base64('000102') }, 3],
    [{ BOOL: false }, 1],
    [{ NULL: true }, 1],
    [{ SS: ['a', 'bc'] }, 3],
    [{ NS: ['1', '123'] }, 5],
    [{ BS: [base64('00'), base64('0001')] }, 3],
    [{ L: [] }, 3],
    [{ L: [{ N: '1' }, { S: 'ab' }] }, 3 + 2 + 2 + 2],
    [map({ é: { N: '1' } }), 3 + 1 + 2 + 2],
  ];
  it.each(sizes)('%j has its size', (value, size) => {
    expect(sizeOf(value)).toBe(size);
  });

  it('adds up items as the guide does', () => {
    expect(
      sizeOfItem(
        attributes([
          ['shirt-color', { S: 'R' }],
          ['shirt-size', { S: 'M' }],
        ]),
      ),
    ).toBe(23);
  });

  it('counts levels from the attribute itself', () => {
    expect(depthOf({ S: 'a' })).toBe(1);
    expect(depthOf({ L: [{ L: [] }, { S: 'a' }] })).toBe(2);
    expect(depthOf(deepValue(32))).toBe(32);
  });
});

function map(members: Readonly<Record<string, Value>>): Value {
  return { M: attributes(Object.entries(members)) };
}
