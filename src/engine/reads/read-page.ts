import type { DynamoError } from '../../model/errors.ts';
import { type Hash16, hashBytes, partitionHash } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Item, KeyValue } from '../../model/values/attribute-value.ts';
import { fetchingPageUnits, pageReadUnits, type ReadConsistency } from '../../physics/units.ts';
import type { Reader } from '../../storage/store.ts';
import type { Capacity } from '../capacity/capacity.ts';
import type { Consumed } from '../consumed.ts';
import type { IndexLag } from '../indexes/index-lag.ts';
import { itemTouch, type Road } from '../road.ts';
import type { StaleReads } from '../stale-reads.ts';
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
  /** What readers still see of the global indexes of a table, where these lag behind. */
  indexLagOf(table: Table): IndexLag | undefined;
  /** What eventually consistent readers may still see of a table, where they may be behind. */
  staleReadsOf(table: Table): StaleReads | undefined;
  readonly capacity: Capacity;
}

export function readSearchPage<Plan extends SearchPlan>(
  deps: PageDeps,
  road: Road,
  name: TableName,
  plan: (table: Table, h16: Hash16) => Plan | DynamoError,
): MaybePromise<PageRead<Plan> | DynamoError> {
  const { store, h16 } = deps;
  return onTables<Plan, PageRead<Plan>>(deps, road, {
    names: [name],
    plan: (tables) => plan(tables[0]!, h16),
    touches: ({ target, from, after, hash }) => [
      itemTouch(
        'read',
        target.table,
        after?.key ?? from,
        hash && (() => hashAttributes(target, hash)),
        target.index,
      ),
    ],
    run(planned) {
      const { table } = planned.target;
      const read = planned.fetches
        ? readFetchedPage(store, table, planned, h16)
        : readPage(readerOf(deps, road, planned), table, planned, !store.exclusive);
      return whenDone<EvaluatedPage | FetchedPage | typeof stale, PageRead<Plan> | typeof stale>(
        read,
        (page) => {
          if (page === stale) return stale;
          const consumed = consumedBy(deps.capacity, planned, page);
          road.charge(table, 'read', consumed);
          return { plan: planned, page, consumed };
        },
      );
    },
  });
}

/** The store, or the past that a reader of the page may still see. */
function readerOf(deps: PageDeps, road: Road, { target, from, consistency }: SearchPlan): Reader {
  const { store } = deps;
  let reader: Reader = store;
  if (target.index?.traits.visibility === 'later')
    reader = deps.indexLagOf(target.table)?.over(store, from) ?? store;
  else if (consistency === 'eventual') reader = deps.staleReadsOf(target.table)?.over(store, from) ?? store;
  if (reader !== store) road.noteStale?.();
  return reader;
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
function consumedBy(capacity: Capacity, plan: SearchPlan, page: EvaluatedPage | FetchedPage): Consumed {
  const { consistency, target } = plan;
  const visited = plan.scanned === undefined ? 0 : partitionsOf(capacity, plan, plan.scanned, page);
  // A page without entries is charged at the key where it starts.
  const first = page.first?.key ?? plan.after?.key ?? plan.from;
  const last = page.last?.key ?? first;
  if (target.index === undefined)
    return { table: pageReadUnits(page.bytes, consistency, visited), first, last, indexes: [] };
  const arms =
    'fetchedBytes' in page
      ? fetchingPageUnits(page.bytes, page.fetchedBytes, consistency, visited)
      : { index: pageReadUnits(page.bytes, consistency, visited), table: 0 };
  const { schema, kind } = target.index;
  const index = { name: schema.name, kind, units: arms.index, first, last };
  return { table: arms.table, first: undefined, last: undefined, indexes: [index] };
}

/** The partitions that a page of a Scan visits, by the map of its table or index. */
function partitionsOf(
  capacity: Capacity,
  { after, target: { table, index, prefix } }: SearchPlan,
  { first, end }: ScannedSpace,
  page: EvaluatedPage,
): number {
  const map = capacity.mapOf(table, index?.schema.name);
  if (map === undefined) return 1;
  const last = page.stopped ? page.last : undefined;
  const sortAt = prefix.length + hashBytes;
  return map.countVisited(
    after === undefined ? first : partitionHash(after.key, prefix.length),
    last === undefined
      ? { before: end }
      : { last: partitionHash(last.key, prefix.length), lastSort: last.key.subarray(sortAt) },
    after?.key.subarray(sortAt),
  );
}
