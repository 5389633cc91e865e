/**
 * Decimal numbers as a school book has them: a whole coefficient and a power of ten. Nothing is clever here, because
 * this is what the engine's arithmetic is judged by.
 */
export interface BigDecimal {
  /** Never ends in a zero, unless it is zero. */
  readonly coefficient: bigint;
  /** The value is coefficient × 10^exponent; 0 for zero. */
  readonly exponent: number;
}

const digitsMax = 38;
const smallestMagnitude = -130;
const largestMagnitude = 125;

export const numberTexts = {
  tooPrecise: 'Attempting to store more than 38 significant digits in a Number',
  overflow: 'Number overflow. Attempting to store a number with magnitude larger than supported range',
  underflow: 'Number underflow. Attempting to store a number with magnitude smaller than supported range',
  notNumeric: (text: string) => `The parameter cannot be converted to a numeric value: ${text}`,
} as const;

/** Reads a number as a request spells it; what DynamoDB says instead, when it does not accept it. */
export function parseDecimal(text: string): BigDecimal | { readonly refused: string } {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const whole = parts?.[2] ?? '';
  const fraction = parts?.[3] ?? '';
  if (parts === null || whole + fraction === '') return { refused: numberTexts.notNumeric(text) };
  const exponent = Number(parts[4] ?? '0') - fraction.length;
  const written = BigInt(whole + fraction);
  // Zero has a magnitude here too, the one it is written with: that is why `0e126` is refused.
  const magnitude = written.toString().length - 1 + exponent;
  if (magnitude > largestMagnitude) return { refused: numberTexts.overflow };
  if (magnitude < smallestMagnitude) return { refused: numberTexts.underflow };
  const number = trimmed(parts[1] === '-' ? -written : written, exponent);
  return significantDigits(number) > digitsMax ? { refused: numberTexts.tooPrecise } : number;
}

/** Reads a number that is known to be good. */
export function decimal(text: string): BigDecimal {
  const number = parseDecimal(text);
  if ('refused' in number) throw new Error(`${text} is no number: ${number.refused}`);
  return number;
}

/** Plain decimal, no exponent, no superfluous zeros: the text that DynamoDB answers. */
export function decimalText({ coefficient, exponent }: BigDecimal): string {
  const sign = coefficient < 0n ? '-' : '';
  const digits = magnitudeOf(coefficient).toString();
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** The exact sum; it may be one that DynamoDB cannot hold. */
export function add(a: BigDecimal, b: BigDecimal): BigDecimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return trimmed(at(a, exponent) + at(b, exponent), exponent);
}

export function subtract(a: BigDecimal, b: BigDecimal): BigDecimal {
  return add(a, { coefficient: -b.coefficient, exponent: b.exponent });
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: BigDecimal, b: BigDecimal): number {
  const difference = subtract(a, b).coefficient;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * What is said of a sum that cannot be stored. One of too many digits is called an overflow, not too precise
 * (`1e50 + 1` on the live service, by Alternator's tests).
 */
export function unstorable(sum: BigDecimal): string | undefined {
  if (sum.coefficient === 0n) return undefined;
  const magnitude = magnitudeOf(sum.coefficient).toString().length - 1 + sum.exponent;
  if (magnitude > largestMagnitude || significantDigits(sum) > digitsMax) return numberTexts.overflow;
  return magnitude < smallestMagnitude ? numberTexts.underflow : undefined;
}

/** One byte, one for every two digits on either side of the point, one for a minus. */
export function decimalSize(number: BigDecimal): number {
  if (number.coefficient === 0n) return 1;
  const [whole, fraction = ''] = decimalText(number).replace('-', '').split('.');
  // Zeros at the outer ends of the whole number are not significant; those around the point are, when digits
  // stand on both sides of it.
  const wholeDigits = fraction === '' ? whole!.replace(/0+$/, '') : whole!.replace(/^0+/, '');
  const fractionDigits = wholeDigits === '' ? fraction.replace(/^0+/, '') : fraction;
  const negative = number.coefficient < 0n ? 1 : 0;
  return 1 + Math.ceil(wholeDigits.length / 2) + Math.ceil(fractionDigits.length / 2) + negative;
}

function trimmed(coefficient: bigint, exponent: number): BigDecimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  let [rest, power] = [coefficient, exponent];
  while (rest % 10n === 0n) {
    rest /= 10n;
    power += 1;
  }
  return { coefficient: rest, exponent: power };
}

function at(number: BigDecimal, exponent: number): bigint {
  return number.coefficient * 10n ** BigInt(number.exponent - exponent);
}

function significantDigits({ coefficient }: BigDecimal): number {
  return magnitudeOf(coefficient).toString().length;
}

function magnitudeOf(coefficient: bigint): bigint {
  return coefficient < 0n ? -coefficient : coefficient;
}
