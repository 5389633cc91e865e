import type { Table, TableIndex } from '../tables/table-record.ts';

/**
 * Whether an index may lack entries of items that are there: it is still being filled. The entries that it has must
 * be right all the same, and its counters must be those of the entries it has.
 */
export function mayLackEntries(table: Table, index: TableIndex): boolean {
  return table.filling === index;
}
