import { compareBytes, equalBytes, keyAfter } from '../../model/values/bytes.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import {
  beginningOfItem,
  behindItem,
  endIn,
  type HistoryPlace,
  historyKeyAfter,
  itemKeyOf,
  segmentBound,
  segmentStart,
} from './history-keys.ts';
import type { ReadBudget } from './read-budget.ts';
import { type Cut, compareStamps } from './stamp.ts';

/** The images of one item in the segment of one period: for each cut that is asked for, the earliest that ended after it. */
export interface ItemImages {
  readonly itemKey: Uint8Array;
  readonly images: readonly (Uint8Array | undefined)[];
}

/** A range of item keys. */
export interface ItemBounds {
  readonly from: Uint8Array;
  /** Excluded; undefined for the end of the table. */
  readonly to: Uint8Array | undefined;
  readonly reverse: boolean;
}

export interface SegmentSource {
  readonly reader: Reader;
  readonly itemPrefix: Uint8Array;
  readonly history: HistoryPlace;
  /** The cuts that are asked for, earliest first. */
  readonly cuts: readonly Cut[];
  readonly budget: ReadBudget;
}

const batchEntriesMax = 64;
/** After a seek past unwanted images: the items around may have as many. */
const batchEntriesMin = 4;
const batchBytes = 256 * 1024;

/**
 * Walks through the segment of one period, item by item. A `fill` is one read of the store. It goes no further than the horizon,
 * which is where the walk through the current items has come to.
 */
export class SegmentCursor {
  readonly #period: number;
  readonly #source: SegmentSource;
  readonly #reverse: boolean;
  readonly #found: ItemImages[] = [];
  #at = 0;
  #batch: number;
  /** The rest of the segment. */
  #from: Uint8Array;
  #to: Uint8Array;
  /** The part of the rest that lies within the horizon ends here; forwards excluded, backwards included. */
  #horizon: Uint8Array;
  /** Where the images within the horizon have all been read, as a key of an item; undefined at the end of the table. */
  #horizonItem: Uint8Array | undefined;
  /** Forwards all items below are known, backwards all items from here on. */
  #position: Uint8Array | undefined;
  /** The item whose images are being collected, which may go on in the next batch. */
  #open: { key: Uint8Array; images: (Uint8Array | undefined)[]; found: number } | undefined;

  /** `segments` is the number of cursors of a page: together they begin with one batch. */
  constructor(source: SegmentSource, period: number, { from, to, reverse }: ItemBounds, segments: number) {
    const { history } = source;
    this.#period = period;
    this.#source = source;
    this.#reverse = reverse;
    this.#batch = Math.max(batchEntriesMin, Math.floor(batchEntriesMax / segments));
    this.#from = segmentBound(history, period, from);
    this.#to = to === undefined ? segmentStart(history, period + 1) : segmentBound(history, period, to);
    this.#horizon = reverse ? this.#to : this.#from;
    this.#position = reverse ? to : from;
    this.#horizonItem = this.#position;
  }

  get head(): ItemImages | undefined {
    return this.#found[this.#at];
  }

  get position(): Uint8Array | undefined {
    return this.#position;
  }

  /** Whether the next item within the horizon, if there is one, has yet to be read. */
  get needsFill(): boolean {
    if (this.#at < this.#found.length) return false;
    return this.#reverse
      ? compareBytes(this.#horizon, this.#to) < 0
      : compareBytes(this.#from, this.#horizon) < 0;
  }

  /** Moves the horizon to the key of an item, forwards excluded and backwards included; undefined for the end. */
  reach(itemKey: Uint8Array | undefined, bounds: ItemBounds): void {
    const { history } = this.#source;
    if (this.#reverse) {
      this.#horizonItem = itemKey ?? bounds.from;
      this.#horizon = segmentBound(history, this.#period, this.#horizonItem);
    } else {
      this.#horizonItem = itemKey ?? bounds.to;
      this.#horizon =
        this.#horizonItem === undefined
          ? segmentStart(history, this.#period + 1)
          : segmentBound(history, this.#period, this.#horizonItem);
    }
  }

  advance(): void {
    this.#at++;
    if (this.#at < this.#found.length) return;
    this.#found.length = 0;
    this.#at = 0;
  }

  fill(): Promise<void> {
    return this.#reverse ? this.#fillBackwards() : this.#fillForwards();
  }

  async #fillForwards(): Promise<void> {
    const { reader, budget, itemPrefix } = this.#source;
    const { entries, more } = await reader.range({
      from: this.#from,
      to: this.#horizon,
      ...budget.bounds(this.#batch, batchBytes),
    });
    budget.spend(entries);
    for (const entry of entries) this.#collect(entry);
    const last = entries.at(-1)?.key;
    if (!more || last === undefined) {
      this.#closeItem();
      this.#from = this.#horizon;
      this.#position = this.#horizonItem;
      return;
    }
    this.#from = this.#next(last);
    const isInside = this.#open !== undefined && this.#open.found < this.#source.cuts.length;
    // An item with many images is left by seeking.
    this.#batch = isInside ? batchEntriesMin : Math.min(batchEntriesMax, 2 * this.#batch);
    const itemKey = itemKeyOf(itemPrefix, last);
    this.#position = isInside ? itemKey : keyAfter(itemKey);
    if (!isInside) this.#closeItem();
  }

  #collect({ key, value }: Entry): void {
    const { cuts } = this.#source;
    if (this.#open === undefined || !isSameItem(this.#open.key, key)) {
      this.#closeItem();
      this.#open = { key, images: cuts.map(() => undefined), found: 0 };
    }
    const open = this.#open!;
    const end = endIn(key);
    while (open.found < cuts.length && compareStamps(end, cuts[open.found]!) > 0)
      open.images[open.found++] = value;
  }

  #closeItem(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.found === 0) return;
    this.#found.push({ itemKey: itemKeyOf(this.#source.itemPrefix, open.key), images: open.images });
  }

  /** Where the next batch begins. Images that nobody asks for are skipped: an item may have a million. */
  #next(last: Uint8Array): Uint8Array {
    const { itemPrefix, history, cuts } = this.#source;
    const open = this.#open;
    const wanted = open && cuts[open.found];
    if (wanted === undefined) return behindItem(last);
    const end = endIn(last);
    const after = compareStamps(wanted, end) > 0 ? wanted : end;
    return historyKeyAfter(history, this.#period, itemKeyOf(itemPrefix, last), after);
  }

  /** From the last item down, one at a time: the images of an item are in the order of their ends all the same. */
  async #fillBackwards(): Promise<void> {
    const { reader, itemPrefix, history, cuts, budget } = this.#source;
    const { entries } = await reader.range({
      from: this.#horizon,
      to: this.#to,
      reverse: true,
      limit: 1,
    });
    budget.spend(entries);
    const last = entries[0]?.key;
    if (last === undefined) {
      this.#to = this.#horizon;
      this.#position = this.#horizonItem;
      return;
    }
    const itemKey = itemKeyOf(itemPrefix, last);
    const to = behindItem(last);
    const images: (Uint8Array | undefined)[] = [];
    for (const cut of cuts) {
      if (compareStamps(endIn(last), cut) <= 0) {
        images.push(undefined);
        continue;
      }
      const from = historyKeyAfter(history, this.#period, itemKey, cut);
      const first = await reader.range({ from, to, limit: 1 });
      budget.spend(first.entries);
      images.push(first.entries[0]?.value);
    }
    if (images.some((image) => image !== undefined)) this.#found.push({ itemKey, images });
    this.#to = beginningOfItem(last);
    this.#position = itemKey;
  }
}

function isSameItem(a: Uint8Array, b: Uint8Array): boolean {
  return equalBytes(beginningOfItem(a), beginningOfItem(b));
}
