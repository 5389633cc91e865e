import type { KeyClause } from '../../expressions/key-clauses.ts';
import { type KeyCondition, keyCondition } from '../../expressions/key-condition.ts';
import { meetsHash, meetsRange } from '../../expressions/meets-key-condition.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { checkKey, fitsIndex, keyMismatch } from '../../model/keys/key-checks.ts';
import { type Hash16, indexKey, itemHash, tableKey } from '../../model/keys/keys.ts';
import {
  indexKeyValues,
  keyAttributes,
  keyItemOf,
  keyValueOf,
  primaryKeyOf,
} from '../../model/tables/table-schema.ts';
import { type Item, type KeyValue, shownKeyValue } from '../../model/values/attribute-value.ts';
import { type ReadTarget, startKeyNames } from './read-target.ts';

/**
 * Checks of ExclusiveStartKey against the table or index that is read. A start key consists of the key attributes of
 * both. A page starts after the position that they give, whether an item exists there or not. Texts and their order are
 * the service's (observed: dynalite's tests; observed: public captures, in part, 2026).
 */

const invalid = 'The provided starting key is invalid';

/**
 * Checks the number of attributes and the attributes of the queried key. The service checks them before the key
 * condition.
 */
export function checkQueryStartKey(target: ReadTarget, startKey: Item): DynamoError | undefined {
  return startKey.size === startKeyNames(target).length
    ? checkQueriedKey(target, startKey)
    : validationError(invalid);
}

/** Checks the start key of a Scan. Its errors about a table's start key say more than those of a Query. */
export function checkScanStartKey(target: ReadTarget, startKey: Item): DynamoError | undefined {
  if (startKey.size !== startKeyNames(target).length) {
    return validationError(target.index === undefined ? `${invalid}: ${keyMismatch().message}` : invalid);
  }
  const wrong = target.index === undefined ? undefined : checkQueriedKey(target, startKey);
  return wrong ?? checkTableKey(target, startKey);
}

/** Checks the attributes of the key that is read by. The error about a type has no prefix. */
function checkQueriedKey({ index, key }: ReadTarget, startKey: Item): DynamoError | undefined {
  for (const attribute of [...key.hash, ...key.range]) {
    if (!startKey.has(attribute.name)) return validationError(invalid);
    if (keyValueOf(startKey, attribute) === undefined) return keyMismatch();
  }
  // The service refuses such a key for certain, since no item has it, with a text that is ours here (guess).
  return index === undefined || fitsIndex(index.schema, startKey) ? undefined : validationError(invalid);
}

/** Checks the attributes of the table's own key, whether a table or an index is read. */
export function checkTableKey({ table }: ReadTarget, startKey: Item): DynamoError | undefined {
  const missing = keyAttributes(table.schema).some(({ name }) => !startKey.has(name));
  const wrong = missing ? keyMismatch() : checkKey(table.schema, keyItemOf(table.schema, startKey));
  return wrong && validationError(`${invalid}: ${wrong.message}`);
}

/**
 * Checks that the start key is within the query's range. The service checks the RANGE attributes first if the query
 * names any. Then its text for a start key of another partition is odd.
 */
export function checkWithinQuery(
  { key }: ReadTarget,
  condition: KeyCondition,
  startKey: Item,
): DynamoError | undefined {
  const isInPartition = meetsHash(condition, key, startKey);
  if (condition.range === undefined) {
    return isInPartition
      ? undefined
      : validationError('The provided starting key is outside query boundaries based on provided conditions');
  }
  if (!meetsRange(condition, key, startKey)) {
    return validationError('The provided starting key does not match the range key predicate');
  }
  return isInPartition
    ? undefined
    : validationError('The query can return at most one row and cannot be restarted');
}

/** Checks the key condition of a query and its start key, in the order of the service. */
export function queryCondition(
  target: ReadTarget,
  clauses: readonly KeyClause[],
  startKey: Item | undefined,
): KeyCondition | DynamoError {
  const wrong = startKey && checkQueryStartKey(target, startKey);
  if (wrong !== undefined) return wrong;
  const condition = keyCondition(clauses, target.key);
  if (condition instanceof DynamoError || startKey === undefined) return condition;
  return (
    checkTableKey(target, startKey) ??
    (isOneItemPerPartition(target) ? cannotStart(startKey) : undefined) ??
    checkWithinQuery(target, condition, startKey) ??
    condition
  );
}

/**
 * Whether a partition holds at most one item: that of a table without a RANGE key. A Query finds the item or does not,
 * so it cannot be continued, and any start key is refused (observed: public captures, 2026). Here its page is always
 * the last, whatever Limit says; whether the service returns a LastEvaluatedKey that it would then refuse is unknown
 * (guess).
 */
export function isOneItemPerPartition({ index, key }: ReadTarget): boolean {
  return index === undefined && key.range.length === 0;
}

function cannotStart(startKey: Item): DynamoError {
  const shown = [...startKey].map(([name, value]) => `${name}=${shownKeyValue(value as KeyValue)}`);
  return validationError(
    `The provided exclusive start key is invalid: ExclusiveStartKey: {${shown.join(', ')}}`,
  );
}

/** The store key of an entry, made from a checked start key. */
export function storeKeyOf({ table, index, prefix }: ReadTarget, startKey: Item, h16: Hash16): Uint8Array {
  if (index === undefined) return tableKey(prefix, primaryKeyOf(table.schema, startKey), h16);
  const values = indexKeyValues(index.schema, startKey);
  if (values === undefined) throw new Error('a start key that was not checked');
  return indexKey(prefix, values, itemHash(primaryKeyOf(table.schema, startKey), h16), h16);
}
