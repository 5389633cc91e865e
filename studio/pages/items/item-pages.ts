import { signal } from '@preact/signals';
import { compareKeyValues, isKeyValue } from '../../../src/model/values/attribute-value.ts';
import { itemSize } from '../../../src/model/values/item-size.ts';
import { call } from '../../data/api.ts';
import { type AttributeValue, type Item, itemOf, keyId, keyOf, type WireItem } from '../../data/items.ts';
import { allIndexes, keyNames, type TableDescription } from '../../data/tables.ts';
import type { Entities, Entity } from './entities.ts';
import { type Plan, pageItems } from './plan.ts';

/** One page of results. Its items may have been let go; they are read again when they come into sight. */
interface LoadedPage {
  readonly start: WireItem | undefined;
  items: readonly Item[] | undefined;
  rows: readonly ItemRow[] | undefined;
  rowCount: number;
  /** The group that the page ends in, so that the next one does not begin it again. */
  lastGroup: string | undefined;
}

export type ItemRow =
  | { readonly kind: 'group'; readonly group: string; readonly value: AttributeValue | undefined }
  | { readonly kind: 'item'; readonly id: string; readonly item: Item; readonly group: string };

export interface GroupTotals {
  readonly items: number;
  readonly bytes: number;
}

/** So many pages keep their items; beyond, those farthest from what is in sight are let go. */
const keptPagesMax = 40;

/**
 * The results of a request as rows, loaded page by page in both directions. However far somebody scrolls, memory stays
 * bounded: a page that is far away keeps only where it began and how many rows it had.
 */
export class ItemPages {
  /** Counts up with every change of the rows. */
  readonly version = signal(0);
  readonly isLoading = signal(false);
  readonly error = signal<unknown>(undefined);
  readonly isComplete = signal(false);
  readonly units = signal(0);
  readonly itemCount = signal(0);
  /** Items that a filter looked at and left out are counted too. */
  readonly scanned = signal(0);

  readonly table: TableDescription;
  readonly plan: Plan;
  readonly entities: Entities;
  readonly isGrouped: boolean;
  readonly #pages: LoadedPage[] = [];
  readonly #types = new Set<Entity>();
  readonly #groups = new Map<string, GroupTotals>();
  readonly #collapsed = new Set<string>();
  readonly #groupName: string;
  readonly #stop = new AbortController();
  #next: WireItem | undefined;
  #rowsBefore: number[] = [0];

  constructor(table: TableDescription, plan: Plan, entities: Entities, isGrouped: boolean) {
    this.table = table;
    this.plan = plan;
    this.entities = entities;
    this.isGrouped = isGrouped;
    const index = allIndexes(table).find(({ IndexName }) => IndexName === plan.input.IndexName);
    this.#groupName = keyNames(index ?? table).hash;
  }

  get rowCount(): number {
    return this.#rowsBefore.at(-1)!;
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  /** All items that are loaded at this moment. */
  get items(): readonly Item[] {
    return this.#pages.flatMap(({ items }) => items ?? []);
  }

  /** The types of the items that this request found. */
  get types(): readonly Entity[] {
    return [...this.#types];
  }

  stop(): void {
    this.#stop.abort();
  }

  totals(group: string): GroupTotals {
    return this.#groups.get(group) ?? { items: 0, bytes: 0 };
  }

  isCollapsed(group: string): boolean {
    return this.#collapsed.has(group);
  }

  toggle(group: string, collapsed = !this.#collapsed.has(group)): void {
    if (collapsed) this.#collapsed.add(group);
    else this.#collapsed.delete(group);
    this.#arrange();
  }

  collapseAll(collapsed: boolean): void {
    if (collapsed) for (const group of this.#groups.keys()) this.#collapsed.add(group);
    else this.#collapsed.clear();
    this.#arrange();
  }

  /** The row at an index; undefined while its page is being read again. */
  row(index: number): ItemRow | undefined {
    const at = this.#pageOfRow(index);
    return this.#pages[at]?.rows?.[index - this.#rowsBefore[at]!];
  }

  /** The index of a row among those that are loaded; -1 if it is not. */
  indexOf(name: string): number {
    for (const [at, { rows }] of this.#pages.entries()) {
      const within = rows?.findIndex((row) => nameOf(row) === name) ?? -1;
      if (within >= 0) return this.#rowsBefore[at]! + within;
    }
    return -1;
  }

  /** Puts another version of an item in its place, or takes it out. Answers whether it was there. */
  replace(id: string, item: Item | undefined): boolean {
    let isFound = false;
    for (const page of this.#pages) {
      const at = page.items?.findIndex((one) => this.idOf(one) === id) ?? -1;
      if (at < 0) continue;
      isFound = true;
      const items = [...page.items!];
      this.#count(items[at]!, -1);
      if (item === undefined) {
        items.splice(at, 1);
        this.itemCount.value--;
      } else {
        items[at] = item;
        this.#count(item, 1);
      }
      page.items = items;
    }
    if (isFound) this.#arrange();
    return isFound;
  }

  /** Puts a new item where it belongs among the rows that are loaded: behind its elders of the same collection. */
  insert(item: Item): void {
    const { range } = keyNames(this.table);
    const group = this.#groupOf(item);
    if (!this.#isAskedFor(item)) return;
    const isBefore = (other: Item) => {
      const [a, b] = [other.get(range ?? ''), item.get(range ?? '')];
      if (a === undefined || b === undefined || !isKeyValue(a) || !isKeyValue(b)) return true;
      return (compareKeyValues(a, b) ?? 0) < 0;
    };
    const page =
      this.#pages.find(({ items }) => items?.some((one) => this.#groupOf(one) === group)) ?? this.#pages[0];
    if (page?.items === undefined) {
      this.#pages.unshift({
        start: undefined,
        items: [item],
        rows: undefined,
        rowCount: 0,
        lastGroup: undefined,
      });
    } else {
      const at = page.items.findIndex((one) => this.#groupOf(one) === group && !isBefore(one));
      const last = page.items.findLastIndex((one) => this.#groupOf(one) === group);
      page.items = page.items.toSpliced(at >= 0 ? at : last + 1, 0, item);
    }
    this.#note(item);
    this.#count(item, 1);
    this.itemCount.value++;
    this.#arrange();
  }

  /** Whether the keys of an item are those of the request: another collection does not appear in this one. */
  #isAskedFor(item: Item): boolean {
    const { Key: key, ExpressionAttributeValues: values, IndexName: name } = this.plan.input;
    if (key !== undefined) return this.idOf(item) === this.idOf(itemOf(key as WireItem));
    const index = allIndexes(this.table).find(({ IndexName }) => IndexName === name);
    if (index?.KeySchema.some(({ AttributeName }) => !item.has(AttributeName))) return false;
    const asked = (values as WireItem | undefined)?.[':pk'];
    return asked === undefined || JSON.stringify(asked) === this.#groupOf(item);
  }

  idOf(item: Item): string {
    return keyId(this.table.TableName, keyOf(this.table, item));
  }

  /** Loads what rows `first` to `last` need: pages that were let go, or the next one near the end. */
  async need(first: number, last: number): Promise<void> {
    const [from, to] = [this.#pageOfRow(first), this.#pageOfRow(last)];
    for (let at = from; at <= to; at++) if (this.#pages[at]?.items === undefined) await this.#reload(at);
    this.#letGo(from, to);
    if (last >= this.rowCount - 40) await this.loadNext();
  }

  /** Loads the next page with at least one item in it. */
  async loadNext(): Promise<void> {
    if (this.isLoading.value || this.isComplete.value || this.#stop.signal.aborted) return;
    this.isLoading.value = true;
    this.error.value = undefined;
    try {
      for (;;) {
        const start = this.#next;
        const { items, next } = await this.#read(start);
        if (this.#stop.signal.aborted) return;
        this.#next = next;
        if (items.length > 0) {
          for (const item of items) this.#count(item, 1);
          this.#pages.push({ start, items, rows: undefined, rowCount: 0, lastGroup: undefined });
          this.itemCount.value += items.length;
        }
        if (next === undefined) this.isComplete.value = true;
        if (items.length > 0 || next === undefined) break;
      }
      this.#arrange();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.error.value = error;
    } finally {
      this.isLoading.value = false;
    }
  }

  async #reload(at: number): Promise<void> {
    const page = this.#pages[at];
    if (page === undefined || this.isLoading.value) return;
    this.isLoading.value = true;
    try {
      const { items } = await this.#read(page.start);
      page.items = items;
      this.#arrange();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.error.value = error;
    } finally {
      this.isLoading.value = false;
    }
  }

  async #read(start: WireItem | undefined): Promise<{ items: Item[]; next: WireItem | undefined }> {
    const { operation, input } = this.plan;
    const answer = await call<Answer>(
      operation,
      operation === 'GetItem'
        ? input
        : {
            ...input,
            ...(start !== undefined && { ExclusiveStartKey: start }),
            ...(input.FilterExpression === undefined && { Limit: pageItems }),
          },
      { signal: this.#stop.signal },
    );
    this.units.value += answer.ConsumedCapacity?.CapacityUnits ?? 0;
    this.scanned.value += answer.ScannedCount ?? 0;
    const wires =
      operation === 'GetItem' ? (answer.Item === undefined ? [] : [answer.Item]) : (answer.Items ?? []);
    const items = wires.map(itemOf);
    for (const item of items) this.#note(item);
    return { items, next: answer.LastEvaluatedKey };
  }

  #note(item: Item): void {
    this.entities.note(item);
    this.#types.add(this.entities.of(item));
  }

  #count(item: Item, sign: 1 | -1): void {
    if (!this.isGrouped) return;
    const group = this.#groupOf(item);
    const before = this.totals(group);
    this.#groups.set(group, { items: before.items + sign, bytes: before.bytes + sign * itemSize(item) });
  }

  #groupOf(item: Item): string {
    return JSON.stringify(item.get(this.#groupName) ?? null);
  }

  #letGo(from: number, to: number): void {
    const kept = this.#pages.filter(({ items }) => items !== undefined).length;
    let tooMany = kept - keptPagesMax;
    if (tooMany <= 0) return;
    const far = this.#pages
      .map((page, at) => ({ page, distance: Math.max(from - at, at - to) }))
      .filter(({ page }) => page.items !== undefined)
      .sort((a, b) => b.distance - a.distance);
    for (const { page, distance } of far) {
      if (tooMany-- <= 0 || distance <= 2) break;
      page.items = undefined;
      page.rows = undefined;
    }
  }

  /** Makes the rows of all loaded pages anew, and where each page begins. */
  #arrange(): void {
    let group: string | undefined;
    const before = [0];
    for (const page of this.#pages) {
      if (page.items !== undefined) {
        page.rows = this.#rowsOf(page.items, group);
        page.rowCount = page.rows.length;
        page.lastGroup = page.items.length === 0 ? group : this.#groupOf(page.items.at(-1)!);
      }
      group = page.lastGroup;
      before.push(before.at(-1)! + page.rowCount);
    }
    this.#rowsBefore = before;
    this.version.value++;
  }

  #rowsOf(items: readonly Item[], group: string | undefined): ItemRow[] {
    const rows: ItemRow[] = [];
    for (const item of items) {
      const own = this.#groupOf(item);
      if (this.isGrouped && own !== group) {
        rows.push({ kind: 'group', group: own, value: item.get(this.#groupName) });
        group = own;
      }
      if (!this.isGrouped || !this.#collapsed.has(own))
        rows.push({ kind: 'item', id: this.idOf(item), item, group: own });
    }
    return rows;
  }

  #pageOfRow(index: number): number {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rowsBefore[middle + 1]! <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What stays of a row when others come and go above it: the id of its item, or its group. */
export function nameOf(row: ItemRow): string {
  return row.kind === 'item' ? row.id : `group ${row.group}`;
}

interface Answer {
  readonly Items?: readonly WireItem[];
  readonly Item?: WireItem;
  readonly ScannedCount?: number;
  readonly LastEvaluatedKey?: WireItem;
  readonly ConsumedCapacity?: { readonly CapacityUnits: number };
}
