import type { Attribute, Entity } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import type { PlainValue } from '../key-text.ts';
import { type AttributeJson, type ItemJson, PatternError } from './requests.ts';

/** A value of an entity's attribute: plain values, bytes, and lists and documents of them. */
export type Value =
  | PlainValue
  | Uint8Array
  | null
  | readonly Value[]
  | ReadonlySet<string>
  | { readonly [name: string]: Value };

/** The attributes of one instance. What is absent or undefined is not there. */
export type Values = { readonly [attribute: string]: Value | undefined };

/** The value in DynamoDB's JSON, by the attribute's type. */
export function toJson(where: string, { name, type }: Attribute, value: Value): AttributeJson {
  switch (type.kind) {
    case 'number':
    case 'epoch':
      return { N: numberText(where, name, value) };
    case 'flag':
      if (typeof value !== 'boolean') throw wrong(where, name, 'true or false', value);
      return { BOOL: value };
    case 'binary':
      if (!(value instanceof Uint8Array)) throw wrong(where, name, 'bytes', value);
      return { B: value };
    case 'map':
    case 'list':
      return documentJson(value);
    default:
      if (typeof value !== 'string') throw wrong(where, name, 'a text', value);
      return { S: value };
  }
}

function numberText(where: string, name: string, value: Value): string {
  if (typeof value === 'number' && Number.isFinite(value)) return plainNumber(value);
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return value;
  throw wrong(where, name, 'a number', value);
}

/** Numbers without exponents, as items show them. */
function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e')
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : text;
}

function documentJson(value: Value): AttributeJson {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: plainNumber(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (value instanceof Set) return { SS: [...(value as ReadonlySet<string>)] };
  if (Array.isArray(value)) return { L: (value as readonly Value[]).map(documentJson) };
  const members = Object.entries(value as { readonly [name: string]: Value });
  return { M: Object.fromEntries(members.map(([name, one]) => [name, documentJson(one)])) };
}

export function fromJson(value: AttributeJson): Value {
  if ('S' in value) return value.S;
  if ('N' in value) {
    const number = Number(value.N);
    // Numbers of more digits than a double has stay text.
    return value.N.length > 15 && String(number) !== value.N ? value.N : number;
  }
  if ('BOOL' in value) return value.BOOL;
  if ('B' in value) return value.B;
  if ('L' in value) return value.L.map(fromJson);
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return value.NS.map(Number);
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

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const datePattern = /^\d{4}-\d\d-\d\d$/;

/** Refuses what would break the order or the boundaries of a key. */
export function checkKeyValue(where: string, { name, type }: Attribute, value: Value): PlainValue {
  const refuse = (wanted: string) => wrong(where, name, wanted, value);
  switch (type.kind) {
    case 'number': {
      const number = Number(value);
      if (typeof value === 'boolean' || value === '' || !Number.isFinite(number)) throw refuse('a number');
      if (number < 0) throw refuse('a number of 0 or more, because it stands in a key');
      if (number >= 10 ** type.digits) throw refuse(`a number of at most ${type.digits} digits`);
      return number;
    }
    case 'epoch':
      if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 9_999_999_999)
        throw refuse('whole seconds since 1970');
      return value as number;
    case 'flag':
      if (typeof value !== 'boolean') throw refuse('true or false');
      return value;
    case 'time':
      if (typeof value !== 'string' || !timePattern.test(value))
        throw refuse('a time such as 2026-11-18T09:00:00.000Z');
      return value;
    case 'date':
      if (typeof value !== 'string' || !datePattern.test(value)) throw refuse('a date such as 2026-11-18');
      return value;
    case 'choice':
      if (!type.values.some((one) => one.value === value))
        throw refuse(`one of ${type.values.map((one) => one.value).join(', ')}`);
      return value as string;
    default:
      if (typeof value !== 'string' || value === '') throw refuse('a text that is not empty');
      if ((type.kind !== 'text' || type.plain) && value.includes(delimiter))
        throw refuse(`a text without "${delimiter}", which separates the parts of a key`);
      return value;
  }
}

function wrong(where: string, name: string, wanted: string, value: unknown): PatternError {
  const shown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return new PatternError(
    where,
    `"${name}" must be ${wanted}, not ${shown ? JSON.stringify(value) : typeof value}`,
  );
}
