import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { DynamoError } from '../errors.ts';
import type { ValidationLayer } from '../validation-layer.ts';
import {
  addNumbers,
  canonicalNumber,
  compareNumbers,
  decimalOf,
  numberText,
  parseNumber,
  subtractNumbers,
} from './numbers.ts';

const overflow = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const underflow =
  'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const tooPrecise = 'Attempting to store more than 38 significant digits in a Number';
const notNumeric = 'The parameter cannot be converted to a numeric value';

/** The canonical text, or the message of the error. */
function outcome(result: string | DynamoError): string | undefined {
  return result instanceof DynamoError ? result.message : result;
}

function canonical(text: string, layer: ValidationLayer = 'newer'): string | undefined {
  return outcome(canonicalNumber(text, layer));
}

/** A naive decimal to compare the real one with: an integer times a power of ten. */
interface Naive {
  whole: bigint;
  power: number;
}

function naive(text: string): Naive {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  return {
    whole: BigInt(`${integer}${fraction}`.replace(/^\+/, '')),
    power: Number(exponent) - fraction.length,
  };
}

function aligned(a: Naive, b: Naive): [bigint, bigint, number] {
  const power = Math.min(a.power, b.power);
  return [a.whole * 10n ** BigInt(a.power - power), b.whole * 10n ** BigInt(b.power - power), power];
}

function naiveOutcome(whole: bigint, power: number): string {
  if (whole === 0n) return '0';
  let digits = (whole < 0n ? -whole : whole).toString();
  let exponent = power;
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    exponent++;
  }
  const magnitude = exponent + digits.length - 1;
  if (magnitude > 125 || digits.length > 38) return overflow;
  if (magnitude < -130) return underflow;
  const padded = digits + '0'.repeat(Math.max(exponent, 0));
  const fraction = Math.max(-exponent, 0);
  const left = padded.padStart(fraction + 1, '0');
  const text = fraction === 0 ? left : `${left.slice(0, -fraction)}.${left.slice(-fraction)}`;
  return whole < 0n ? `-${text}` : text;
}

const digits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 38 })
  .map((all) => all.join(''));

/** Numbers over the whole range, in the spellings that requests use. */
const spelled = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.constantFrom('', '0', '000'),
    digits,
    fc.nat(37),
    fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -130, max: 125 })),
  )
  .map(([sign, zeros, all, point, power]) => {
    const at = Math.min(point, all.length);
    const mantissa = at === all.length ? all : `${all.slice(0, at)}.${all.slice(at)}`;
    return `${sign}${zeros}${mantissa}${power === 0 ? '' : `e${power}`}`;
  });

const numbers = spelled
  .map((text) => canonicalNumber(text, 'newer'))
  .filter((number): number is string => typeof number === 'string');

describe('canonical text', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['+0.000', '0'],
    ['0e125', '0'],
    ['0e-130', '0'],
    ['7', '7'],
    ['-7', '-7'],
    ['+3', '3'],
    ['00042', '42'],
    ['0042.1200', '42.12'],
    ['1.0', '1'],
    ['3.1400', '3.14'],
    ['.123', '0.123'],
    ['5.', '5'],
    ['1.5E2', '150'],
    ['1e3', '1000'],
    ['1e+5', '100000'],
    ['-17.4E37', `-174${'0'.repeat(36)}`],
    ['1E125', `1${'0'.repeat(125)}`],
    ['1E-130', `0.${'0'.repeat(129)}1`],
    ['9.9999999999999999999999999999999999999E+125', `${'9'.repeat(38)}${'0'.repeat(88)}`],
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    [`1${'0'.repeat(100)}`, `1${'0'.repeat(100)}`],
    [`1.${'0'.repeat(1000)}`, '1'],
    [`${'0'.repeat(1000)}1`, '1'],
    ['1e0000000000000002', '100'],
  ])('%s is %s', (text, expected) => {
    expect(canonical(text, 'newer')).toBe(expected);
    expect(canonical(text, 'older')).toBe(expected);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    'b',
    '-',
    '+',
    '.',
    '-.',
    'e5',
    '1e',
    '1e+',
    '1e1.5',
    '1.2.3',
    '--1',
    '+-1',
    '1_000',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
    '١٢',
    '１',
    '1\u0000',
    '\ud800',
    '1n',
    '1d',
  ])('%j is not a number', (text) => {
    expect(canonical(text, 'newer')).toBe(`${notNumeric}: ${text}`);
    expect(canonical(text, 'older')).toBe(text === '' ? notNumeric : `${notNumeric}: ${text}`);
  });

  it.each([
    ['123456789012345678901234567890123456789', tooPrecise],
    ['-1.23456789012345678901234567890123456789', tooPrecise],
    ['314159265358979323846264338327950288419e30', tooPrecise],
    ['1e126', overflow],
    ['-1e126', overflow],
    ['11e125', overflow],
    ['0e126', overflow],
    ['1e-131', underflow],
    ['-1e-131', underflow],
    ['0.9e-130', underflow],
    ['0e-131', underflow],
  ])('%s is refused', (text, message) => {
    expect(canonical(text, 'newer')).toBe(message);
    expect(canonical(text, 'older')).toBe(message);
  });

  it('follows the layers where their integers differ', () => {
    expect(canonical('1e2147483647', 'older')).toBe(underflow);
    expect(canonical('1e2147483647', 'newer')).toBe(overflow);
    expect(canonical('1e2147483646', 'older')).toBe(overflow);
    expect(canonical('1e-2147483647', 'older')).toBe(underflow);
    expect(canonical('1e99999999999999999999', 'older')).toBe(`${notNumeric}: 1e99999999999999999999`);
    expect(canonical('1e9223372036854775807', 'newer')).toBe(overflow);
    expect(canonical('1e-9223372036854775808', 'newer')).toBe(underflow);
    expect(canonical('1e000000000000000000000000001', 'newer')).toBe('10');
    for (const text of ['1e9223372036854775808', '1e-9223372036854775809', '1e99999999999999999999'])
      expect(canonical(text, 'newer')).toBe(`${notNumeric}: ${text}`);
    expect(canonical('1e2147483648', 'older')).toBe(`${notNumeric}: 1e2147483648`);
    expect(canonical('1e-99999999999', 'newer')).toBe(underflow);
  });

  /** Any worse than linear time would not finish here. */
  it('copes with megabytes', () => {
    const million = 4_000_000;
    expect(canonical('9'.repeat(million))).toBe(overflow);
    expect(canonical(`0.${'0'.repeat(million)}1`)).toBe(underflow);
    expect(canonical(`0.1${'3'.repeat(million)}`)).toBe(tooPrecise);
    expect(canonical(`1e${'9'.repeat(million)}`)?.startsWith(notNumeric)).toBe(true);
    expect(canonical(`1e-${'0'.repeat(million)}1`)).toBe('0.1');
    expect(canonical(`${'0'.repeat(million)}x`)?.length).toBe(notNumeric.length + 2 + million + 1);
  });

  it('is the value of what was written, in both layers', () => {
    assertProperty(
      fc.property(spelled, (text) => {
        const { whole, power } = naive(text);
        const result = canonical(text, 'newer')!;
        expect(canonical(text, 'older')).toBe(result);
        if (whole !== 0n) expect(result).toBe(naiveOutcome(whole, power));
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('is the same for texts that are canonical at a glance', () => {
    let texts = [''];
    for (let length = 1; length <= 5; length++) {
      texts = texts.flatMap((text) => [...'-+.015e'].map((unit) => text + unit));
      for (const text of texts) {
        const number = parseNumber(text, 'newer');
        const result = canonical(text);
        if (result !== outcome(number instanceof DynamoError ? number : numberText(number)))
          expect.fail(`${text} came to ${result}`);
      }
    }
  });

  it('is its own canonical text, and survives being taken apart', () => {
    assertProperty(
      fc.property(numbers, (number) => {
        expect(canonical(number)).toBe(number);
        expect(numberText(decimalOf(number))).toBe(number);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe('order', () => {
  it('is that of the values', () => {
    assertProperty(
      fc.property(numbers, numbers, (a, b) => {
        const [x, y] = aligned(naive(a), naive(b));
        expect(Math.sign(compareNumbers(a, b))).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('holds among close neighbours', () => {
    const ascending = [
      '-100',
      '-12.5',
      '-12.45',
      '-12',
      '-1',
      '-0.11',
      '-0.1',
      '0',
      '0.0001',
      '0.1',
      '0.11',
      '1',
      '9',
      '10',
    ];
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries())
        expect(Math.sign(compareNumbers(a, b))).toBe(Math.sign(i - j));
    }
  });
});

describe('arithmetic', () => {
  it('is exact or refused', () => {
    assertProperty(
      fc.property(numbers, numbers, (a, b) => {
        const [x, y, power] = aligned(naive(a), naive(b));
        expect(outcome(addNumbers(a, b))).toBe(naiveOutcome(x + y, power));
        expect(outcome(subtractNumbers(a, b))).toBe(naiveOutcome(x - y, power));
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('is exact for the integers of the fast path', () => {
    const integer = fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n });
    assertProperty(
      fc.property(integer, integer, (a, b) => {
        expect(addNumbers(`${a}`, `${b}`)).toBe(`${a + b}`);
        expect(subtractNumbers(`${a}`, `${b}`)).toBe(`${a - b}`);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('knows the cases seen on the service', () => {
    const sum = (a: string, b: string) => outcome(addNumbers(canonical(a)!, canonical(b)!));
    expect(sum('1', '10000000000000000000000')).toBe('10000000000000000000001');
    expect(sum('9e125', '9e125')).toBe(overflow);
    expect(sum('1e50', '1')).toBe(overflow);
    expect(sum('0.1', '0.2')).toBe('0.3');
    expect(outcome(subtractNumbers(canonical('1.1e-130')!, canonical('1e-130')!))).toBe(underflow);
    expect(outcome(subtractNumbers(canonical('1e125')!, canonical('1e125')!))).toBe('0');
  });
});
