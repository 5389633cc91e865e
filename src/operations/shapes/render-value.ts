import type { Shape, StructureShape } from './shape.ts';

/**
 * How the older layer prints a value: as Java's toString does. Structures print as `Name(member=value, …)` on most
 * hosts (observed: public captures, September 2026) and as `com.amazonaws.dynamodb.v20120810.KeySchemaElement@ad28eb1d`
 * on others (observed: public captures, August 2026); we print what can be read.
 */
export function renderValue(shape: Shape, value: unknown): string {
  if (value == null) return 'null';
  switch (shape.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'blob':
    case 'timestamp':
      return String(value);
    case 'attribute-value':
      return renderAttributeValue(value as Readonly<Record<string, unknown>>);
    case 'list':
      return renderList(value as readonly unknown[], (element) => renderValue(shape.member, element));
    case 'map':
      return renderMap(value, (entry) => renderValue(shape.value, entry));
    case 'structure':
      return renderStructure(shape, value as Readonly<Record<string, unknown>>);
  }
}

/** The service's word for a member inside: its first letter in lower case and no more (`sSEType`, `nULL`). */
export function javaMember(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function renderList(elements: readonly unknown[], render: (element: unknown) => string): string {
  return `[${elements.map(render).join(', ')}]`;
}

function renderMap(value: unknown, render: (entry: unknown) => string): string {
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return `{${entries.map(([key, entry]) => `${key}=${render(entry)}`).join(', ')}}`;
}

function renderStructure(shape: StructureShape, value: Readonly<Record<string, unknown>>): string {
  const texts = [...shape.members].map(
    ([name, member]) => `${javaMember(name)}=${renderValue(member.shape, value[name])}`,
  );
  for (const name of shape.unpublished) texts.push(`${name}=null`);
  return `${shape.name}(${texts.join(', ')})`;
}

/** The members of the service's own class, some of which no client can send, in the order in which it prints them. */
const attributeValueMembers = [
  'S',
  'N',
  'B',
  'INT',
  'DECIMAL',
  'DOUBLE',
  'SS',
  'NS',
  'BS',
  'INTSET',
  'DECIMALSET',
  'DOUBLESET',
  'M',
  'L',
  'NULL',
  'BOOL',
];

function renderAttributeValue(value: unknown): string {
  const members = value as Readonly<Record<string, unknown>>;
  const texts = attributeValueMembers.map(
    (name) => `${javaMember(name)}=${renderDatatype(name, members[name])}`,
  );
  return `AttributeValue(${texts.join(', ')})`;
}

function renderDatatype(name: string, value: unknown): string {
  if (value == null) return 'null';
  if (name === 'M') return renderMap(value, renderAttributeValue);
  if (name === 'L') return renderList(value as readonly unknown[], renderAttributeValue);
  return Array.isArray(value) ? renderList(value, String) : String(value);
}
