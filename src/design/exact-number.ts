/** A number as its digits: `units` / 10^`decimals`, with no more decimals than it needs. */
interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** All digits of a number without an exponent, as the service shows numbers. */
export function numberText(value: number): string {
  const text = String(value);
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, '0')}`;
}

/** Undefined for what is no finite number in decimal digits. */
export function decimalOf(value: unknown): Decimal | undefined {
  const text =
    typeof value === 'number' && Number.isFinite(value)
      ? numberText(value)
      : typeof value === 'string'
        ? value
        : '';
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = fraction.replace(/0+$/, '');
  const units = BigInt(whole + kept);
  return { units: sign === '-' ? -units : units, decimals: kept.length };
}

/** The digits with `decimals` behind the point, rounded if the number has more. */
export function unitsAt({ units, decimals }: Decimal, wanted: number): bigint {
  if (decimals <= wanted) return units * 10n ** BigInt(wanted - decimals);
  const unit = 10n ** BigInt(decimals - wanted);
  return (units + unit / 2n) / unit;
}

/** A number if it holds all the digits, else their text. */
export function plainNumber(units: bigint, decimals: number): number | string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  const number = Number(text);
  return numberText(number) === text ? number : text;
}

/** The sum that the service computes: of decimal digits, not of binary fractions. */
export function exactSum(a: unknown, b: number): number | string {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  if (left === undefined || right === undefined) return Number(a) + b;
  const decimals = Math.max(left.decimals, right.decimals);
  return plainNumber(unitsAt(left, decimals) + unitsAt(right, decimals), decimals);
}
