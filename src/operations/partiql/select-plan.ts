import type { EntrySink, TakenEntry } from '../../engine/reads/read-range.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { checkScalarKeys, pathsOf } from '../../expressions/key-paths.ts';
import type { Select } from '../../expressions/partiql/resolve-statement.ts';
import { projectionOf } from '../../expressions/project.ts';
import type { Condition, Projection } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { partStart } from '../../model/keys/hash-segments.ts';
import { checkKey, checkKeyValueSizes } from '../../model/keys/key-checks.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import type { ReadConsistency } from '../../physics/units.ts';
import type { TargetPlan } from '../search/page-answer.ts';
import { queryPlan } from '../search/query-plan.ts';
import { checkProjected, needsItems } from '../search/read-selection.ts';
import { checkReadable, findTarget, type ReadTarget } from '../search/read-target.ts';
import {
  checkQueryStartKey,
  checkScanStartKey,
  checkTableKey,
  checkWithinQuery,
  storeKeyOf,
} from '../search/start-key.ts';
import { attributeOf } from './key-leaves.ts';
import { type KeyRead, keyReads } from './key-reads.ts';
import { checkOrder, orderedReads } from './read-order.ts';

/** How a SELECT is done: as a GetItem, as Queries one after the other, or as a Scan. */
export type SelectPlan = GetPlan | QueriesPlan | ScanPlan;

interface Planned {
  readonly target: ReadTarget;
  /** Whether the items behind a local index's entries are needed. */
  readonly fetches: boolean;
}

export interface GetPlan extends Planned {
  readonly kind: 'get';
  readonly key: Item;
}

export interface QueriesPlan extends Planned {
  readonly kind: 'queries';
  readonly reads: readonly KeyRead[];
  readonly reverse: boolean;
}

export interface ScanPlan extends Planned {
  readonly kind: 'scan';
  readonly filter: Condition | undefined;
}

export function planSelect(
  table: Table,
  select: Select,
  consistent: boolean | undefined,
  nowMs: number,
): SelectPlan | DynamoError {
  return planLookup(table, select) ?? planRead(table, select, consistent, nowMs);
}

/**
 * `WHERE pk = … AND sk = …` and nothing else, which is what most statements are, told at a glance. Whatever is unusual
 * about it is left to the plan of any read, which comes to the same or says what is wrong.
 */
function planLookup(
  table: Table,
  { source, columns, columnProblem, where, order }: Select,
): GetPlan | undefined {
  if (source.index !== undefined || order.length > 0 || where === undefined) return undefined;
  if (columnProblem !== undefined) return undefined;
  if (columns?.some(({ path }) => path.length > 1)) return undefined;
  const { schema } = table;
  const parts = where.kind === 'and' ? where.conditions : [where];
  if (parts.length !== (schema.range === undefined ? 1 : 2)) return undefined;
  const key = new Map<string, AttributeValue>();
  for (const part of parts) {
    if (part.kind !== 'compare' || part.comparator !== '=' || part.right.kind !== 'value') return undefined;
    const name = attributeOf(part.left);
    if (name !== undefined) key.set(name, part.right.value);
  }
  if (checkKey(schema, key) !== undefined) return undefined;
  return { kind: 'get', target: findTarget(table, undefined)!, fetches: false, key };
}

function planRead(
  table: Table,
  { source, columns, columnProblem, where, order }: Select,
  consistent: boolean | undefined,
  nowMs: number,
): SelectPlan | DynamoError {
  const target = findTarget(table, source.index);
  // Unlike Query, a statement does not name the index that it misses (observed: public captures, 2026).
  if (target === undefined) return validationError('The table does not have the specified index');
  const unreadable = checkKeyOfIndex(target) ?? columnProblem ?? checkReadable(target, nowMs);
  if (unreadable !== undefined) return unreadable;
  if (consistent === true && target.index?.traits.visibility === 'later') {
    return validationError('Strongly consistent read is not supported on Global Secondary Indexes');
  }
  const isIndex = target.index !== undefined;
  const reads = keyReads(where, target.key, isIndex);
  if (reads instanceof DynamoError) return reads;
  const projection = columns && projectionOf(attributesOf(columns.map(({ path }) => path[0])));
  const wrong =
    checkOrder(order, target.key, where === undefined ? 'all' : reads) ??
    checkScalarKeys(
      [...(columns ?? []).map(({ path }) => path), ...(where ? pathsOf(where) : [])],
      table.schema,
    ) ??
    checkServed(target, projection, reads);
  if (wrong !== undefined) return wrong;
  const fetches = needsItems(target, undefined, projection);
  if (reads === 'scan') return { kind: 'scan', target, fetches, filter: where };
  const [only] = reads;
  const key = reads.length === 1 && !isIndex ? wholeKey(table, only!) : undefined;
  return key !== undefined
    ? { kind: 'get', target, fetches, key }
    : { kind: 'queries', target, fetches, ...orderedReads(reads, order, target.key, isIndex) };
}

/**
 * Statements cannot read what has several attributes in a part of its key (observed: public captures, two Regions,
 * October 2026).
 */
export function checkKeyOfIndex(target: ReadTarget | undefined): DynamoError | undefined {
  if (target === undefined || (target.key.hash.length === 1 && target.key.range.length <= 1))
    return undefined;
  return validationError(
    'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.',
  );
}

function attributesOf(names: readonly string[]): readonly [string][] {
  return [...new Set(names)].map((name) => [name]);
}

/**
 * An index has to hold what a filter looks at only where partitions are named; a statement that looks through all of it
 * just finds nothing there (observed: public captures, 2026). Of several reads one is enough whose filter the index can
 * serve: then the others just find nothing too (observed: public captures, 2026). None of several is refused like a
 * single one (inferred).
 */
function checkServed(
  target: ReadTarget,
  projection: Projection | undefined,
  reads: readonly KeyRead[] | 'scan',
): DynamoError | undefined {
  if (reads === 'scan') return checkProjected(target, projection, undefined);
  const isServedInPart = reads.some(({ filter }) => checkProjected(target, undefined, filter) === undefined);
  for (const { condition, filter } of reads) {
    const wrong =
      checkProjected(target, projection, isServedInPart ? undefined : filter) ??
      checkKeyValueSizes(condition);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The key of the one item that a read can find, when nothing else is asked of it. */
function wholeKey({ schema }: Table, { condition, filter }: KeyRead): Item | undefined {
  if (filter !== undefined) return undefined;
  const { hash, range } = schema;
  if (range === undefined) return new Map([[hash.name, condition.hash[0]!]]);
  if (condition.range?.operator !== '=') return undefined;
  return new Map([
    [hash.name, condition.hash[0]!],
    [range.name, condition.range.value],
  ]);
}

/** Where a page begins and how much it may evaluate. */
export interface PagePlace {
  readonly startKey: Item | undefined;
  readonly limit: number | undefined;
  readonly consistency: ReadConsistency;
}

export interface SelectPagePlan extends TargetPlan {
  readonly sink: TakenValues;
}

/** What a page has read, to be looked at when all pages of a statement are there. */
class TakenValues implements EntrySink {
  readonly values: Uint8Array[] = [];

  take({ value }: TakenEntry): undefined {
    this.values.push(value);
  }
}

/** The page of one of a plan's Queries. */
export function queryPage(
  { target, fetches, reverse }: QueriesPlan,
  { condition }: KeyRead,
  { startKey, limit, consistency }: PagePlace,
  h16: Hash16,
): SelectPagePlan | DynamoError {
  const wrong =
    startKey &&
    (checkQueryStartKey(target, startKey) ??
      checkTableKey(target, startKey) ??
      checkWithinQuery(target, condition, startKey));
  if (wrong !== undefined) return wrong;
  return queryPlan(
    target,
    condition,
    { startKey, limit, reverse, fetches, consistency, sink: new TakenValues() },
    h16,
  );
}

/** The page of a Scan of everything. */
export function scanPage(
  { target, fetches }: ScanPlan,
  { startKey, limit, consistency }: PagePlace,
  h16: Hash16,
): SelectPagePlan | DynamoError {
  const wrong = startKey && checkScanStartKey(target, startKey);
  if (wrong !== undefined) return wrong;
  return {
    target,
    fetches,
    reverse: false,
    limit,
    from: target.prefix,
    to: prefixEnd(target.prefix),
    after: startKey && { key: storeKeyOf(target, startKey, h16), item: startKey },
    accepts: undefined,
    range: target.key.range,
    hash: undefined,
    consistency,
    scanned: { first: partStart(0, 1)!, end: undefined },
    sink: new TakenValues(),
  };
}
