import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../model/maybe-promise.ts';
import type { Store } from '../storage/store.ts';
import type { Catalogue } from './catalogue.ts';
import type { IndexLag } from './index-lag.ts';
import type { Scope } from './store-keys.ts';
import { sameEpoch, type Table } from './table-record.ts';

/** What a request that spans tables asks of one of them: keys to read or writes to do. */
export interface TableRequest<Plan> {
  readonly scope: Scope;
  readonly name: string;
  /** Pure: called again, with the table as it is then, when the table has changed meanwhile. */
  plan(table: Table): readonly Plan[] | DynamoError;
}

export interface PlannedTable<Plan> {
  readonly table: Table;
  readonly plans: readonly Plan[];
}

/** The parts of the engine that such a request needs. */
export interface TableDesk {
  readonly store: Store;
  readonly catalogue: Catalogue;
  /** Where global indexes lag behind, what readers still see of them. */
  readonly indexLag?: IndexLag | undefined;
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError>;
}

/**
 * A missing table is told before anything that is wrong with the keys for another. What is wrong with keys is told only
 * of tables as they are now: a cached one may have been replaced by another process.
 */
export function planTables<Plan>(
  desk: TableDesk,
  requests: readonly TableRequest<Plan>[],
): MaybePromise<readonly PlannedTable<Plan>[] | DynamoError> {
  const lookups = requests.map(({ scope, name }) => desk.table(scope, name));
  return whenDone(whenAllDone(lookups), (found) => {
    const missing = found.find((table) => table instanceof DynamoError);
    if (missing !== undefined) return missing;
    const tables = found as readonly Table[];
    const planned = planAll(requests, tables);
    if (!(planned instanceof DynamoError) || desk.store.exclusive) return planned;
    return whenDone(desk.store.getMany(tables.map(({ epochKey }) => epochKey)), (epochs) =>
      forgetStale(desk.catalogue, tables, epochs) ? planTables(desk, requests) : planned,
    );
  });
}

/** What is wrong with a request is told only of the table as it is now, and not of one that another process replaced. */
export function unlessStale<R>(
  desk: TableDesk,
  table: Table,
  error: DynamoError,
  again: () => MaybePromise<R>,
): MaybePromise<R | DynamoError> {
  if (desk.store.exclusive) return error;
  return whenDone(
    desk.store.get(table.epochKey),
    (epoch): MaybePromise<R | DynamoError> =>
      forgetStale(desk.catalogue, [table], [epoch]) ? again() : error,
  );
}

/** Forgets the tables whose epochs in the store are no longer theirs, and answers whether there were any. */
export function forgetStale(
  catalogue: Catalogue,
  tables: readonly Table[],
  epochs: readonly (Uint8Array | undefined)[],
): boolean {
  const stale = tables.filter((table, i) => !sameEpoch(epochs[i], table.epoch));
  for (const table of stale) catalogue.forget(table);
  return stale.length > 0;
}

function planAll<Plan>(
  requests: readonly TableRequest<Plan>[],
  tables: readonly Table[],
): readonly PlannedTable<Plan>[] | DynamoError {
  const planned: PlannedTable<Plan>[] = [];
  for (const [i, table] of tables.entries()) {
    const plans = requests[i]!.plan(table);
    if (plans instanceof DynamoError) return plans;
    planned.push({ table, plans });
  }
  return planned;
}
