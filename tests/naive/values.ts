import { compareDecimals, decimal, decimalSize, decimalText } from './big-decimal.ts';

/** An attribute value as it stands in DynamoDB JSON; binary is base64. */
export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly Value[] }
  | { readonly M: Attributes };

/**
 * Attributes by name. Always without a prototype (`attributes()` makes one), so that `__proto__` and `constructor`
 * are names like any other.
 */
export type Attributes = Record<string, Value>;

export type TypeName = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M';
export type KeyTypeName = 'S' | 'N' | 'B';

export const typeNames: readonly TypeName[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];

export function attributes(entries: Iterable<readonly [string, Value]> = []): Attributes {
  const made: Attributes = Object.create(null);
  for (const [name, value] of entries) made[name] = value;
  return made;
}

/** The type of a value: the one name that it has. */
export function typeOf(value: Value): TypeName {
  return Object.keys(value)[0] as TypeName;
}

/** What stands under the type. */
export function contentOf(value: Value): unknown {
  return Object.values(value)[0];
}

/**
 * A text that is the same for equal values and different for different ones: numbers by value, sets in any order,
 * members of maps in any order.
 */
export function canonicalText(value: Value): string {
  if ('N' in value) return `{"N":"${decimalText(decimal(value.N))}"}`;
  if ('SS' in value) return `{"SS":${JSON.stringify([...value.SS].sort())}}`;
  if ('BS' in value) return `{"BS":${JSON.stringify([...value.BS].sort())}}`;
  if ('NS' in value) {
    return `{"NS":${JSON.stringify(value.NS.map((text) => decimalText(decimal(text))).sort())}}`;
  }
  if ('L' in value) return `{"L":[${value.L.map(canonicalText).join(',')}]}`;
  if ('M' in value) return `{"M":${canonicalItem(value.M)}}`;
  return JSON.stringify(value);
}

export function canonicalItem(item: Attributes): string {
  const members = Object.keys(item)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(item[name]!)}`);
  return `{${members.join(',')}}`;
}

export function equal(a: Value, b: Value): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** The order of two values, or undefined where DynamoDB knows none: other types, or two different ones. */
export function compareValues(a: Value, b: Value): number | undefined {
  if ('N' in a && 'N' in b) return compareDecimals(decimal(a.N), decimal(b.N));
  if ('S' in a && 'S' in b) return Buffer.compare(Buffer.from(a.S), Buffer.from(b.S));
  if ('B' in a && 'B' in b) return Buffer.compare(bytesOf(a.B), bytesOf(b.B));
  return undefined;
}

export function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** The size in DynamoDB's own bytes. */
export function sizeOf(value: Value): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return decimalSize(decimal(value.N));
  if ('B' in value) return bytesOf(value.B).length;
  if ('SS' in value) return sum(value.SS.map((member) => sizeOf({ S: member })));
  if ('NS' in value) return sum(value.NS.map((member) => sizeOf({ N: member })));
  if ('BS' in value) return sum(value.BS.map((member) => sizeOf({ B: member })));
  if ('L' in value) return 3 + value.L.length + sum(value.L.map(sizeOf));
  if ('M' in value) return 3 + Object.keys(value.M).length + sizeOfItem(value.M);
  return 1;
}

export function sizeOfItem(item: Attributes): number {
  return sum(Object.keys(item).map((name) => Buffer.byteLength(name) + sizeOf(item[name]!)));
}

/** How many levels a value has, itself being the first. */
export function depthOf(value: Value): number {
  const inside = 'L' in value ? value.L : 'M' in value ? Object.values(value.M) : [];
  return 1 + Math.max(0, ...inside.map(depthOf));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
