import { decodeBase64 } from './base64.ts';
import { compareBytes } from './bytes.ts';
import { mayTake, type StepCount } from './find-part.ts';
import { compareNumbers } from './numbers.ts';
import { compareUtf8 } from './utf8.ts';

/**
 * Attribute values in memory: DynamoDB JSON, in normal form.
 *
 * A value is an object with one member named for its type, as on the wire. Items and maps are JavaScript `Map`s, not
 * objects: attribute names come from users, and a Map gives no special meaning to `__proto__` and no special order to
 * names such as `10`. Maps are not slower either: parsing an item into Maps costs a tenth more than `JSON.parse`
 * alone, and writing them byte by byte costs a third less than `JSON.stringify` and encoding.
 *
 * In normal form numbers are canonical text, binary values are canonical base64 text, strings are well-formed, and
 * sets are sorted without duplicates. Binary values stay text because they arrive, are stored and leave as text; only
 * keys, sizes and comparisons look at their bytes. `readItem` and `readAttributeValue` make normal values from a
 * request's JSON. Code that makes new sets uses `setOf`.
 *
 * Values never change, so they may be shared freely.
 */
export type AttributeValue = KeyValue | BooleanValue | NullValue | ListValue | MapValue | SetValue;

/** The values that may be part of a key. */
export type KeyValue = StringValue | NumberValue | BinaryValue;
export type SetValue = StringSetValue | NumberSetValue | BinarySetValue;

export interface StringValue {
  readonly S: string;
}
export interface NumberValue {
  readonly N: string;
}
export interface BinaryValue {
  readonly B: string;
}
export interface BooleanValue {
  readonly BOOL: boolean;
}
export interface NullValue {
  readonly NULL: true;
}
export interface ListValue {
  readonly L: readonly AttributeValue[];
}
export interface MapValue {
  readonly M: Item;
}
export interface StringSetValue {
  readonly SS: readonly string[];
}
export interface NumberSetValue {
  readonly NS: readonly string[];
}
export interface BinarySetValue {
  readonly BS: readonly string[];
}

/** An item, a map, or a part of an item such as its key. The order of its entries has no meaning. */
export type Item = ReadonlyMap<string, AttributeValue>;

export type AttributeType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'L' | 'M' | 'SS' | 'NS' | 'BS';
export type KeyType = 'S' | 'N' | 'B';
export type SetType = 'SS' | 'NS' | 'BS';

/**
 * The type of a value. Code for all types switches on this, which is faster than asking `'S' in value` for one type
 * after another: that costs more for each type further down.
 */
export function typeOf(value: AttributeValue): AttributeType {
  for (const type in value) return type as AttributeType;
  throw new Error('an attribute value without a type');
}

export function isKeyValue(value: AttributeValue): value is KeyValue {
  return 'S' in value || 'N' in value || 'B' in value;
}

/** The text of a key value: the string, the canonical number or the base64. */
export function keyText(value: KeyValue): string {
  return 'S' in value ? value.S : 'N' in value ? value.N : value.B;
}

/** Formats a key value as the service's errors do. */
export function shownKeyValue(value: KeyValue): string {
  return `AttributeValue: {${typeOf(value)}:${keyText(value)}}`;
}

/** The members of a set value. */
export function membersOf(value: SetValue): readonly string[] {
  return 'SS' in value ? value.SS : 'NS' in value ? value.NS : value.BS;
}

/** Makes a set from normal members in any order, with repeats or without. */
export function setOf(type: SetType, members: Iterable<string>): SetValue {
  const sorted = [...new Set(members)].sort(memberOrder[type]);
  return type === 'SS' ? { SS: sorted } : type === 'NS' ? { NS: sorted } : { BS: sorted };
}

/** The order of the members of each type of set. */
export const memberOrder: Readonly<Record<SetType, (a: string, b: string) => number>> = {
  SS: compareUtf8,
  NS: compareNumbers,
  BS: compareBase64,
};

/** Compares two binary values by their unsigned bytes. The letters of base64 have another order. */
export function compareBase64(a: string, b: string): number {
  if (a === b) return 0;
  // Only the groups that differ are decoded: a long operand would otherwise cost its length at every short value.
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const group = at - (at % 4);
  return (
    compareBytes(decodeBase64(a.slice(group, group + 4)), decodeBase64(b.slice(group, group + 4))) ||
    a.length - b.length
  );
}

/** Compares two values of one key type. Returns undefined if their types differ. */
export function compareKeyValues(a: KeyValue, b: KeyValue): number | undefined {
  if ('S' in a) return 'S' in b ? compareUtf8(a.S, b.S) : undefined;
  if ('N' in a) return 'N' in b ? compareNumbers(a.N, b.N) : undefined;
  return 'B' in b ? compareBase64(a.B, b.B) : undefined;
}

/**
 * Tells whether two normal values are equal: same type, numbers by value, sets as sets, documents deeply. `work` gets the
 * steps that it took: texts of equal length are compared at native speed, members of maps are looked up by name.
 */
export function equalValues(a: AttributeValue, b: AttributeValue, work?: StepCount): boolean {
  if (a === b) return true;
  if ('S' in a) return 'S' in b && equalTexts(a.S, b.S, work);
  if ('N' in a) return 'N' in b && a.N === b.N;
  if ('B' in a) return 'B' in b && equalTexts(a.B, b.B, work);
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('M' in a) return 'M' in b && equalItems(a.M, b.M, work);
  if ('L' in a) return 'L' in b && equalLists(a.L, b.L, work);
  if ('SS' in a) return 'SS' in b && equalSorted(a.SS, b.SS, work);
  if ('NS' in a) return 'NS' in b && equalSorted(a.NS, b.NS, work);
  return 'BS' in b && equalSorted(a.BS, b.BS, work);
}

export function equalItems(a: Item, b: Item, work?: StepCount): boolean {
  if (a.size !== b.size) return false;
  if (!mayTake(a.size, work)) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !equalValues(value, other, work)) return false;
  }
  return true;
}

function equalTexts(a: string, b: string, work: StepCount | undefined): boolean {
  return a.length === b.length && mayTake(a.length >> 9, work) && a === b;
}

function equalLists(
  a: readonly AttributeValue[],
  b: readonly AttributeValue[],
  work: StepCount | undefined,
): boolean {
  if (a.length !== b.length) return false;
  if (!mayTake(a.length >> 2, work)) return false;
  for (let i = 0; i < a.length; i++) if (!equalValues(a[i]!, b[i]!, work)) return false;
  return true;
}

function equalSorted(a: readonly string[], b: readonly string[], work: StepCount | undefined): boolean {
  if (a.length !== b.length) return false;
  if (!mayTake(a.length >> 2, work)) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
