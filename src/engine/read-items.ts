import type { Item } from '../model/attribute-value.ts';
import { DynamoError } from '../model/errors.ts';
import { type Hash16, tableKey } from '../model/keys.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { primaryKeyOf } from '../model/table-schema.ts';
import type { Table } from './table-record.ts';
import { forgetStale, planTables, type TableDesk, type TableRequest } from './table-requests.ts';

/** What was found under the keys of one request, in their order; undefined where there is no item. */
export interface TableItems {
  readonly table: Table;
  readonly stored: readonly (Uint8Array | undefined)[];
}

/**
 * Reads items of several tables in one call to the Store. A store that others write to is asked for the tables' epochs
 * in the same call; should one differ, that table was changed or dropped, and everything is planned and read again.
 */
export function readItems(
  desk: TableDesk,
  h16: Hash16,
  requests: readonly TableRequest<Item>[],
): MaybePromise<readonly TableItems[] | DynamoError> {
  return whenDone(planTables(desk, requests), (planned) => {
    if (planned instanceof DynamoError) return planned;
    const tables = desk.store.exclusive ? [] : planned.map(({ table }) => table);
    const epochKeys = tables.map(({ epochKey }) => epochKey);
    const itemKeys = planned.flatMap(({ table, plans }) =>
      plans.map((key) => tableKey(table.prefix, primaryKeyOf(table.schema, key), h16)),
    );
    return whenDone(desk.store.getMany([...epochKeys, ...itemKeys]), (found) => {
      if (forgetStale(desk.catalogue, tables, found)) return readItems(desk, h16, requests);
      let end = epochKeys.length;
      return planned.map(({ table, plans }) => {
        const start = end;
        end += plans.length;
        return { table, stored: found.slice(start, end) };
      });
    });
  });
}
