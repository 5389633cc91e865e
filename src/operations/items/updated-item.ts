import type { NextItem } from '../../engine/writes/write-item.ts';
import { applyUpdate } from '../../expressions/apply-update.ts';
import type { Update } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { checkIndexKeys } from '../../model/keys/key-checks.ts';
import { itemLimits } from '../../model/limits.ts';
import type { TableSchema } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { changedSize, itemSize } from '../../model/values/item-size.ts';

/**
 * Applies an update to an item. `before` may be partial: it holds the attributes that the update names, and the index
 * keys. The size limit applies to the new item; UpdateItem alone also charges for its expression (`update-charge.ts`).
 *
 * An index key that gets another type from the item itself, as in `SET x = y`, is an unsupported type (observed:
 * dynalite's tests; documented: API Reference, the text for transactions). Constants of another type were refused
 * before the item was read (`checkWritePaths`). With AttributeUpdates only an item that was stored before its index can
 * bring another type; the text for it stays PutItem's (guess).
 */
export function updatedItem(
  update: Update,
  before: Item | undefined,
  beforeBytes: number,
  key: Item,
  schema: TableSchema,
): NextItem | DynamoError {
  const next = applyUpdate(update, before, key);
  if (next instanceof DynamoError || next.item === undefined) return next;
  const wrong = checkIndexKeys(
    schema,
    next.item,
    'update',
    update.form === 'legacy' ? 'mismatch' : 'unsupported',
  );
  if (wrong !== undefined) return wrong;
  const bytes = before === undefined ? itemSize(next.item) : changedSize(before, beforeBytes, next.item);
  return bytes > itemLimits.itemBytesMax ? updateTooLarge() : { item: next.item, bytes };
}

/**
 * Shortens the error of an item that becomes too deep in a statement or a transaction. The service says no more there
 * (observed: public captures, statements in September 2026, transactions in October 2026).
 */
export function inShortWords(next: NextItem | DynamoError): NextItem | DynamoError {
  const text = 'Nesting Levels have exceeded supported limits';
  return next instanceof DynamoError && next.message?.startsWith(text) ? validationError(text) : next;
}

export function updateTooLarge(): DynamoError {
  return validationError('Item size to update has exceeded the maximum allowed size');
}
