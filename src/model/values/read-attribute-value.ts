import { DynamoError, invalidParameter, validationError } from '../errors.ts';
import { itemLimits } from '../limits.ts';
import type { ValidationLayer } from '../validation-layer.ts';
import {
  type AttributeValue,
  type Item,
  memberOrder,
  type SetType,
  type SetValue,
} from './attribute-value.ts';
import { isBase64 } from './base64.ts';
import { canonicalNumber } from './numbers.ts';
import { utf8Length, wellFormed } from './utf8.ts';

/**
 * Converts a request's JSON to attribute values in normal form, or to the error that DynamoDB answers.
 *
 * The JSON has passed the check of its shape (S is a string, B is base64, L is an array …). A member of another shape
 * is treated as absent: these functions accept any JSON and never throw. Members with unknown names, and members that
 * are null, are dropped, as on the service.
 *
 * If a value has several faults, the content of its members is checked before their number: `{"S":"a","N":"b"}` is an
 * invalid number rather than a value with two types (observed: public suites before 2024, older layer).
 */

/**
 * Reads an item or a key. If an item is nested too deep and also has an empty name, the service reports an empty
 * top-level name before the nesting, and an empty nested name after it, wherever they are (observed: public captures,
 * TransactWriteItems in ten Regions, October 2026). Nested names and other faults are reported in the order of the item
 * (guess).
 */
export function readItem(json: unknown, layer: ValidationLayer): Item | DynamoError {
  const sent = isObject(json) ? json : {};
  const item = readMap(sent, layer, 1);
  if (item === tooDeep) return emptyNameAmong(sent) ?? item;
  if (!(item instanceof DynamoError) || item.message !== emptyName) return item;
  return emptyNameAmong(sent) ?? (Object.values(sent).some((value) => isTooDeep(value, 1)) ? tooDeep : item);
}

/**
 * Reads a single value, as in ExpressionAttributeValues. In a transaction it may be one level deeper than an item
 * allows (`transactionValueLevelsMax`).
 */
export function readAttributeValue(
  json: unknown,
  layer: ValidationLayer,
  levelsMax: number = itemLimits.nestingLevelsMax,
): AttributeValue | DynamoError {
  return readValue(json, layer, 1 + itemLimits.nestingLevelsMax - levelsMax);
}

/** Tells whether an error of these functions is about nesting. */
export function isNestingError(error: DynamoError): boolean {
  return error === tooDeep;
}

/** Checks an attribute name. The texts (inferred: DynamoDB Local). */
export function checkAttributeName(name: string): DynamoError | undefined {
  if (name === '') return validationError(emptyName);
  const max = itemLimits.attributeNameBytesMax;
  // A UTF-16 unit has at most three bytes, so short names need no counting.
  if (name.length * 3 > max && utf8Length(name) > max) {
    return validationError(`Attribute name is too large, must be less than ${max + 1} bytes`);
  }
  return undefined;
}

const emptyName = 'Empty attribute name';

function emptyNameAmong(json: Json): DynamoError | undefined {
  return Object.hasOwn(json, '') ? checkAttributeName('') : undefined;
}

/** Tells whether a value is nested below the deepest allowed level. */
function isTooDeep(json: unknown, level: number): boolean {
  if (level > itemLimits.nestingLevelsMax) return true;
  if (!isObject(json)) return false;
  const { L, M } = json;
  return (
    (Array.isArray(L) && L.some((element) => isTooDeep(element, level + 1))) ||
    (isObject(M) && Object.values(M).some((member) => isTooDeep(member, level + 1)))
  );
}

type Json = Readonly<Record<string, unknown>>;

/** Reads the attributes of an item or a map on `level`. Two names that `wellFormed` makes equal are one name. */
function readMap(json: Json, layer: ValidationLayer, level: number): Item | DynamoError {
  const item = new Map<string, AttributeValue>();
  // `Object.keys` and access by name are safe for `__proto__`: JSON.parse made it an ordinary property.
  for (const sent of Object.keys(json)) {
    const name = wellFormed(sent);
    const wrong = checkAttributeName(name);
    if (wrong !== undefined) return wrong;
    const value = readValue(json[sent], layer, level);
    if (value instanceof DynamoError) return value;
    item.set(name, value);
  }
  return item;
}

/** Reads a value. Stops at the deepest allowed level, so that hostile nesting cannot exhaust the stack. */
function readValue(json: unknown, layer: ValidationLayer, level: number): AttributeValue | DynamoError {
  if (level > itemLimits.nestingLevelsMax) return tooDeep;
  if (!isObject(json)) return noType;
  let found: AttributeValue | undefined;
  let count = 0;
  for (const type of Object.keys(json)) {
    const value = readMember(type, json[type], layer, level);
    if (value === undefined) continue;
    if (value instanceof DynamoError) return value;
    found = value;
    count++;
  }
  if (found === undefined) return noType;
  return count > 1 ? severalTypes : found;
}

function readMember(
  type: string,
  content: unknown,
  layer: ValidationLayer,
  level: number,
): AttributeValue | DynamoError | undefined {
  switch (type) {
    case 'S':
      return typeof content === 'string' ? { S: wellFormed(content) } : undefined;
    case 'N': {
      if (typeof content !== 'string') return undefined;
      const number = canonicalNumber(content, layer);
      return typeof number === 'string' ? { N: number } : number;
    }
    case 'B':
      return typeof content === 'string' && isBase64(content) ? { B: content } : undefined;
    case 'BOOL':
      return typeof content === 'boolean' ? { BOOL: content } : undefined;
    case 'NULL':
      return typeof content === 'boolean' ? readNull(content) : undefined;
    case 'L':
      return Array.isArray(content) ? readList(content, layer, level + 1) : undefined;
    case 'M': {
      if (!isObject(content)) return undefined;
      const map = readMap(content, layer, level + 1);
      return map instanceof DynamoError ? map : { M: map };
    }
    case 'SS':
      return isTexts(content) ? readStringSet(content, layer) : undefined;
    case 'NS':
      return isTexts(content) ? readNumberSet(content, layer) : undefined;
    case 'BS':
      return isTexts(content) && content.every(isBase64) ? readBinarySet(content, layer) : undefined;
    default:
      return undefined;
  }
}

/**
 * Reads NULL. `{"NULL": false}` is refused (observed: public captures), although one Region accepted it in June 2026
 * and stored `true`.
 */
function readNull(content: boolean): AttributeValue | DynamoError {
  return content ? { NULL: true } : nullFalse;
}

function readList(
  content: readonly unknown[],
  layer: ValidationLayer,
  level: number,
): AttributeValue | DynamoError {
  const list: AttributeValue[] = [];
  for (const json of content) {
    const value = readValue(json, layer, level);
    if (value instanceof DynamoError) return value;
    list.push(value);
  }
  return { L: list };
}

function readStringSet(sent: readonly string[], layer: ValidationLayer): SetValue | DynamoError {
  if (sent.length === 0) return invalidParameter('An string set  may not be empty');
  const members = sent.map(wellFormed);
  const sorted = sortedMembers('SS', members);
  if (!hasRepeat(sorted)) return { SS: sorted };
  const shown = layer === 'older' ? sent.join(', ') : quoted(asRead('SS', members), ', ');
  return invalidParameter(`Input collection [${shown}] contains duplicates.`);
}

function readNumberSet(sent: readonly string[], layer: ValidationLayer): SetValue | DynamoError {
  if (sent.length === 0) return invalidParameter('An number set  may not be empty');
  const numbers: string[] = [];
  for (const text of sent) {
    const number = canonicalNumber(text, layer);
    if (typeof number !== 'string') return number;
    numbers.push(number);
  }
  const sorted = sortedMembers('NS', numbers);
  if (!hasRepeat(sorted)) return { NS: sorted };
  return layer === 'older'
    ? validationError('Input collection contains duplicates')
    : invalidParameter('Input collection contains duplicates.');
}

function readBinarySet(sent: readonly string[], layer: ValidationLayer): SetValue | DynamoError {
  if (sent.length === 0) return invalidParameter('Binary sets should not be empty');
  const sorted = sortedMembers('BS', sent);
  if (!hasRepeat(sorted)) return { BS: sorted };
  const shown = layer === 'older' ? sent.join(', ') : quoted(asRead('BS', sent), ',');
  return invalidParameter(`Input collection [${shown}]of type BS contains duplicates.`);
}

/** Sorts the members of a set. A set that the client got from us is sorted already. */
function sortedMembers(type: SetType, members: readonly string[]): readonly string[] {
  const order = memberOrder[type];
  for (let i = 1; i < members.length; i++) {
    if (order(members[i - 1]!, members[i]!) > 0) return members.toSorted(order);
  }
  return members;
}

function hasRepeat(sorted: readonly string[]): boolean {
  return sorted.some((member, i) => i > 0 && member === sorted[i - 1]);
}

/**
 * The members as the newer layer shows them: first the members before the first repeat, in set order, then the others
 * as sent (observed: public captures, four Regions, October 2026).
 */
function asRead(type: SetType, members: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  for (const member of members) {
    if (seen.has(member)) break;
    seen.add(member);
  }
  return [...sortedMembers(type, [...seen]), ...members.slice(seen.size)];
}

function quoted(members: readonly string[], separator: string): string {
  return members.map((member) => `"${member}"`).join(separator);
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isTexts(json: unknown): json is readonly string[] {
  if (!Array.isArray(json)) return false;
  // Not `every`, which skips holes.
  for (const member of json) if (typeof member !== 'string') return false;
  return true;
}

const noType = validationError(
  'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
);
const severalTypes = validationError(
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
);
const nullFalse = invalidParameter('Null attribute value types must have the value of true');
const tooDeep = validationError(
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
);
