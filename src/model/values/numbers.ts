import { DynamoError, validationError } from '../errors.ts';
import { itemLimits } from '../limits.ts';
import type { ValidationLayer } from '../validation-layer.ts';

/**
 * DynamoDB's numbers: decimal, up to 38 significant digits, magnitudes 1E-130 … 9.99…E+125.
 *
 * In the model a number is its canonical text, the one that DynamoDB returns: plain decimal without exponent, `+`,
 * leading or trailing zeros, and `0` for every zero. Equal numbers therefore have equal texts, and a stored number is
 * sent without parsing it.
 */

/** A parsed number: ±d.ddd × 10^magnitude, where `d.ddd` are the digits. Zero has no digits. */
export interface Decimal {
  readonly negative: boolean;
  /** Significant digits, without leading and trailing zeros. */
  readonly digits: string;
  /** The power of ten of the first digit. */
  readonly magnitude: number;
}

const { numberDigitsMax, numberMagnitudeMax, numberMagnitudeMin } = itemLimits;
const zero: Decimal = { negative: false, digits: '', magnitude: 0 };

/** The canonical text of a number in a request, or the error that DynamoDB answers. */
export function canonicalNumber(text: string, layer: ValidationLayer): string | DynamoError {
  if (isCanonical(text)) return text;
  const number = parseNumber(text, layer);
  return number instanceof DynamoError ? number : numberText(number);
}

/** Tells whether a text is short and already canonical, as nearly all numbers of real requests are. */
function isCanonical(text: string): boolean {
  const length = text.length;
  const start = text.charCodeAt(0) === 0x2d ? 1 : 0;
  if (length === start || length - start > numberDigitsMax) return false;
  let point = length;
  for (let at = start; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) continue;
    if (unit !== 0x2e || point < length) return false;
    point = at;
  }
  // A leading zero is allowed only before the point, and a fraction does not end in zero.
  const isFraction = point < length;
  const last = text.charCodeAt(length - 1);
  if (point === start || (isFraction && (last === 0x30 || last === 0x2e))) return false;
  return text.charCodeAt(start) !== 0x30 || (point === start + 1 && (isFraction || length === 1));
}

/**
 * Parses a number as Java's BigDecimal does, which matches the service's behaviour: an optional sign, digits with at
 * most one point among or around them, an optional exponent. It takes one pass, whatever the length.
 *
 * The range check applies to the number as written, before zeros are trimmed, and to zero like to any other number.
 * That is why `0e126` and `0e-131` are refused.
 *
 * The older layer counts with 32-bit integers. There `1e2147483647` wraps around and is an underflow, and an exponent
 * that does not fit, or that leaves a scale that does not fit, makes the text no number (observed: public captures,
 * PartiQL's parameters in two Regions, October 2026). The newer layer uses the true magnitude throughout (guess).
 *
 * BigDecimal also accepts digits of other scripts. Whether the service does is unknown; we refuse them (guess).
 */
export function parseNumber(text: string, layer: ValidationLayer): Decimal | DynamoError {
  const length = text.length;
  const sign = text.charCodeAt(0);
  const negative = sign === 0x2d;
  let at = negative || sign === 0x2b ? 1 : 0;

  let digitCount = 0;
  let point = -1;
  let first = -1;
  let last = -1;
  for (; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) {
      digitCount++;
      if (unit !== 0x30) {
        if (first < 0) first = at;
        last = at;
      }
    } else if (unit === 0x2e && point < 0) point = at;
    else break;
  }
  if (digitCount === 0) return notNumeric(text, layer);
  const end = at;

  let exponent = 0;
  if (at < length) {
    if ((text.charCodeAt(at) | 0x20) !== 0x65) return notNumeric(text, layer);
    const read = readExponent(text, at + 1);
    if (read === undefined) return notNumeric(text, layer);
    exponent = read;
  }

  const scale = (point < 0 ? 0 : end - point - 1) - exponent;
  const precision = first < 0 ? 1 : end - first - (point > first ? 1 : 0);
  if (layer === 'older' && !(isInt32(exponent) && isInt32(scale))) return notNumeric(text, layer);
  const integerDigits = layer === 'older' ? (precision - scale) | 0 : precision - scale;
  if (integerDigits > numberMagnitudeMax + 1) return overflow();
  if (integerDigits < numberMagnitudeMin + 1) return underflow();
  if (first < 0) return zero;

  const pointInside = point > first && point < last;
  if (last - first + (pointInside ? 0 : 1) > numberDigitsMax) return tooPrecise();
  const digits = pointInside
    ? text.slice(first, point) + text.slice(point + 1, last + 1)
    : text.slice(first, last + 1);
  return { negative, digits, magnitude: integerDigits - 1 };
}

export function isInt32(integer: number): boolean {
  return integer === (integer | 0);
}

/**
 * Parses the exponent from `at` to the end of the text. Returns undefined if there is none, or if it does not fit 64
 * bits, which makes the text no number (observed: public captures, October 2026).
 */
function readExponent(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  const negative = sign === 0x2d;
  let first = negative || sign === 0x2b ? at + 1 : at;
  if (first >= text.length) return undefined;
  for (let i = first; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return undefined;
  while (first < text.length - 1 && text.charCodeAt(first) === 0x30) first++;
  const digits = text.slice(first);
  const max = negative ? '9223372036854775808' : '9223372036854775807';
  if (digits.length > max.length || (digits.length === max.length && digits > max)) return undefined;
  return negative ? -Number(digits) : Number(digits);
}

/** Parses a canonical text. */
export function decimalOf(canonical: string): Decimal {
  const number = parseNumber(canonical, 'newer');
  if (number instanceof DynamoError) throw new Error(`not a canonical number: ${canonical.slice(0, 100)}`);
  return number;
}

/** The canonical text of a number. */
export function numberText(number: Decimal): string {
  const { digits, magnitude } = number;
  if (digits === '') return '0';
  const integerDigits = magnitude + 1;
  let plain: string;
  if (magnitude < 0) plain = `0.${'0'.repeat(-integerDigits)}${digits}`;
  else if (digits.length <= integerDigits) plain = digits + '0'.repeat(integerDigits - digits.length);
  else plain = `${digits.slice(0, integerDigits)}.${digits.slice(integerDigits)}`;
  return number.negative ? `-${plain}` : plain;
}

/** Compares two canonical numbers. */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  const aNegative = a.charCodeAt(0) === 0x2d;
  const bNegative = b.charCodeAt(0) === 0x2d;
  if (aNegative !== bNegative) return aNegative ? -1 : 1;
  const order = integerLength(a) - integerLength(b) || (a < b ? -1 : 1);
  return aNegative ? -order : order;
}

/**
 * The length of the integer part. Texts with equally long integer parts have their points aligned, so they sort like
 * their numbers.
 */
function integerLength(canonical: string): number {
  const point = canonical.indexOf('.');
  return point < 0 ? canonical.length : point;
}

/** The exact sum of two canonical numbers, or the error if DynamoDB cannot store it. */
export function addNumbers(a: string, b: string): string | DynamoError {
  if (a.length <= 15 && b.length <= 15) {
    const sum = Number(a) + Number(b);
    // Integers of 15 digits and their sums are exact in a double and print without an exponent.
    if (a.indexOf('.') < 0 && b.indexOf('.') < 0) return String(sum);
  }
  return addDecimals(decimalOf(a), decimalOf(b));
}

/** The exact difference of two canonical numbers, or the error if DynamoDB cannot store it. */
export function subtractNumbers(a: string, b: string): string | DynamoError {
  if (b === '0') return a;
  return addNumbers(a, b.charCodeAt(0) === 0x2d ? b.slice(1) : `-${b}`);
}

/**
 * Adds two numbers. A sum with more than 38 digits gets the text of an overflow, not of too many digits, strange as it
 * reads (observed: Alternator's tests, `1e50 + 1`). A difference below the smallest magnitude is an underflow
 * (inferred).
 */
function addDecimals(a: Decimal, b: Decimal): string | DynamoError {
  const unit = Math.min(unitOf(a), unitOf(b));
  const sum = scaled(a, unit) + scaled(b, unit);
  if (sum === 0n) return '0';
  const negative = sum < 0n;
  const text = (negative ? -sum : sum).toString();
  let length = text.length;
  while (text.charCodeAt(length - 1) === 0x30) length--;
  const magnitude = unit + text.length - 1;
  if (magnitude > numberMagnitudeMax || length > numberDigitsMax) return overflow();
  if (magnitude < numberMagnitudeMin) return underflow();
  return numberText({ negative, digits: text.slice(0, length), magnitude });
}

/** The power of ten of a number's last digit. For zero it is the largest, so that the other operand decides. */
function unitOf(number: Decimal): number {
  return number.digits === '' ? numberMagnitudeMax : number.magnitude - number.digits.length + 1;
}

function scaled(number: Decimal, unit: number): bigint {
  if (number.digits === '') return 0n;
  const whole = BigInt(number.digits) * 10n ** BigInt(unitOf(number) - unit);
  return number.negative ? -whole : whole;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function notNumeric(text: string, layer: ValidationLayer): DynamoError {
  const detail = text === '' && layer === 'older' ? '' : `: ${text}`;
  return validationError(`The parameter cannot be converted to a numeric value${detail}`);
}

function tooPrecise(): DynamoError {
  return validationError(`Attempting to store more than ${numberDigitsMax} significant digits in a Number`);
}

function overflow(): DynamoError {
  return validationError(
    'Number overflow. Attempting to store a number with magnitude larger than supported range',
  );
}

function underflow(): DynamoError {
  return validationError(
    'Number underflow. Attempting to store a number with magnitude smaller than supported range',
  );
}
