import { ItemFilter } from '../../expressions/item-filter.ts';
import type { ResolvedColumn } from '../../expressions/partiql/resolve-statement.ts';
import { valueAt } from '../../expressions/path.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { Portion, type Slices } from '../../model/slices.ts';
import { decodeItem, itemJson } from '../../model/stored/stored-item.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { jsonOf } from '../items/item-answer.ts';
import { RawJson } from '../operation.ts';
import type { Found } from './run-select.ts';

/**
 * The JSON of the items that a SELECT answers; without columns and filter they are copied as they are stored. Like a
 * page of a Query it is made in slices.
 */
export function selectedJson(
  found: readonly Found[],
  columns: readonly ResolvedColumn[] | undefined,
  slices: Slices,
): MaybePromise<readonly Uint8Array[]> {
  const sink = new SelectedItems(columns, new Portion(slices));
  for (const [i, one] of found.entries()) {
    const later = sink.takeAll(one);
    if (later !== undefined) return goOn(sink, later, found.slice(i + 1));
  }
  return sink.items;
}

async function goOn(
  sink: SelectedItems,
  later: Promise<void>,
  others: readonly Found[],
): Promise<readonly Uint8Array[]> {
  await later;
  for (const one of others) await sink.takeAll(one);
  return sink.items;
}

class SelectedItems {
  readonly items: Uint8Array[] = [];
  readonly #columns: readonly ResolvedColumn[] | undefined;
  readonly #portion: Portion;

  constructor(columns: readonly ResolvedColumn[] | undefined, portion: Portion) {
    this.#columns = columns;
    this.#portion = portion;
  }

  /** Takes the entries of one read. Answers a promise if that takes more than a slice. */
  takeAll({ entries, filter, seen }: Found): Promise<void> | undefined {
    const judge = filter && new ItemFilter(filter, this.#portion);
    for (const [i, stored] of entries.entries()) {
      const waiting = this.#take(stored, judge, seen);
      if (waiting !== undefined) return this.#takeSlowly(waiting, entries.slice(i + 1), judge, seen);
    }
    return undefined;
  }

  async #takeSlowly(
    waiting: Promise<void>,
    entries: readonly Uint8Array[],
    judge: ItemFilter | undefined,
    seen: Found['seen'],
  ): Promise<void> {
    await waiting;
    for (const stored of entries) {
      const further = this.#take(stored, judge, seen);
      if (further !== undefined) await further;
    }
  }

  #take(stored: Uint8Array, judge: ItemFilter | undefined, seen: Found['seen']): Promise<void> | undefined {
    if (judge === undefined && this.#columns === undefined) return this.#add(itemJson(stored));
    const item = decodeItem(stored);
    const isMet = judge === undefined || judge.meets(seen === undefined ? item : seen(item));
    if (isMet instanceof Promise)
      return isMet.then((met) => (met ? this.#add(this.#jsonOf(stored, item)) : undefined));
    return (isMet ? this.#add(this.#jsonOf(stored, item)) : undefined) ?? judge?.waiting;
  }

  #jsonOf(stored: Uint8Array, item: Item): Uint8Array {
    return this.#columns === undefined ? itemJson(stored) : jsonOf(columnsOf(item, this.#columns));
  }

  #add(json: Uint8Array): Promise<void> | undefined {
    this.items.push(json);
    return this.#portion.spend(1 + (this.#columns?.length ?? 0));
  }
}

/** The JSON of one item. */
export function selectedItem(stored: Uint8Array, columns: readonly ResolvedColumn[] | undefined): Uint8Array {
  return columns === undefined ? itemJson(stored) : jsonOf(columnsOf(decodeItem(stored), columns));
}

/**
 * Unlike a projection, columns are flat: `m.k` is answered as `k`, without the map around it (observed: public
 * captures, 2026).
 */
function columnsOf(item: Item, columns: readonly ResolvedColumn[]): Item {
  const row = new Map<string, AttributeValue>();
  for (const { name, path } of columns) {
    const value = valueAt(item, path);
    if (value !== undefined) row.set(name, value);
  }
  return row;
}

/** `{"Items":[…], …}`, with the plain members behind. */
export function itemsAnswer(
  items: readonly Uint8Array[],
  others: Readonly<Record<string, unknown>>,
): RawJson {
  const rest = JSON.stringify(others);
  const chunks: (string | Uint8Array)[] = ['{"Items":['];
  for (const [i, json] of items.entries()) {
    if (i > 0) chunks.push(',');
    chunks.push(json);
  }
  chunks.push(rest === '{}' ? ']}' : `],${rest.slice(1)}`);
  return new RawJson(chunks);
}
