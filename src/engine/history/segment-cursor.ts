import { equalBytes, keyAfter } from '../../model/values/bytes.ts';
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

/** The images of one item in one day's segment: for each time that is asked for, the earliest that ended after it. */
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
  readonly itemPrefix: Uint8Array;
  readonly history: HistoryPlace;
  /** The times that are asked for, in microseconds, earliest first. */
  readonly times: readonly number[];
}

const pageEntries = 64;
const pageBytes = 256 * 1024;

/** Walks through one day's segment, item by item. `head` is undefined at the end; `isEmpty` asks for `fill`. */
export class SegmentCursor {
  readonly day: number;
  readonly #reader: Reader;
  readonly #source: SegmentSource;
  readonly #reverse: boolean;
  readonly #found: ItemImages[] = [];
  #at = 0;
  #from: Uint8Array;
  #to: Uint8Array;
  #isDone = false;
  /** The item whose images are being collected, which may go on in the next page. */
  #open: { key: Uint8Array; images: (Uint8Array | undefined)[]; found: number } | undefined;

  constructor(reader: Reader, source: SegmentSource, day: number, bounds: ItemBounds) {
    const { history } = source;
    this.day = day;
    this.#reader = reader;
    this.#source = source;
    this.#reverse = bounds.reverse;
    this.#from = segmentBound(history, day, bounds.from);
    this.#to =
      bounds.to === undefined ? segmentStart(history, day + 1) : segmentBound(history, day, bounds.to);
  }

  get head(): ItemImages | undefined {
    return this.#found[this.#at];
  }

  get needsFill(): boolean {
    return this.#at >= this.#found.length && !this.#isDone;
  }

  advance(): void {
    this.#at++;
    if (this.#at < this.#found.length) return;
    this.#found.length = 0;
    this.#at = 0;
  }

  async fill(): Promise<void> {
    while (this.needsFill) await (this.#reverse ? this.#fillBackwards() : this.#fillForwards());
  }

  async #fillForwards(): Promise<void> {
    const { entries, more } = await this.#reader.range({
      from: this.#from,
      to: this.#to,
      limit: pageEntries,
      maxBytes: pageBytes,
    });
    for (const entry of entries) this.#collect(entry);
    const last = entries.at(-1)?.key;
    if (!more || last === undefined) {
      this.#isDone = true;
      this.#closeItem();
    } else this.#from = this.#next(last);
  }

  #collect({ key, value }: Entry): void {
    const { times } = this.#source;
    if (this.#open === undefined || !isSameItem(this.#open.key, key)) {
      this.#closeItem();
      this.#open = { key, images: times.map(() => undefined), found: 0 };
    }
    const open = this.#open!;
    const end = endIn(key);
    while (open.found < times.length && end > times[open.found]!) open.images[open.found++] = value;
  }

  #closeItem(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.found === 0) return;
    this.#found.push({ itemKey: itemKeyOf(this.#source.itemPrefix, open.key), images: open.images });
  }

  /** Where the next page begins. Images that nobody asks for are skipped: an item may have a million. */
  #next(last: Uint8Array): Uint8Array {
    const { itemPrefix, history, times } = this.#source;
    const open = this.#open;
    if (open === undefined) return keyAfter(last);
    const wanted = times[open.found];
    return wanted === undefined
      ? behindItem(last)
      : historyKeyAfter(history, this.day, itemKeyOf(itemPrefix, last), Math.max(wanted, endIn(last)));
  }

  /** From the last item down, one at a time: the images of an item are in the order of their ends all the same. */
  async #fillBackwards(): Promise<void> {
    const { itemPrefix, history, times } = this.#source;
    const { entries } = await this.#reader.range({
      from: this.#from,
      to: this.#to,
      reverse: true,
      limit: 1,
    });
    const last = entries[0]?.key;
    if (last === undefined) {
      this.#isDone = true;
      return;
    }
    const itemKey = itemKeyOf(itemPrefix, last);
    const to = behindItem(last);
    const images: (Uint8Array | undefined)[] = [];
    for (const time of times) {
      const from = historyKeyAfter(history, this.day, itemKey, time);
      const first = endIn(last) > time ? await this.#reader.range({ from, to, limit: 1 }) : undefined;
      images.push(first?.entries[0]?.value);
    }
    if (images.some((image) => image !== undefined)) this.#found.push({ itemKey, images });
    this.#to = beginningOfItem(last);
  }
}

function isSameItem(a: Uint8Array, b: Uint8Array): boolean {
  return equalBytes(beginningOfItem(a), beginningOfItem(b));
}
