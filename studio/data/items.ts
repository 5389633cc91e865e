import {
  type AttributeType,
  type AttributeValue,
  equalValues,
  type Item,
  typeOf,
} from '../../src/model/values/attribute-value.ts';
import { decodeBase64 } from '../../src/model/values/base64.ts';
import { keyNames, type TableDescription } from './table-description.ts';

/** A value as it travels: DynamoDB JSON. */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

/** An item of an answer. Texts stay what they are, so that no digit of a number is lost. */
export function itemOf(wire: WireItem): Item {
  return new Map(Object.entries(wire).map(([name, value]) => [name, typedValue(value)]));
}

export function typedValue(wire: WireValue): AttributeValue {
  if ('M' in wire) return { M: itemOf(wire.M as WireItem) };
  if ('L' in wire) return { L: (wire.L as readonly WireValue[]).map(typedValue) };
  return wire as unknown as AttributeValue;
}

/** `fromEntries` defines members, so that an attribute called `__proto__` is a member like any other. */
export function wireOf(item: Item): WireItem {
  return Object.fromEntries([...item].map(([name, value]) => [name, wireValueOf(value)]));
}

export function wireValueOf(value: AttributeValue): WireValue {
  if ('M' in value) return { M: wireOf(value.M) };
  if ('L' in value) return { L: value.L.map(wireValueOf) };
  return value as unknown as WireValue;
}

/** DynamoDB JSON to read and edit: a value that is no document stands in one line with its type. */
export function wireJson(item: Item): string {
  return JSON.stringify(wireOf(item), null, 2).replaceAll(
    /\{\n +("(?:S|N|B|BOOL|NULL)": [^\n]*[^\n{[])\n +\}/g,
    '{ $1 }',
  );
}

/** The key of an item of a table. */
export function keyOf(table: TableDescription, item: Item): Item {
  const { hash, range } = keyNames(table);
  const key = new Map<string, AttributeValue>();
  for (const name of [hash, range]) {
    const value = name === undefined ? undefined : item.get(name);
    if (name !== undefined && value !== undefined) key.set(name, value);
  }
  return key;
}

/** A text that two items share exactly if they are the same item of the same table. */
export function keyId(tableName: string, key: Item): string {
  return JSON.stringify([tableName, ...[...key].map(([, value]) => value)]);
}

export function sameItem(a: Item | undefined, b: Item | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equalValues({ M: a }, { M: b });
}

/** An item as plain JSON. Numbers are written digit by digit, as JSON allows and JavaScript does not keep. */
export function plainJson(item: Item, indent = 2): string {
  return plainMap(item, indent, 0);
}

function plainMap(map: Item, indent: number, depth: number): string {
  const entries = [...map].map(
    ([name, value]) => `${JSON.stringify(name)}: ${plainValue(value, indent, depth + 1)}`,
  );
  return bracketed('{', entries, '}', indent, depth);
}

function plainValue(value: AttributeValue, indent: number, depth: number): string {
  if ('M' in value) return plainMap(value.M, indent, depth);
  if ('L' in value)
    return bracketed(
      '[',
      value.L.map((one) => plainValue(one, indent, depth + 1)),
      ']',
      indent,
      depth,
    );
  if ('N' in value) return value.N;
  if ('NS' in value) return bracketed('[', value.NS, ']', indent, depth);
  if ('SS' in value) return bracketed('[', value.SS.map(quoted), ']', indent, depth);
  if ('BS' in value) return bracketed('[', value.BS.map(quoted), ']', indent, depth);
  if ('NULL' in value) return 'null';
  if ('BOOL' in value) return String(value.BOOL);
  return JSON.stringify('S' in value ? value.S : value.B);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function bracketed(
  open: string,
  parts: readonly string[],
  close: string,
  indent: number,
  depth: number,
): string {
  if (parts.length === 0) return open + close;
  if (indent === 0) return open + parts.join(',') + close;
  const pad = ' '.repeat(indent * (depth + 1));
  return `${open}\n${parts.map((part) => pad + part).join(',\n')}\n${' '.repeat(indent * depth)}${close}`;
}

/** A value in one line, cut where it gets long: what a cell shows. */
export function shownValue(value: AttributeValue, lengthMax = 200): string {
  const text = wholeText(value, lengthMax);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}

function wholeText(value: AttributeValue, lengthMax: number): string {
  switch (typeOf(value)) {
    case 'S':
      return (value as { S: string }).S.slice(0, lengthMax + 1);
    case 'N':
      return (value as { N: string }).N;
    case 'B':
      return shownBinary((value as { B: string }).B);
    case 'BOOL':
      return String((value as { BOOL: boolean }).BOOL);
    case 'NULL':
      return 'null';
    case 'M':
      return `{ ${[...(value as { M: Item }).M.keys()].slice(0, 8).join(', ')} }`;
    case 'L': {
      const { L } = value as { L: readonly AttributeValue[] };
      return `[ ${L.slice(0, 8)
        .map((one) => shownValue(one, 24))
        .join(', ')}${L.length > 8 ? ', …' : ''} ]`;
    }
    default: {
      const [type, members] = Object.entries(value)[0] as [string, readonly string[]];
      const shown = members.slice(0, 8).map((one) => (type === 'BS' ? shownBinary(one) : one.slice(0, 40)));
      return `{ ${shown.join(', ')}${members.length > 8 ? ', …' : ''} }`;
    }
  }
}

/** Binary as hexadecimal digits and its length. */
function shownBinary(base64: string, bytesMax = 16): string {
  const bytes = decodeBase64(base64);
  let hex = '';
  for (const byte of bytes.subarray(0, bytesMax)) hex += byte.toString(16).padStart(2, '0');
  return `${hex}${bytes.length > bytesMax ? '…' : ''} (${bytes.length} B)`;
}

export type { AttributeType, AttributeValue, Item };
export { typeOf };
