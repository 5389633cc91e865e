import type { Histories } from './histories.ts';
import { project } from './naive-paths.ts';
import { search } from './naive-search.ts';
import { startKeyNames, targetOf } from './naive-search-checks.ts';
import { topText } from './sdk-values.ts';
import type { Page } from './search-found.ts';
import type { SearchStep } from './search-steps.ts';
import { keysOf, type TableDefinition } from './table-definition.ts';
import { type Attributes, canonicalItem, compareValues } from './values.ts';

/** A Query or Scan that was followed to its end while others wrote. */
export interface Look {
  readonly step: SearchStep;
  /** In the order of segments, and within a segment as they came. */
  readonly pages: readonly TimedPage[];
}

export interface TimedPage extends Page {
  /** When it was asked for, and when it had come. */
  readonly from: number;
  readonly until: number;
}

/** Where an item stands for a search, or did when it was of a certain version. */
interface Sight {
  /** The keys of the item and of the index that is searched; nothing where the search does not reach it. */
  readonly place: string | undefined;
  /** What the search shows of it; nothing where the filter leaves it out. */
  readonly shown: string | undefined;
}

/**
 * Everything that is wrong with what a search has found while others wrote. An item that stays where it is must come
 * exactly once, as one of the versions that it had while its page was read; one that comes or goes at most once; one
 * that moves at most once at every place.
 */
export function judgeLook(table: TableDefinition, histories: Histories, { step, pages }: Look): string[] {
  const target = targetOf(table, step.index)!;
  const placeNames = startKeyNames(table, target).map((name) => [name] as const);
  const placeOf = (item: Attributes) => canonicalItem(project(item, placeNames));
  const sightOf = remembered((item: Attributes): Sight => {
    const whole = { ...step, select: step.select === 'COUNT' ? undefined : step.select, limit: undefined };
    const [page] = search(table, '', [item], whole).pages;
    if (page!.ScannedCount === 0) return { place: undefined, shown: undefined };
    const [shown] = page!.Items!;
    return { place: placeOf(item), shown: shown && topText(shown) };
  });

  const wrong: string[] = [];
  const placesSeen = new Map<string, number>();
  const timesSeen = new Map<string, number>();
  for (const page of pages) {
    for (const item of page.Items ?? []) {
      const key = keyText(table, item);
      add(placesSeen, placeOf(item));
      add(timesSeen, key);
      const possible = histories
        .of(key, page.from, page.until)
        .map((version) => version.item && sightOf(version.item).shown);
      if (!possible.includes(topText(item)))
        wrong.push(`${topText(item)} was no version of that item then: ${possible.join(' or ')}`);
    }
    wrong.push(...pageFaults(table, page, step));
  }
  for (const [place, times] of placesSeen) if (times > 1) wrong.push(`${place} came ${times} times`);

  const [from, until] = [pages.map((page) => page.from), pages.map((page) => page.until)];
  const least = { scanned: 0, count: 0 };
  const most = { scanned: 0, count: 0 };
  for (const [key, versions] of histories.between(Math.min(...from), Math.max(...until))) {
    const sights = versions.map(({ item }): Sight => (item ? sightOf(item) : nowhere));
    const places = new Set(sights.map(({ place }) => place));
    const stays = places.size === 1;
    const isShown = sights.map(({ shown }) => shown !== undefined);
    const reached = [...places].filter((place) => place !== undefined).length;
    most.scanned += reached;
    if (isShown.includes(true)) most.count += reached;
    if (!stays || reached === 0) continue;
    least.scanned++;
    if (isShown.includes(false)) continue;
    least.count++;
    const times = timesSeen.get(key) ?? 0;
    if (step.select !== 'COUNT' && times !== 1) wrong.push(`${key} stayed and came ${times} times`);
  }
  const sum = (of: (page: Page) => number) => pages.reduce((total, page) => total + of(page), 0);
  const scanned = sum(({ ScannedCount }) => ScannedCount);
  const count = sum(({ Count }) => Count);
  if (scanned < least.scanned || scanned > most.scanned)
    wrong.push(`ScannedCount ${scanned}, not ${least.scanned} to ${most.scanned}`);
  if (count < least.count || count > most.count)
    wrong.push(`Count ${count}, not ${least.count} to ${most.count}`);
  if (step.kind === 'query') wrong.push(...orderFaults(table, step, pages));
  return wrong;
}

/** Whether the places that two searches of the same kind both saw came in the same order. */
export function sameOrder(table: TableDefinition, a: Look, b: Look): boolean {
  const [left, right] = [placesOf(table, a), placesOf(table, b)];
  const common = (places: readonly string[], others: readonly string[]) => {
    const known = new Set(others);
    return places.filter((place) => known.has(place)).join();
  };
  return common(left, right) === common(right, left);
}

export function keyText(table: TableDefinition, item: Attributes): string {
  return canonicalItem(
    project(
      item,
      keysOf(table).map(({ name }) => [name] as const),
    ),
  );
}

const nowhere: Sight = { place: undefined, shown: undefined };

function placesOf(table: TableDefinition, { step, pages }: Look): string[] {
  const names = startKeyNames(table, targetOf(table, step.index)!).map((name) => [name] as const);
  return pages.flatMap(({ Items }) => Items ?? []).map((item) => canonicalItem(project(item, names)));
}

function pageFaults(
  table: TableDefinition,
  { Items, Count, ScannedCount, LastEvaluatedKey }: Page,
  { kind, index, limit }: SearchStep,
): string[] {
  // A Query of a table without a RANGE key finds one item at most, and no key continues it.
  const isWhole = kind === 'query' && index === undefined && table.range === undefined;
  const faults: string[] = [];
  if (Items !== undefined && Items.length !== Count) faults.push(`Count ${Count} of ${Items.length} items`);
  if (Count > ScannedCount) faults.push(`Count ${Count} of ${ScannedCount}`);
  if (limit !== undefined && ScannedCount > limit) faults.push(`${ScannedCount} with a limit of ${limit}`);
  if (LastEvaluatedKey === undefined && ScannedCount === limit && !isWhole)
    faults.push('the last page was full');
  return faults;
}

function orderFaults(table: TableDefinition, step: SearchStep, pages: readonly Page[]): string[] {
  const { range } = targetOf(table, step.index)!;
  const sign = step.kind === 'query' && step.forward === false ? -1 : 1;
  const items = pages.flatMap(({ Items }) => Items ?? []);
  return items.slice(1).flatMap((item, i) => {
    const before = items[i]!;
    const orders = range.map(({ name }) => compareValues(before[name]!, item[name]!)!);
    const order = orders.find((each) => each !== 0) ?? 0;
    return sign * order > 0 ? [`${topText(item)} after ${topText(before)}`] : [];
  });
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function remembered<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
