import { indexEntry, pageCapacity } from './naive-capacity.ts';
import { holds } from './naive-conditions.ts';
import { project } from './naive-paths.ts';
import { isOneItem, searchFaults, startKeyNames, type Target, targetOf } from './naive-search-checks.ts';
import { invalid, NotKnown } from './outcome.ts';
import type { Found, Page } from './search-found.ts';
import type { QueryStep, SearchStep } from './search-steps.ts';
import type { TableDefinition } from './table-definition.ts';
import { type Attributes, attributes, compareValues, sizeOfItem } from './values.ts';

const pageBytesMax = 1024 * 1024;
/** What a new table on demand has. */
const partitions = 4;

/** An item as the table or index that is read holds it, and the item itself. */
interface Entry {
  readonly held: Attributes;
  readonly item: Attributes;
}

/** Looks at every item there is, puts those that are meant in order, and cuts them into pages. */
export function search(
  table: TableDefinition,
  tableName: string,
  items: readonly Attributes[],
  step: SearchStep,
): Found {
  const faults = searchFaults(table, step);
  if (faults.length > 0) throw invalid(...faults);
  const target = targetOf(table, step.index)!;
  const entries = items
    .map((item) => ({ item, held: target.index ? indexEntry(table, target.index, item) : item }))
    .filter((entry): entry is Entry => entry.held !== undefined);
  if (step.kind === 'query') {
    const meant = entries.filter(({ held }) => step.clauses.every((clause) => holds(clause, held)));
    return queried(table, tableName, target, meant, step);
  }
  const pages = cut(table, tableName, target, entries, step);
  const whole = pages.length === 1 && step.segments === undefined;
  return {
    pages,
    inOrder: false,
    pagesKnown: step.segments === undefined && weightOf(target, entries, step) < pageBytesMax,
    capacityKnown: whole && pages[0]!.LastEvaluatedKey === undefined,
  };
}

function queried(
  table: TableDefinition,
  tableName: string,
  target: Target,
  meant: readonly Entry[],
  step: QueryStep,
): Found {
  const backward = step.forward === false ? -1 : 1;
  const order = (a: Attributes, b: Attributes) => backward * compareRange(target, a, b);
  const sorted = [...meant].sort((a, b) => order(a.held, b.held));
  const left =
    step.startKey === undefined
      ? sorted
      : sorted.filter(({ held }) => {
          const place = order(held, step.startKey!);
          if (place === 0 && target.index !== undefined)
            throw new NotKnown('in what order an index has items with equal keys');
          return place > 0;
        });
  const isTied = left.some((entry, i) => i > 0 && order(left[i - 1]!.held, entry.held) === 0);
  const pages = cut(table, tableName, target, left, step);
  const isWhole = pages.length === 1 && pages[0]!.LastEvaluatedKey === undefined;
  return {
    pages,
    inOrder: !isTied,
    pagesKnown: !isTied || weightOf(target, left, step) < pageBytesMax,
    capacityKnown: !isTied || isWhole,
  };
}

/** The order of an index, as far as its own key gives one. */
function compareRange({ range }: Target, a: Attributes, b: Attributes): number {
  for (const { name } of range) {
    const order = compareValues(a[name]!, b[name]!)!;
    if (order !== 0) return order;
  }
  return 0;
}

function cut(
  table: TableDefinition,
  tableName: string,
  target: Target,
  entries: readonly Entry[],
  step: SearchStep,
): Page[] {
  const pages: Page[] = [];
  let left = entries;
  for (;;) {
    let count = 0;
    while (
      count < left.length &&
      count !== step.limit &&
      weightOf(target, left.slice(0, count), step) < pageBytesMax
    ) {
      count++;
    }
    const evaluated = left.slice(0, count);
    const isFull = count === step.limit || weightOf(target, evaluated, step) >= pageBytesMax;
    const stopped = isFull && !(step.kind === 'query' && isOneItem(target));
    pages.push(pageOf(table, tableName, target, evaluated, stopped, step));
    if (!stopped) return pages;
    left = left.slice(count);
  }
}

function pageOf(
  table: TableDefinition,
  tableName: string,
  target: Target,
  evaluated: readonly Entry[],
  stopped: boolean,
  step: SearchStep,
): Page {
  const { filter, projection, select, consistent = false } = step;
  const isFetched = fetches(target, step);
  const kept = evaluated.filter(({ held }) => filter === undefined || holds(filter, held));
  const shown = kept.map(({ held, item }) => (isFetched ? item : held));
  const last = stopped ? evaluated.at(-1)!.held : undefined;
  const names = startKeyNames(table, target);
  if (last !== undefined && names.includes('__proto__'))
    throw new NotKnown('the value of a start key that the SDK does not show');
  const capacity = pageCapacity(
    step.capacity,
    tableName,
    target.index && { name: target.index.name, isLocal: target.isLocal },
    {
      bytes: evaluated.reduce((sum, { held }) => sum + sizeOfItem(held), 0),
      fetched: isFetched ? evaluated.map(({ item }) => sizeOfItem(item)) : [],
      least: step.kind === 'scan' ? partitions : 1,
    },
    consistent,
  );
  return {
    ...(select !== 'COUNT' && {
      Items: shown.map((item) => (projection === undefined ? item : project(item, projection))),
    }),
    Count: kept.length,
    ScannedCount: evaluated.length,
    ...(last && { LastEvaluatedKey: attributes(names.map((name) => [name, last[name]!])) }),
    ...(capacity && { ConsumedCapacity: capacity }),
  };
}

/** What counts towards the size of a page; items that are fetched count in whole units. */
function weightOf(target: Target, entries: readonly Entry[], step: SearchStep): number {
  const isFetched = fetches(target, step);
  const weights = entries.map(
    ({ held, item }) =>
      sizeOfItem(held) + (isFetched ? 4096 * Math.max(1, Math.ceil(sizeOfItem(item) / 4096)) : 0),
  );
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** Only a local index can show more than it holds. */
function fetches({ isLocal, index, holdsName }: Target, { select, projection }: SearchStep): boolean {
  if (index === undefined || !isLocal || index.projection === 'ALL') return false;
  return select === 'ALL_ATTRIBUTES' || (projection ?? []).some(([name]) => !holdsName(name));
}
