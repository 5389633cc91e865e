import type { IndexKeyValues, PrimaryKey } from '../keys/keys.ts';
import {
  type AttributeValue,
  type Item,
  isKeyValue,
  type KeyType,
  type KeyValue,
  typeOf,
} from '../values/attribute-value.ts';
import { type IndexKind, indexKinds } from './index-kind.ts';

/** The indexes of a table, by kind. */
export type IndexSchemas = { readonly [Kind in IndexKind as `${Kind}Indexes`]: readonly IndexSchema[] };

/** The keys and indexes of a table, as CreateTable defined them. */
export interface TableSchema extends IndexSchemas {
  readonly hash: KeyAttribute;
  readonly range: KeyAttribute | undefined;
}

export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/**
 * An index. A local index has the table's HASH attribute and one RANGE attribute. A global index has 1 to 4 HASH and
 * 0 to 4 RANGE attributes.
 */
export interface IndexSchema {
  readonly name: string;
  readonly hash: readonly KeyAttribute[];
  readonly range: readonly KeyAttribute[];
  readonly projection: Projection;
}

export type Projection =
  | { readonly type: 'ALL' }
  | { readonly type: 'KEYS_ONLY' }
  | { readonly type: 'INCLUDE'; readonly names: readonly string[] };

/** The table's key attributes, HASH first. */
export function keyAttributes(schema: TableSchema): readonly KeyAttribute[] {
  return schema.range === undefined ? [schema.hash] : [schema.hash, schema.range];
}

const members: { readonly [Kind in IndexKind]: `${Kind}Indexes` } = {
  local: 'localIndexes',
  global: 'globalIndexes',
};
const inOrder = indexKinds.map((kind) => members[kind]);
const inErrorOrder = [...inOrder].reverse();

/** The indexes of a table, kind by kind. */
export function allIndexes(schema: TableSchema): readonly IndexSchema[] {
  return joined(schema, inOrder);
}

/**
 * The indexes in the order in which errors name them. If an attribute is a key of a local and of a global index, an
 * error names the global one (observed: conformance suite, four Regions, June 2026: `gsi1` before `lsi1`, which
 * alphabetical order would explain too).
 */
export function indexesInErrorOrder(schema: TableSchema): readonly IndexSchema[] {
  return joined(schema, inErrorOrder);
}

/** Every put calls this, and most tables have indexes of one kind: then no list is made. */
function joined(schema: TableSchema, kinds: readonly (keyof IndexSchemas)[]): readonly IndexSchema[] {
  let found = noIndexes;
  for (const kind of kinds) {
    const indexes = schema[kind];
    if (indexes.length > 0) found = found.length === 0 ? indexes : [...found, ...indexes];
  }
  return found;
}

const noIndexes: readonly IndexSchema[] = [];

/** The value of a key attribute, if the item has it with the declared type. */
export function keyValueOf(item: Item, attribute: KeyAttribute): KeyValue | undefined {
  const value = item.get(attribute.name);
  return value !== undefined && hasType(value, attribute.type) ? value : undefined;
}

function hasType(value: AttributeValue, type: KeyType): value is KeyValue {
  return isKeyValue(value) && typeOf(value) === type;
}

/** The primary key of an item whose key was checked. An item without one is a bug. */
export function primaryKeyOf(schema: TableSchema, item: Item): PrimaryKey {
  const hash = keyValueOf(item, schema.hash);
  const range = schema.range === undefined ? undefined : keyValueOf(item, schema.range);
  if (hash === undefined || (schema.range !== undefined && range === undefined)) {
    throw new Error('an item without its primary key');
  }
  return { hash, range };
}

/** The attributes of the primary key, as clients see them. */
export function keyItemOf(schema: TableSchema, item: Item): Item {
  return pick(item, keyAttributes(schema).map(nameOf));
}

/**
 * The key values of an item in an index. Undefined if the item is not in the index, because it lacks one of the
 * index's key attributes or has it with another type.
 */
export function indexKeyValues(index: IndexSchema, item: Item): IndexKeyValues | undefined {
  const hash = valuesOf(item, index.hash);
  const range = valuesOf(item, index.range);
  return hash && range && { hash, range };
}

function valuesOf(item: Item, attributes: readonly KeyAttribute[]): readonly KeyValue[] | undefined {
  const values = new Array<KeyValue>(attributes.length);
  for (let i = 0; i < attributes.length; i++) {
    const value = keyValueOf(item, attributes[i]!);
    if (value === undefined) return undefined;
    values[i] = value;
  }
  return values;
}

/**
 * The projection of an item: the keys of the index and of the table, and the attributes that the projection names.
 */
export function projectForIndex(schema: TableSchema, index: IndexSchema, item: Item): Item {
  return index.projection.type === 'ALL' ? item : pick(item, projectedNames(schema, index, index.projection));
}

/** Tells whether an index projects an attribute. */
export function isProjected(schema: TableSchema, index: IndexSchema, name: string): boolean {
  return index.projection.type === 'ALL' || projectedNames(schema, index, index.projection).has(name);
}

function projectedNames(
  schema: TableSchema,
  index: IndexSchema,
  projection: Exclude<Projection, { type: 'ALL' }>,
): ReadonlySet<string> {
  const names = new Set([...keyAttributes(schema), ...index.hash, ...index.range].map(nameOf));
  if (projection.type === 'INCLUDE') for (const name of projection.names) names.add(name);
  return names;
}

function pick(item: Item, names: Iterable<string>): Item {
  const picked = new Map<string, AttributeValue>();
  for (const name of names) {
    const value = item.get(name);
    if (value !== undefined) picked.set(name, value);
  }
  return picked;
}

function nameOf(attribute: KeyAttribute): string {
  return attribute.name;
}
