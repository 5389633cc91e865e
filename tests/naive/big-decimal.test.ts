import { describe, expect, it } from 'vitest';
import {
  add,
  compareDecimals,
  decimal,
  decimalSize,
  decimalText,
  numberTexts,
  parseDecimal,
  subtract,
  unstorable,
} from './big-decimal.ts';

describe('the naive decimal', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['0.000', '0'],
    ['+7', '7'],
    ['007', '7'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['1E+2', '100'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-2.50', '-2.5'],
    ['-0.001e2', '-0.1'],
    ['123.456', '123.456'],
    ['1e-3', '0.001'],
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['9.9999999999999999999999999999999999999E+125', `${'9'.repeat(38)}${'0'.repeat(88)}`],
    ['1E-130', `0.${'0'.repeat(129)}1`],
  ])('reads %s as %s', (text, canonical) => {
    expect(decimalText(decimal(text))).toBe(canonical);
  });

  it.each([
    ['', numberTexts.notNumeric('')],
    ['b', numberTexts.notNumeric('b')],
    ['1 ', numberTexts.notNumeric('1 ')],
    ['.', numberTexts.notNumeric('.')],
    ['1e', numberTexts.notNumeric('1e')],
    ['NaN', numberTexts.notNumeric('NaN')],
    ['0x1', numberTexts.notNumeric('0x1')],
    ['1'.repeat(39), numberTexts.tooPrecise],
    ['1E126', numberTexts.overflow],
    ['-1E126', numberTexts.overflow],
    ['1E-131', numberTexts.underflow],
    ['0e126', numberTexts.overflow],
    ['0e-131', numberTexts.underflow],
  ])('refuses %s', (text, refused) => {
    expect(parseDecimal(text)).toEqual({ refused });
  });

  it.each([
    ['1', '2', '3', '-1'],
    ['0.1', '0.2', '0.3', '-0.1'],
    ['1', '-1', '0', '2'],
    ['1e20', '1e-17', `100000000000000000000.${'0'.repeat(16)}1`, `99999999999999999999.${'9'.repeat(17)}`],
    ['-5', '-7', '-12', '2'],
  ])('adds and subtracts %s and %s', (a, b, sum, difference) => {
    expect(decimalText(add(decimal(a), decimal(b)))).toBe(sum);
    expect(decimalText(subtract(decimal(a), decimal(b)))).toBe(difference);
  });

  it('orders by value', () => {
    const ascending = [
      '-1E125',
      '-10',
      '-9',
      '-1.5',
      '-1E-130',
      '0',
      '1E-130',
      '0.5',
      '1',
      '9',
      '10',
      '1E125',
    ];
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        expect(compareDecimals(decimal(a), decimal(b))).toBe(Math.sign(i - j));
      }
    }
    expect(compareDecimals(decimal('1.0'), decimal('1'))).toBe(0);
  });

  it('knows which sums cannot be stored', () => {
    const largest = decimal('9.9999999999999999999999999999999999999E+125');
    expect(unstorable(add(largest, largest))).toBe(numberTexts.overflow);
    expect(unstorable(add(decimal('1e50'), decimal('1')))).toBe(numberTexts.overflow);
    expect(unstorable(add(decimal('1e37'), decimal('1')))).toBeUndefined();
    expect(unstorable(subtract(decimal('1.1E-130'), decimal('1E-130')))).toBe(numberTexts.underflow);
    expect(unstorable(subtract(largest, largest))).toBeUndefined();
  });

  it.each([
    ['0', 1],
    ['-0', 1],
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['100', 2],
    ['1E125', 2],
    ['1.5', 3],
    ['0.15', 2],
    ['100.5', 4],
    ['-42', 3],
    ['1E-130', 2],
    ['100.001', 5],
    ['12345678901234567890123456789012345678', 20],
  ])('takes %s for as many bytes as the service does', (text, size) => {
    expect(decimalSize(decimal(text))).toBe(size);
  });
});
