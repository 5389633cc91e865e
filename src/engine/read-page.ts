import { DynamoError } from '../model/errors.ts';
import type { Hash16 } from '../model/keys.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { type FetchedPage, readFetchedPage } from './fetch-items.ts';
import { type EvaluatedPage, type PagePlan, readPage } from './read-range.ts';
import type { Scope } from './store-keys.ts';
import type { Table } from './table-record.ts';
import { type TableDesk, unlessStale } from './table-requests.ts';
import { stale } from './write-item.ts';

export interface QueryPlan extends PagePlan {
  /** Whether the items behind a local index's entries are needed. */
  readonly fetches: boolean;
}

/** A page, and the plan that it was read by in the end. */
export interface PageRead<Plan> {
  readonly plan: Plan;
  readonly page: EvaluatedPage | FetchedPage;
}

export function readQueryPage<Plan extends QueryPlan>(
  desk: TableDesk,
  h16: Hash16,
  scope: Scope,
  name: string,
  plan: (table: Table, h16: Hash16) => Plan | DynamoError,
): MaybePromise<PageRead<Plan> | DynamoError> {
  return whenDone(desk.table(scope, name), (table) => {
    if (table instanceof DynamoError) return table;
    const planned = plan(table, h16);
    if (planned instanceof DynamoError) {
      return unlessStale(desk, table, planned, () => readQueryPage(desk, h16, scope, name, plan));
    }
    const read = planned.fetches
      ? readFetchedPage(desk.store, table, planned, h16)
      : readPage(
          desk.indexLag?.over(desk.store, planned.from) ?? desk.store,
          table,
          planned,
          !desk.store.exclusive,
        );
    return whenDone<EvaluatedPage | FetchedPage | typeof stale, PageRead<Plan> | DynamoError>(
      read,
      (page) => {
        if (page !== stale) return { plan: planned, page };
        desk.catalogue.forget(table);
        return readQueryPage(desk, h16, scope, name, plan);
      },
    );
  });
}
