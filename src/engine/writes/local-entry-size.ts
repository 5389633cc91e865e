import { type DynamoError, validationError } from '../../model/errors.ts';
import { fitsIndex } from '../../model/keys/key-checks.ts';
import { itemLimits } from '../../model/limits.ts';
import { projectForIndex } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { itemSize } from '../../model/values/item-size.ts';
import type { Table } from '../tables/table-record.ts';

/**
 * For each local index an item and its entry may have 400 KB together (developer guide, "Constraints"; a user met it with
 * 210 KB under an index that projects everything, meansoup.github.io, 2024). The text is not recorded: this is the one
 * for items. Items that are too large already may shrink.
 */
export function localEntryTooLarge(
  table: Table,
  after: Item,
  bytes: number,
  beforeBytes: number | undefined,
  isUpdate: boolean,
): DynamoError | undefined {
  const { itemBytesMax } = itemLimits;
  // No entry is larger than its item.
  if (table.schema.localIndexes.length === 0 || bytes * 2 <= itemBytesMax) return undefined;
  if (beforeBytes !== undefined && bytes <= beforeBytes) return undefined;
  for (const index of table.schema.localIndexes) {
    if (!fitsIndex(index, after)) continue;
    const entry =
      index.projection.type === 'ALL' ? bytes : itemSize(projectForIndex(table.schema, index, after));
    if (bytes + entry > itemBytesMax)
      return validationError(
        isUpdate
          ? 'Item size to update has exceeded the maximum allowed size'
          : 'Item size has exceeded the maximum allowed size',
      );
  }
  return undefined;
}
