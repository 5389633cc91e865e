import { readHeader } from '../../model/stored/stored-item.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { type HistoryPlace, periodIn, segmentStart, segmentsEnd } from './history-keys.ts';
import { ReadBudget, type ReadLimits } from './read-budget.ts';
import { type ItemBounds, SegmentCursor } from './segment-cursor.ts';
import { type Cut, isBy } from './stamp.ts';

/**
 * The items of a table as they were at one or several cuts. An item lived with an image from the stamp in the image's
 * header until its end: the current item has no end yet, and the ends of older images are in their keys. So at a cut the
 * item was the current one if that was written by then, else the earliest image that ended after the cut if that was
 * written by then, else it did not exist.
 *
 * This is the one place that answers "the table at this cut". Restores, backups, exports and `db.at` all read from
 * here; `changes-between.ts` asks for two cuts at once.
 */
export interface PastSource {
  /** The prefix of the table's items. */
  readonly itemPrefix: Uint8Array;
  /** Where the old images are. Undefined where none are kept, because nobody writes to the table any more. */
  readonly history: HistoryPlace | undefined;
}

/** An item at the cuts that were asked for, with the key it is stored under. */
export interface PastItem {
  readonly key: Uint8Array;
  readonly states: readonly (Uint8Array | undefined)[];
}

export interface PastRequest {
  readonly bounds: ItemBounds;
  /** Earliest first. */
  readonly cuts: readonly Cut[];
  readonly limit: number;
  readonly maxBytes: number;
  /** What the page may read from the store; `pageReadLimits` unless given. */
  readonly reads?: ReadLimits;
}

export interface PastPage {
  /** Items that existed at one of the cuts at least. */
  readonly items: readonly PastItem[];
  /** Where to go on: the new `from`, or `to` when reading backwards. Undefined at the end. */
  readonly next: Uint8Array | undefined;
  /** The number of entries read from the store: items and old images. */
  readonly entriesRead: number;
}

/**
 * After so many entries a page ends, although none of them may have been an item at that cut. One step of every cursor
 * goes beyond it if it must, so that each page comes forward: a few entries per period of old images.
 */
const pageReadLimits: ReadLimits = { entries: 2_000, bytes: 4 * 1024 * 1024 };
const itemsPerRead = 200;

/** All items of a table. */
export function wholeTable(itemPrefix: Uint8Array): ItemBounds {
  return { from: itemPrefix, to: undefined, reverse: false };
}

/**
 * Reads a page. It needs no snapshot: each part of the current items is read before the images of the same keys, so
 * an item that is replaced or deleted in between is seen as it was, and its image as well.
 */
export function readPastPage(reader: Reader, source: PastSource, request: PastRequest): Promise<PastPage> {
  return new PageWalk(reader, source, request).page();
}

/** Merges the current items with the segments of all periods that can have images of the cuts. */
class PageWalk {
  readonly #reader: Reader;
  readonly #source: PastSource;
  readonly #request: PastRequest;
  readonly #budget: ReadBudget;
  readonly #current: ItemCursor;
  #segments: readonly SegmentCursor[] = [];
  /** The first period behind the open segments. */
  #nextPeriod: number;
  readonly #items: PastItem[] = [];
  #bytes = 0;

  constructor(reader: Reader, source: PastSource, request: PastRequest) {
    const { bounds, reads = pageReadLimits } = request;
    this.#reader = reader;
    this.#source = source;
    this.#request = request;
    this.#nextPeriod = request.cuts[0]!.period;
    this.#budget = new ReadBudget(reads);
    this.#current = new ItemCursor(reader, source.itemPrefix, bounds, this.#budget);
  }

  async page(): Promise<PastPage> {
    const { limit, maxBytes, cuts, bounds } = this.#request;
    for (;;) {
      const isFull = this.#items.length >= limit || this.#bytes >= maxBytes;
      const key = nearest(this.#current, this.#segments, bounds.reverse);
      const unread = this.#firstUnread(key);
      if (unread !== undefined) {
        if (isFull || this.#mustEnd()) return this.#answer(this.#frontier());
        await this.#fill(unread);
        continue;
      }
      if (key === undefined) return this.#answer(undefined);
      if (isFull) return this.#answer(bounds.reverse ? keyAfter(key) : key);
      const states = takeStates(key, this.#current, this.#segments, cuts);
      if (states.every((each) => each === undefined)) continue;
      this.#items.push({ key, states });
      for (const each of states) this.#bytes += each?.length ?? 0;
      this.#bytes += key.length;
    }
  }

  #answer(next: Uint8Array | undefined): PastPage {
    return { items: this.#items, next: this.#ahead(next), entriesRead: this.#budget.entriesRead };
  }

  /** The cursor that has to be read before the state of an item is known, or before all are found to be at their end. */
  #firstUnread(key: Uint8Array | undefined): ItemCursor | SegmentCursor | undefined {
    if (this.#current.needsFill) return this.#current;
    const { reverse } = this.#request.bounds;
    const isBehind = ({ needsFill, position }: SegmentCursor) =>
      needsFill &&
      (key === undefined ||
        (reverse
          ? position === undefined || compareBytes(position, key) > 0
          : position !== undefined && compareBytes(position, key) <= 0));
    return this.#segments.find(isBehind);
  }

  async #fill(cursor: ItemCursor | SegmentCursor): Promise<void> {
    if (cursor instanceof SegmentCursor) return cursor.fill();
    const { bounds, limit, maxBytes } = this.#request;
    const room = Math.min(limit - this.#items.length, itemsPerRead);
    const began = cursor.position;
    await cursor.fill(room, Math.max(1, maxBytes - this.#bytes));
    await this.#openSegments(began);
    for (const segment of this.#segments) segment.reach(cursor.position, bounds);
  }

  /** A spent budget ends a page that has come forward. */
  #mustEnd(): boolean {
    if (!this.#budget.isSpent) return false;
    const { from, to, reverse } = this.#request.bounds;
    const frontier = this.#frontier();
    if (frontier === undefined) return false;
    return reverse ? to === undefined || compareBytes(frontier, to) < 0 : compareBytes(frontier, from) > 0;
  }

  /** Up to where all is known. Undefined: to the end of the table, or backwards nothing yet. */
  #frontier(): Uint8Array | undefined {
    const { reverse } = this.#request.bounds;
    const { head, position } = this.#current;
    let found = head === undefined ? position : reverse ? keyAfter(head.key) : head.key;
    for (const segment of this.#segments) {
      const itemKey = segment.head?.itemKey;
      const at = itemKey === undefined ? segment.position : reverse ? keyAfter(itemKey) : itemKey;
      found = reverse ? laterOf(found, at) : earlierOf(found, at);
    }
    return found;
  }

  /** Undefined at the end of what was asked for. */
  #ahead(next: Uint8Array | undefined): Uint8Array | undefined {
    const { from, to, reverse } = this.#request.bounds;
    if (next === undefined) return undefined;
    if (reverse) return compareBytes(next, from) > 0 ? next : undefined;
    return to === undefined || compareBytes(next, to) < 0 ? next : undefined;
  }

  /**
   * Opens the segments that can have images which ended after the earliest of the cuts. It looks after every read of
   * current items: one that was replaced just before has its image in a segment that may be new. Images come under the
   * latest period only, so that a new segment lies behind all others. It begins where that read began.
   */
  async #openSegments(began: Uint8Array | undefined): Promise<void> {
    const { itemPrefix, history } = this.#source;
    const { bounds, cuts } = this.#request;
    if (history === undefined) return;
    const periods: number[] = [];
    const to = segmentsEnd(history);
    for (let from = segmentStart(history, this.#nextPeriod); ; ) {
      const { entries } = await this.#reader.range({ from, to, limit: 1 });
      this.#budget.spend(entries);
      const first = entries[0]?.key;
      if (first === undefined) break;
      periods.push(periodIn(first));
      this.#nextPeriod = periodIn(first) + 1;
      from = segmentStart(history, this.#nextPeriod);
    }
    if (periods.length === 0) return;
    const source = { reader: this.#reader, itemPrefix, history, cuts, budget: this.#budget };
    const rest = bounds.reverse ? { ...bounds, to: began } : { ...bounds, from: began ?? bounds.from };
    const count = this.#segments.length + periods.length;
    const opened = periods.map((period) => new SegmentCursor(source, period, rest, count));
    this.#segments = [...this.#segments, ...opened];
  }
}

/** The lower of two keys; undefined is above all. */
function earlierOf(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareBytes(a, b) <= 0 ? a : b;
}

/** The higher of two keys; undefined is above all. */
function laterOf(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareBytes(a, b) >= 0 ? a : b;
}

function nearest(
  current: ItemCursor,
  segments: readonly SegmentCursor[],
  reverse: boolean,
): Uint8Array | undefined {
  let found = current.head?.key;
  for (const { head } of segments) {
    if (head === undefined) continue;
    const order = found === undefined ? 0 : compareBytes(head.itemKey, found);
    if (found === undefined || (reverse ? order > 0 : order < 0)) found = head.itemKey;
  }
  return found;
}

function takeStates(
  key: Uint8Array,
  current: ItemCursor,
  segments: readonly SegmentCursor[],
  cuts: readonly Cut[],
): (Uint8Array | undefined)[] {
  const images: (Uint8Array | undefined)[] = cuts.map(() => undefined);
  // The earliest period that has an image decides.
  for (const segment of segments) {
    const { head } = segment;
    if (head === undefined || compareBytes(head.itemKey, key) !== 0) continue;
    for (const [i, image] of head.images.entries()) images[i] ??= image;
    segment.advance();
  }
  const { head } = current;
  const isCurrent = head !== undefined && compareBytes(head.key, key) === 0;
  if (isCurrent) current.advance();
  return cuts.map((cut, i) => stateAt(cut, isCurrent ? head.value : undefined, images[i]));
}

function stateAt(
  cut: Cut,
  current: Uint8Array | undefined,
  image: Uint8Array | undefined,
): Uint8Array | undefined {
  if (current !== undefined && isBy(readHeader(current), cut)) return current;
  return image !== undefined && isBy(readHeader(image), cut) ? image : undefined;
}

/** Walks through the items of a table as they are now. */
class ItemCursor {
  readonly #reader: Reader;
  readonly #reverse: boolean;
  readonly #budget: ReadBudget;
  #from: Uint8Array;
  #to: Uint8Array;
  #page: readonly Entry[] = [];
  #at = 0;
  #isDone = false;
  #position: Uint8Array | undefined;

  constructor(reader: Reader, itemPrefix: Uint8Array, { from, to, reverse }: ItemBounds, budget: ReadBudget) {
    this.#reader = reader;
    this.#reverse = reverse;
    this.#budget = budget;
    this.#from = from;
    this.#to = to ?? prefixEnd(itemPrefix)!;
    this.#position = reverse ? to : from;
  }

  get head(): Entry | undefined {
    return this.#page[this.#at];
  }

  get needsFill(): boolean {
    return this.#at >= this.#page.length && !this.#isDone;
  }

  /** Forwards all items below were read, backwards all items from here on; undefined forwards at the end. */
  get position(): Uint8Array | undefined {
    return this.#position;
  }

  advance(): void {
    this.#at++;
  }

  async fill(limit: number, maxBytes: number): Promise<void> {
    const { entries, more } = await this.#reader.range({
      from: this.#from,
      to: this.#to,
      reverse: this.#reverse,
      ...this.#budget.bounds(limit, maxBytes),
    });
    this.#budget.spend(entries);
    this.#page = entries;
    this.#at = 0;
    const last = entries.at(-1)?.key;
    this.#isDone = !more || last === undefined;
    if (this.#reverse) this.#to = this.#isDone ? this.#from : last!;
    else if (!this.#isDone) this.#from = keyAfter(last!);
    this.#position = this.#reverse ? this.#to : this.#isDone ? undefined : this.#from;
  }
}
