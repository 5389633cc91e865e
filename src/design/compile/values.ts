import { decimalOf, numberText, plainNumber } from '../exact-number.ts';
import type { Attribute, Entity } from '../ir.ts';
import { freeCharacters, sortedCharacters, sortedCharactersInWords } from '../key-characters.ts';
import type { PlainValue } from '../key-text.ts';
import { type AttributeJson, type ItemJson, PatternError } from './requests.ts';

/** A value of an entity's attribute: plain values, bytes, and lists and documents of them. */
export type Value =
  | PlainValue
  | Uint8Array
  | null
  | readonly Value[]
  | ReadonlySet<string>
  | ReadonlySet<number>
  | ReadonlySet<Uint8Array>
  | { readonly [name: string]: Value };

/** The attributes of one instance. What is absent or undefined is not there. */
export type Values = { readonly [attribute: string]: Value | undefined };

/** The value in DynamoDB's JSON, by the attribute's type. */
export function toJson(where: string, { name, type }: Attribute, value: Value): AttributeJson {
  switch (type.kind) {
    case 'number':
    case 'epoch':
      return { N: checkedNumber(where, name, value) };
    case 'flag':
      if (typeof value !== 'boolean') throw wrong(where, name, 'true or false', value);
      return { BOOL: value };
    case 'binary':
      if (!(value instanceof Uint8Array)) throw wrong(where, name, 'bytes', value);
      return { B: value };
    case 'map':
    case 'list':
      return documentJson(where, name, value);
    default:
      if (typeof value !== 'string') throw wrong(where, name, 'a text', value);
      return { S: value };
  }
}

function checkedNumber(where: string, name: string, value: Value | undefined): string {
  if (typeof value === 'number' && Number.isFinite(value)) return numberText(value);
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return value;
  throw wrong(where, name, 'a number', value);
}

/** Refuses what has no counterpart in an item, which would be stored as something else. */
function documentJson(where: string, name: string, value: Value | undefined): AttributeJson {
  const each = (one: Value | undefined) => documentJson(where, name, one);
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: checkedNumber(where, name, value) };
    case 'boolean':
      return { BOOL: value };
    case 'object':
      break;
    default:
      throw wrong(where, name, documentValues, value);
  }
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: value };
  if (value instanceof Set) return setJson(where, name, [...(value as ReadonlySet<unknown>)]);
  if (Array.isArray(value)) return { L: (value as readonly Value[]).map(each) };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new PatternError(
      where,
      `"${name}" must hold ${documentValues}, not a ${value.constructor?.name ?? 'class'}`,
    );
  const members = Object.entries(value as Values).filter(([, one]) => one !== undefined);
  return { M: Object.fromEntries(members.map(([member, one]) => [member, each(one)])) };
}

const documentValues = 'texts, finite numbers, flags, bytes, null, lists, sets and plain objects';

function setJson(where: string, name: string, all: readonly unknown[]): AttributeJson {
  const [first] = all;
  if (typeof first === 'string' && all.every((one) => typeof one === 'string')) return { SS: all };
  if (typeof first === 'number') return { NS: all.map((one) => checkedNumber(where, name, one as Value)) };
  if (first instanceof Uint8Array && all.every((one) => one instanceof Uint8Array)) return { BS: all };
  throw new PatternError(
    where,
    `a set in "${name}" must hold texts, numbers or bytes, of one kind and at least one`,
  );
}

export function fromJson(value: AttributeJson): Value {
  if ('S' in value) return value.S;
  if ('N' in value) {
    const number = Number(value.N);
    // Numbers of more digits than a double has stay text.
    return value.N.length > 15 && numberText(number) !== value.N ? value.N : number;
  }
  if ('BOOL' in value) return value.BOOL;
  if ('B' in value) return value.B;
  if ('L' in value) return value.L.map(fromJson);
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(Number));
  if ('BS' in value) return new Set(value.BS);
  if ('M' in value)
    return Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, fromJson(one)]));
  return null;
}

/** The entity's own attributes in an item, without keys and markers. */
export function valuesOfItem(entity: Entity, item: ItemJson): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const { name } of entity.attributes) {
    const found = item[name];
    if (found !== undefined) values[name] = fromJson(found);
  }
  return values;
}

/** One text for equal values, in whatever order objects list their members and sets their elements. */
export function textOfValues(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (one instanceof Uint8Array) return { bytes: Array.from(one) };
    if (one instanceof Set) return { set: [...one].map(textOfValues).sort() };
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const datePattern = /^\d{4}-\d\d-\d\d$/;

/** Refuses what would break the order or the boundaries of a key. */
export function checkKeyValue(where: string, { name, type }: Attribute, value: Value): PlainValue {
  const refuse = (wanted: string) => wrong(where, name, wanted, value);
  switch (type.kind) {
    case 'number': {
      const decimal = decimalOf(value);
      if (decimal === undefined) throw refuse('a number');
      const { units, decimals } = decimal;
      if (units < 0n) throw refuse('a number of 0 or more, because it stands in a key');
      if (decimals > type.decimals)
        throw refuse(
          type.decimals === 0 ? 'a whole number' : `a number of at most ${type.decimals} decimals`,
        );
      if (units >= 10n ** BigInt(type.digits + decimals))
        throw refuse(`a number of at most ${type.digits} digits`);
      return plainNumber(units, decimals);
    }
    case 'epoch':
      if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 9_999_999_999)
        throw refuse('whole seconds since 1970');
      return value as number;
    case 'flag':
      if (typeof value !== 'boolean') throw refuse('true or false');
      return value;
    case 'time':
      if (typeof value !== 'string' || !timePattern.test(value) || !isMoment(value))
        throw refuse('a time such as 2026-11-18T09:00:00.000Z');
      return value;
    case 'date':
      if (typeof value !== 'string' || !datePattern.test(value) || !isMoment(`${value}T00:00:00.000Z`))
        throw refuse('a date such as 2026-11-18');
      return value;
    case 'choice':
      if (!type.values.some((one) => one.value === value))
        throw refuse(`one of ${type.values.map((one) => one.value).join(', ')}`);
      return value as string;
    default:
      if (typeof value !== 'string' || value === '') throw refuse('a text that is not empty');
      if (type.kind !== 'text' || type.plain) {
        if (!sortedCharacters.test(value)) throw refuse(sortedCharactersInWords);
      } else if (!freeCharacters.test(value)) throw refuse('a text of whole characters below U+10FFFF');
      return value;
  }
}

/** Whether a time of the right form exists: no 30th of February. */
function isMoment(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

function wrong(where: string, name: string, wanted: string, value: unknown): PatternError {
  const shown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return new PatternError(
    where,
    `"${name}" must be ${wanted}, not ${shown ? (typeof value === 'number' ? value : JSON.stringify(value)) : typeof value}`,
  );
}
