import type { KeyType, KeyValue } from '../values/attribute-value.ts';
import { decodeBase64, encodeBase64 } from '../values/base64.ts';
import { type Decimal, decimalOf, numberText } from '../values/numbers.ts';
import { decodeUtf8, encodeUtf8 } from '../values/utf8.ts';

/**
 * Key values as bytes whose order is DynamoDB's order. These bytes are on disk and must not change.
 *
 * **S and B** are encoded as their own bytes: UTF-8 text and binary both sort by unsigned bytes.
 *
 * **N** is one byte for the sign, one for the magnitude, the digits in pairs, and an end:
 *
 *     zero       80
 *     positive   81  magnitude + 130  pair + 1 …  00
 *     negative   7F  125 - magnitude  254 - pair …  FF
 *
 * A number is d.ddd × 10^magnitude. Its digits are taken two at a time; a missing last digit is 0. The magnitude has
 * exactly 256 values. The bytes of a negative number are the complement of the positive number's bytes. The end sorts
 * before every pair (for negative numbers, after every pair), so of two numbers with the same first digits the shorter
 * one is nearer to zero. The end also makes the encoding self-delimiting. The longest number has 22 bytes.
 *
 * Values that other values follow, such as the RANGE attributes of an index key, are encoded as self-delimiting groups.
 * A number is its own group. In S and B every byte 00 becomes `00 FF`, and `00 00` ends the group. Groups sort as their
 * values do, and no group is a prefix of another.
 */

/** The length of the end mark `00 00`. */
export const groupEndBytes = 2;

const magnitudeBias = 130;
const signZero = 0x80;
const signPositive = 0x81;
const signNegative = 0x7f;

/** Encodes a value as the last part of a key. */
export function encodeKeyValue(value: KeyValue): Uint8Array {
  if ('S' in value) return encodeUtf8(value.S);
  if ('N' in value) return encodeNumber(decimalOf(value.N));
  return decodeBase64(value.B);
}

export function decodeKeyValue(bytes: Uint8Array, type: KeyType): KeyValue {
  switch (type) {
    case 'S':
      return { S: decodeUtf8(bytes) };
    case 'N':
      return { N: numberText(decodeNumber(bytes)) };
    case 'B':
      return { B: encodeBase64(bytes) };
  }
}

/** Encodes a value as a group, which other groups may follow. */
export function encodeGroup(value: KeyValue): Uint8Array {
  return 'N' in value ? encodeKeyValue(value) : escaped(encodeKeyValue(value), true);
}

/** Encodes the common prefix of the groups of all strings (or binaries) that begin with the value. */
export function encodeGroupPrefix(value: KeyValue): Uint8Array {
  if ('N' in value) throw new Error('a number has no beginning');
  return escaped(encodeKeyValue(value), false);
}

function escaped(raw: Uint8Array, ended: boolean): Uint8Array {
  let zeros = 0;
  for (const byte of raw) if (byte === 0) zeros++;
  const group = new Uint8Array(raw.length + zeros + (ended ? groupEndBytes : 0));
  if (zeros === 0) {
    group.set(raw);
    return group;
  }
  let at = 0;
  for (const byte of raw) {
    group[at++] = byte;
    if (byte === 0) group[at++] = 0xff;
  }
  return group;
}

function encodeNumber({ digits, magnitude, negative }: Decimal): Uint8Array {
  if (digits === '') return Uint8Array.of(signZero);
  const pairs = (digits.length + 1) >> 1;
  const bytes = new Uint8Array(pairs + 3);
  bytes[0] = signPositive;
  bytes[1] = magnitude + magnitudeBias;
  for (let i = 0; i < pairs; i++) {
    const tens = digits.charCodeAt(2 * i) - 0x30;
    const ones = 2 * i + 1 < digits.length ? digits.charCodeAt(2 * i + 1) - 0x30 : 0;
    bytes[i + 2] = tens * 10 + ones + 1;
  }
  if (!negative) return bytes;
  bytes[0] = signNegative;
  for (let i = 1; i < bytes.length; i++) bytes[i] = 0xff - bytes[i]!;
  return bytes;
}

function decodeNumber(bytes: Uint8Array): Decimal {
  const sign = bytes[0];
  if (sign === signZero && bytes.length === 1) return { negative: false, digits: '', magnitude: 0 };
  const negative = sign === signNegative;
  const flip = negative ? 0xff : 0;
  const end = bytes.length - 1;
  if ((!negative && sign !== signPositive) || end < 3 || bytes[end] !== flip)
    throw new Error('not a number key');
  let digits = '';
  for (let i = 2; i < end; i++) {
    const pair = (bytes[i]! ^ flip) - 1;
    if (pair < 0 || pair > 99) throw new Error('not a number key');
    digits += pair < 10 ? `0${pair}` : pair;
  }
  if (digits.endsWith('0')) digits = digits.slice(0, -1);
  return { negative, digits, magnitude: (bytes[1]! ^ flip) - magnitudeBias };
}
