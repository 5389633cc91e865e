import { type DynamoError, invalidParameter, validationError } from '../errors.ts';
import { itemLimits } from '../limits.ts';
import {
  type IndexSchema,
  indexesInErrorOrder,
  type KeyAttribute,
  keyAttributes,
  keyValueOf,
  type TableSchema,
} from '../tables/table-schema.ts';
import {
  type AttributeType,
  type AttributeValue,
  type Item,
  isKeyValue,
  type KeyValue,
  keyText,
  typeOf,
} from '../values/attribute-value.ts';
import { valueSize } from '../values/item-size.ts';
import type { RangeCondition } from './key-bounds.ts';

/**
 * Checks of the key attributes of items. None of these texts gets the newer layer's prefix. Within one item, the
 * presence and type of all key attributes are checked before their contents. The service's order is known only for
 * items with a single fault.
 */

/** Checks the key attributes of an item that PutItem is to store. */
export function checkItemKey(schema: TableSchema, item: Item): DynamoError | undefined {
  for (const { name, type } of keyAttributes(schema)) {
    const value = item.get(name);
    if (value === undefined) return invalidParameter(`Missing the key ${name} in the item`);
    const actual = typeOf(value);
    if (actual !== type) {
      return invalidParameter(`Type mismatch for key ${name} expected: ${type} actual: ${actual}`);
    }
  }
  return checkKeyContents(schema, item);
}

/** Checks a key of GetItem, UpdateItem or DeleteItem: it must have the key attributes and no others. */
export function checkKey(schema: TableSchema, key: Item): DynamoError | undefined {
  const attributes = keyAttributes(schema);
  if (key.size !== attributes.length) return keyMismatch();
  for (const attribute of attributes) if (keyValueOf(key, attribute) === undefined) return keyMismatch();
  return checkKeyContents(schema, key);
}

export function keyMismatch(): DynamoError {
  return validationError('The provided key element does not match the schema');
}

function checkKeyContents(schema: TableSchema, item: Item): DynamoError | undefined {
  return (
    checkEmptyKey(schema, item) ??
    checkHashSize(item.get(schema.hash.name)!) ??
    (schema.range === undefined ? undefined : checkRangeSize(item.get(schema.range.name)!))
  );
}

/**
 * Checks for an empty key attribute among those present with the right type. Transactions check this before all else.
 */
export function checkEmptyKey(schema: TableSchema, item: Item): DynamoError | undefined {
  for (const attribute of keyAttributes(schema)) {
    const empty = emptiness(keyValueOf(item, attribute));
    if (empty !== undefined) return validationError(`${notValid} ${emptyKey(empty)} Key: ${attribute.name}`);
  }
  return undefined;
}

/** Checks for empty index key attributes. */
export function checkEmptyIndexKeys(
  schema: TableSchema,
  item: Item,
  by: 'put' | 'update',
): DynamoError | undefined {
  for (const index of indexesInErrorOrder(schema)) {
    for (const attribute of [...index.hash, ...index.range]) {
      const wrong = checkEmptyIndexKey(index, attribute, item, by);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/** The wording of the error for an index key with the wrong type. */
export type WrongTypeWords = 'mismatch' | 'unsupported';

/**
 * Checks the index key attributes of an item that is about to be stored. Each may be absent, but must not have
 * another type, be empty or be too long. Updates word some of the errors differently from puts, and not all updates
 * word a wrong type the same way.
 */
export function checkIndexKeys(
  schema: TableSchema,
  item: Item,
  by: 'put' | 'update',
  wrongType: WrongTypeWords = by === 'put' ? 'mismatch' : 'unsupported',
): DynamoError | undefined {
  for (const index of indexesInErrorOrder(schema)) {
    for (const attribute of index.hash) {
      const wrong =
        checkIndexKey(index, attribute, item, by, wrongType) ?? checkSize(item, attribute, checkHashSize);
      if (wrong !== undefined) return wrong;
    }
    for (const attribute of index.range) {
      const wrong =
        checkIndexKey(index, attribute, item, by, wrongType) ?? checkSize(item, attribute, checkRangeSize);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

/**
 * Tells whether an item that was stored before its index existed fits into the index. The service silently skips the
 * other items while it fills a new index.
 */
export function fitsIndex(index: IndexSchema, item: Item): boolean {
  for (const attribute of index.hash)
    if (!isKeyOf(attribute, item) || checkHashSize(item.get(attribute.name)!) !== undefined) return false;
  for (const attribute of index.range)
    if (!isKeyOf(attribute, item) || checkRangeSize(item.get(attribute.name)!) !== undefined) return false;
  return true;
}

function isKeyOf(attribute: KeyAttribute, item: Item): boolean {
  const value = keyValueOf(item, attribute);
  return value !== undefined && emptiness(value) === undefined;
}

/**
 * Checks the values that a query compares keys with. They have the limits of the keys themselves, which also keeps
 * the bounds made from them short. The service checks them with these texts, as it checks other keys (inferred).
 */
export function checkKeyValueSizes(condition: {
  readonly hash: readonly KeyValue[];
  readonly equal: readonly KeyValue[];
  readonly range: RangeCondition | undefined;
}): DynamoError | undefined {
  const { hash, equal, range } = condition;
  const last = range === undefined ? [] : 'value' in range ? [range.value] : [range.low, range.high];
  for (const value of hash) {
    const wrong = checkHashSize(value);
    if (wrong !== undefined) return wrong;
  }
  for (const value of [...equal, ...last]) {
    const wrong = checkRangeSize(value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkIndexKey(
  index: IndexSchema,
  { name, type }: KeyAttribute,
  item: Item,
  by: 'put' | 'update',
  wrongType: WrongTypeWords,
): DynamoError | undefined {
  const value = item.get(name);
  if (value === undefined) return undefined;
  const actual = typeOf(value);
  if (actual !== type) {
    return wrongType === 'unsupported'
      ? validationError(
          'The update expression attempted to update the secondary index key to unsupported type',
        )
      : indexKeyMismatch(index, { name, type }, actual);
  }
  return checkEmptyIndexKey(index, { name, type }, item, by);
}

export function indexKeyMismatch(
  index: IndexSchema,
  { name, type }: KeyAttribute,
  actual: AttributeType,
): DynamoError {
  return invalidParameter(
    `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index.name}`,
  );
}

function checkEmptyIndexKey(
  index: IndexSchema,
  attribute: KeyAttribute,
  item: Item,
  by: 'put' | 'update',
): DynamoError | undefined {
  const empty = emptiness(keyValueOf(item, attribute));
  if (empty === undefined) return undefined;
  return validationError(
    by === 'update'
      ? `${notValid} The update expression attempted to update a secondary index key to a value that is not supported. ${emptyKey(empty)}`
      : `${notValid} A value specified for a secondary index key is not supported. ${emptyKey(empty)} IndexName: ${index.name}, IndexKey: ${attribute.name}`,
  );
}

const notValid = 'One or more parameter values are not valid.';

function emptyKey(kind: 'string' | 'binary'): string {
  return `The AttributeValue for a key attribute cannot contain an empty ${kind} value.`;
}

function emptiness(value: AttributeValue | undefined): 'string' | 'binary' | undefined {
  if (value === undefined || !isKeyValue(value) || keyText(value) !== '') return undefined;
  return 'S' in value ? 'string' : 'binary';
}

function checkSize(
  item: Item,
  { name }: KeyAttribute,
  check: (value: AttributeValue) => DynamoError | undefined,
): DynamoError | undefined {
  const value = item.get(name);
  return value === undefined ? undefined : check(value);
}

/** Checks the size of a partition key. The missing blank is the service's. */
function checkHashSize(value: AttributeValue): DynamoError | undefined {
  const max = itemLimits.partitionKeyBytesMax;
  return isLonger(value, max)
    ? invalidParameter(`Size of hashkey has exceeded the maximum size limit of${max} bytes`)
    : undefined;
}

/**
 * Checks the size of a sort key. The limit applies to each attribute. The text suggests that it applies to the sum of
 * the RANGE attributes of a multi-attribute index, but nobody is known to have tried.
 */
function checkRangeSize(value: AttributeValue): DynamoError | undefined {
  const max = itemLimits.sortKeyBytesMax;
  return isLonger(value, max)
    ? invalidParameter(`Aggregated size of all range keys has exceeded the size limit of ${max} bytes`)
    : undefined;
}

/**
 * Tells whether a key value is longer than `max` bytes. Most keys are so short that their bytes need no counting, and
 * a number is never too long.
 */
function isLonger(value: AttributeValue, max: number): boolean {
  return isKeyValue(value) && !('N' in value) && keyText(value).length * 3 > max && valueSize(value) > max;
}
