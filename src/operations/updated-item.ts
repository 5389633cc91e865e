import type { NextItem } from '../engine/write-item.ts';
import { applyUpdate } from '../expressions/apply-update.ts';
import type { Update } from '../expressions/tree.ts';
import type { Item } from '../model/attribute-value.ts';
import { DynamoError, validationError } from '../model/errors.ts';
import { changedSize, itemSize } from '../model/item-size.ts';
import { checkIndexKeys } from '../model/key-checks.ts';
import { itemLimits } from '../model/limits.ts';
import type { TableSchema } from '../model/table-schema.ts';

/**
 * What an update makes of an item, of which only what the update names need be there, and the keys of indexes. It is
 * measured by the item that it makes; UpdateItem alone charges for its expression too (`update-charge.ts`).
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
  const wrong = checkIndexKeys(schema, next.item, 'update');
  if (wrong !== undefined) return wrong;
  const bytes = before === undefined ? itemSize(next.item) : changedSize(before, beforeBytes, next.item);
  return bytes > itemLimits.itemBytesMax ? updateTooLarge() : { item: next.item, bytes };
}

export function updateTooLarge(): DynamoError {
  return validationError('Item size to update has exceeded the maximum allowed size');
}
