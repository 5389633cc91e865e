import type { DynamoError } from '../../model/errors.ts';
import { type Hash16, partitionHash } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Item, KeyValue } from '../../model/values/attribute-value.ts';
import { partitionsVisited } from '../../physics/scan-partitions.ts';
import { itemsReadUnits, pageReadUnits, type ReadConsistency } from '../../physics/units.ts';
import type { Consumed } from '../consumed.ts';
import type { IndexLag } from '../indexes/index-lag.ts';
import { itemTouch, type Road } from '../road.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';
import { onTables, type TableDeps, type TableName } from '../tables/table-requests.ts';
import { stale } from '../writes/write-item.ts';
import { type FetchedPage, readFetchedPage } from './fetch-items.ts';
import { type EvaluatedPage, type PagePlan, readPage } from './read-range.ts';

/** The plan of a page of a Query or Scan. */
export interface SearchPlan extends PagePlan {
  readonly target: SearchTarget;
  readonly consistency: ReadConsistency;
  /** The values of the HASH attributes of a Query; undefined for a Scan. */
  readonly hash: readonly KeyValue[] | undefined;
  /** Whether the page fetches the items behind a local index's entries. */
  readonly fetches: boolean;
  /** The part of the hash space that a Scan reads. Undefined for a Query, which stays in one partition. */
  readonly scanned: ScannedSpace | undefined;
}

/** The table or index that a page is read from. */
export interface SearchTarget {
  readonly table: Table;
  /** The index. Undefined for the table itself. */
  readonly index: TableIndex | undefined;
  readonly prefix: Uint8Array;
}

export interface ScannedSpace {
  readonly partitions: number;
  readonly first: Uint8Array;
  /** The first hash after this part. Undefined at the end of the hash space. */
  readonly end: Uint8Array | undefined;
}

/** A page, the last plan that it was read with, and its cost. */
export interface PageRead<Plan> {
  readonly plan: Plan;
  readonly page: EvaluatedPage | FetchedPage;
  readonly consumed: Consumed;
}

export interface PageDeps extends TableDeps {
  readonly h16: Hash16;
  /** The past entries of global indexes that lag behind. */
  readonly indexLag: IndexLag | undefined;
}

export function readSearchPage<Plan extends SearchPlan>(
  deps: PageDeps,
  road: Road,
  name: TableName,
  plan: (table: Table, h16: Hash16) => Plan | DynamoError,
): MaybePromise<PageRead<Plan> | DynamoError> {
  const { store, h16, indexLag } = deps;
  return onTables<Plan, PageRead<Plan>>(deps, road, {
    names: [name],
    plan: (tables) => plan(tables[0]!, h16),
    touches: ({ target, from, after, hash }) => [
      itemTouch('read', target.table, after?.key ?? from, hash && hashAttributes(target, hash), target.index),
    ],
    run(planned) {
      const { table } = planned.target;
      const read = planned.fetches
        ? readFetchedPage(store, table, planned, h16)
        : readPage(indexLag?.over(store, planned.from) ?? store, table, planned, !store.exclusive);
      return whenDone<EvaluatedPage | FetchedPage | typeof stale, PageRead<Plan> | typeof stale>(
        read,
        (page) => {
          if (page === stale) return stale;
          const consumed = consumedBy(planned, page);
          road.charge(table, 'read', consumed);
          return { plan: planned, page, consumed };
        },
      );
    },
  });
}

function hashAttributes({ table, index }: SearchTarget, values: readonly KeyValue[]): Item {
  const attributes = index === undefined ? [table.schema.hash] : index.schema.hash;
  return new Map(attributes.map(({ name }, i) => [name, values[i]!]));
}

/**
 * The cost of a page. The sizes of the evaluated entries are added up and rounded once; each item fetched for a local
 * index is rounded by itself. A page of an index charges the table's arm only for those fetches. Each partition that a
 * Scan visits costs at least one read.
 */
function consumedBy(plan: SearchPlan, page: EvaluatedPage | FetchedPage): Consumed {
  const { consistency, target } = plan;
  const visited = plan.scanned === undefined ? 0 : partitionsOf(plan, plan.scanned, page);
  const units = pageReadUnits(page.bytes, consistency, visited);
  // A page without entries is charged at the key where it starts.
  const first = page.first?.key ?? plan.after?.key ?? plan.from;
  const last = page.last?.key ?? first;
  if (target.index === undefined) return { table: units, first, last, indexes: [] };
  const fetched = 'fetchedBytes' in page ? itemsReadUnits(page.fetchedBytes, consistency) : 0;
  const { schema, kind } = target.index;
  const index = { name: schema.name, kind, units, first, last };
  return { table: fetched, first: undefined, last: undefined, indexes: [index] };
}

function partitionsOf(
  { after, target: { prefix } }: SearchPlan,
  { partitions, first, end }: ScannedSpace,
  page: EvaluatedPage,
): number {
  const last = page.stopped ? page.last : undefined;
  return partitionsVisited(
    partitions,
    after === undefined ? first : partitionHash(after.key, prefix.length),
    last === undefined ? { before: end } : { last: partitionHash(last.key, prefix.length) },
  );
}
