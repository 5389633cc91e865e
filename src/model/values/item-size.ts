import {
  type AttributeValue,
  type BinarySetValue,
  type BinaryValue,
  type Item,
  type ListValue,
  type MapValue,
  type NumberSetValue,
  type NumberValue,
  type StringSetValue,
  type StringValue,
  typeOf,
} from './attribute-value.ts';
import { base64Bytes } from './base64.ts';
import { utf8Length } from './utf8.ts';

/**
 * The size of items in DynamoDB's bytes, which limits, metering and paging use. The rules, except for numbers, are
 * those of the guide (documented: Developer Guide, CapacityUnitCalculations). The guide only approximates their size;
 * the exact rule was found by searching for the last item under 400 KB (observed: public captures, eu-west-2, August
 * 2026).
 */

/** The bytes of a list or map besides its contents, and the bytes per element. */
export const documentBytes = 3;
export const elementBytes = 1;

/** The size of an item: the names and values of all its attributes. */
export function itemSize(item: Item): number {
  let size = 0;
  for (const [name, value] of item) size += utf8Length(name) + valueSize(value);
  return size;
}

/**
 * The size of a changed item, from its size before. Both items may be partial: they must have the attributes that may
 * have changed, and any other attribute must be in both or in neither.
 */
export function changedSize(before: Item, beforeBytes: number, after: Item): number {
  return beforeBytes + itemSize(after) - itemSize(before);
}

export function valueSize(value: AttributeValue): number {
  switch (typeOf(value)) {
    case 'S':
      return utf8Length((value as StringValue).S);
    case 'N':
      return numberSize((value as NumberValue).N);
    case 'B':
      return base64Bytes((value as BinaryValue).B);
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'M': {
      const { M } = value as MapValue;
      return documentBytes + M.size * elementBytes + itemSize(M);
    }
    case 'L': {
      const { L } = value as ListValue;
      return documentBytes + L.length * elementBytes + sum(L, valueSize);
    }
    case 'SS':
      return sum((value as StringSetValue).SS, utf8Length);
    case 'NS':
      return sum((value as NumberSetValue).NS, numberSize);
    case 'BS':
      return sum((value as BinarySetValue).BS, base64Bytes);
  }
}

/**
 * The size of a number: one byte, plus one for every two significant digits before the point and after it, each side
 * rounded up separately, plus one for a negative number. `0` is 1, `100` is 2, `1.5` is 3, `0.15` is 2, `-42` is 3.
 */
export function numberSize(canonical: string): number {
  if (canonical === '0') return 1;
  const start = canonical.charCodeAt(0) === 0x2d ? 1 : 0;
  const point = canonical.indexOf('.');
  if (point < 0) {
    let end = canonical.length;
    while (canonical.charCodeAt(end - 1) === 0x30) end--;
    return 1 + halfRoundedUp(end - start) + start;
  }
  if (canonical.charCodeAt(start) !== 0x30) {
    return 1 + halfRoundedUp(point - start) + halfRoundedUp(canonical.length - point - 1) + start;
  }
  let first = point + 1;
  while (canonical.charCodeAt(first) === 0x30) first++;
  return 1 + halfRoundedUp(canonical.length - first) + start;
}

function halfRoundedUp(digits: number): number {
  return (digits + 1) >> 1;
}

function sum<T>(parts: readonly T[], sizeOf: (part: T) => number): number {
  let size = 0;
  for (const part of parts) size += sizeOf(part);
  return size;
}
