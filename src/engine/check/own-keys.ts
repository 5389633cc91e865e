import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { indexEntryKey } from '../indexes/index-entries.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';

/** The key that an item's attributes give it; undefined when they are not those of the table's key. */
export function ownKey(table: Table, item: Item, h16: Hash16): Uint8Array | undefined {
  return unlessImpossible(() => tableKey(table.prefix, primaryKeyOf(table.schema, item), h16));
}

/** Where an index has its entry of an item; undefined when the item is not in there. */
export function ownEntryKey(
  table: Table,
  index: TableIndex,
  item: Item,
  h16: Hash16,
): Uint8Array | undefined {
  return unlessImpossible(() => indexEntryKey(table, index, item, h16));
}

/** The engine takes keys to be there and sound, and throws where they are not; here that is what is looked for. */
function unlessImpossible<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
