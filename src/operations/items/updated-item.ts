import type { NextItem } from '../../engine/writes/write-item.ts';
import { applyUpdate } from '../../expressions/apply-update.ts';
import type { Update } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { checkIndexKeys, type WrongTypeWords } from '../../model/keys/key-checks.ts';
import { itemLimits } from '../../model/limits.ts';
import type { TableSchema } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { changedSize, itemSize } from '../../model/values/item-size.ts';

/**
 * What an update makes of an item, of which only what the update names need be there, and the keys of indexes. It is
 * measured by the item that it makes; UpdateItem alone charges for its expression too (`update-charge.ts`).
 *
 * An index key of another type is a mismatch of types, in the words of PutItem, for AttributeUpdates and in
 * TransactWriteItems (captures of 2026); for an UpdateExpression it is an unsupported type, and so it is here for
 * statements, of which no capture is known.
 */
export function updatedItem(
  update: Update,
  before: Item | undefined,
  beforeBytes: number,
  key: Item,
  schema: TableSchema,
  wrongType: WrongTypeWords = update.form === 'legacy' ? 'mismatch' : 'unsupported',
): NextItem | DynamoError {
  const next = applyUpdate(update, before, key);
  if (next instanceof DynamoError || next.item === undefined) return next;
  const wrong = checkIndexKeys(schema, next.item, 'update', wrongType);
  if (wrong !== undefined) return wrong;
  const bytes = before === undefined ? itemSize(next.item) : changedSize(before, beforeBytes, next.item);
  return bytes > itemLimits.itemBytesMax ? updateTooLarge() : { item: next.item, bytes };
}

/**
 * Of items that get too deep while a statement or a transaction runs no more is said than this (of statements seen in
 * September, of transactions in October 2026).
 */
export function inShortWords(next: NextItem | DynamoError): NextItem | DynamoError {
  const text = 'Nesting Levels have exceeded supported limits';
  return next instanceof DynamoError && next.message?.startsWith(text) ? validationError(text) : next;
}

export function updateTooLarge(): DynamoError {
  return validationError('Item size to update has exceeded the maximum allowed size');
}
