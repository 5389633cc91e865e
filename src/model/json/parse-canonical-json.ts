import type { AttributeValue, Item } from '../values/attribute-value.ts';
import { encodeUtf8 } from '../values/utf8.ts';
import { CanonicalCursor } from './canonical-cursor.ts';
import { closeBrace, closeBracket, colon, comma, openBrace, openBracket } from './json-marks.ts';

/**
 * Decodes canonical JSON into Maps. This is faster than `JSON.parse`, and no attribute name becomes the property of an
 * object. Input that `canonical-json.ts` did not write is a bug or damage and throws.
 */
export function parseCanonicalItem(json: Uint8Array, start = 0): Item {
  const cursor = new CanonicalCursor(json, start);
  const item = readItem(cursor);
  if (cursor.at !== json.length) throw cursor.unexpected();
  return item;
}

/**
 * Decodes only the attributes named by one of two sets, and stops after the last of them. The JSON may start behind a
 * header.
 */
export function parseCanonicalAttributes(
  json: Uint8Array,
  names: ReadonlySet<string>,
  further: ReadonlySet<string> = noNames,
  start = 0,
): Item {
  const cursor = new CanonicalCursor(json, start);
  let count = names.size;
  for (const name of further) if (!names.has(name)) count++;
  const item = new Map<string, AttributeValue>();
  cursor.expect(openBrace);
  if (count === 0 || cursor.take(closeBrace)) return item;
  do {
    const name = cursor.string();
    cursor.expect(colon);
    if (!names.has(name) && !further.has(name)) cursor.passValue();
    else if (item.set(name, readValue(cursor)).size === count) return item;
  } while (cursor.take(comma));
  cursor.expect(closeBrace);
  return item;
}

const noNames: ReadonlySet<string> = new Set();

function readItem(cursor: CanonicalCursor): Item {
  const item = new Map<string, AttributeValue>();
  cursor.expect(openBrace);
  if (cursor.take(closeBrace)) return item;
  do {
    const name = cursor.string();
    cursor.expect(colon);
    item.set(name, readValue(cursor));
  } while (cursor.take(comma));
  cursor.expect(closeBrace);
  return item;
}

function readValue(cursor: CanonicalCursor): AttributeValue {
  cursor.expect(openBrace);
  const type = cursor.string();
  cursor.expect(colon);
  const value = readContent(cursor, type);
  cursor.expect(closeBrace);
  return value;
}

function readContent(cursor: CanonicalCursor, type: string): AttributeValue {
  switch (type) {
    case 'S':
      return { S: cursor.string() };
    case 'N':
      return { N: cursor.string() };
    case 'B':
      return { B: cursor.string() };
    case 'BOOL':
      return { BOOL: readBoolean(cursor) };
    case 'NULL':
      if (readBoolean(cursor)) return { NULL: true };
      throw cursor.unexpected();
    case 'M':
      return { M: readItem(cursor) };
    case 'L':
      return { L: readElements(cursor, readValue) };
    case 'SS':
      return { SS: readElements(cursor, readString) };
    case 'NS':
      return { NS: readElements(cursor, readString) };
    case 'BS':
      return { BS: readElements(cursor, readString) };
    default:
      throw cursor.unexpected();
  }
}

function readElements<T>(cursor: CanonicalCursor, element: (cursor: CanonicalCursor) => T): T[] {
  const elements: T[] = [];
  cursor.expect(openBracket);
  if (cursor.take(closeBracket)) return elements;
  do elements.push(element(cursor));
  while (cursor.take(comma));
  cursor.expect(closeBracket);
  return elements;
}

function readString(cursor: CanonicalCursor): string {
  return cursor.string();
}

function readBoolean(cursor: CanonicalCursor): boolean {
  const value = cursor.bytes[cursor.at] === letterT;
  for (const unit of value ? trueUnits : falseUnits) cursor.expect(unit);
  return value;
}

const letterT = 0x74;
const trueUnits = encodeUtf8('true');
const falseUnits = encodeUtf8('false');
