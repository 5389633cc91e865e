import { readHeader } from '../../model/stored/stored-item.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { dayIn, dayOf, type HistoryPlace, segmentStart } from './history-keys.ts';
import { type ItemBounds, SegmentCursor } from './segment-cursor.ts';

/**
 * The items of a table as they were at one or several times. An item lived with an image from the time in the image's
 * header until its end: the current item has no end yet, and the ends of older images are in their keys. So at a time
 * `t` the item was the current one if that was written by then, else the earliest image that ended after `t` if that
 * was written by then, else it did not exist.
 *
 * This is the one place that answers "the table at second t". Restores, backups, exports and `db.at` all read from
 * here; `changes-between.ts` asks for two times at once.
 */
export interface PastSource {
  /** The prefix of the table's items. */
  readonly itemPrefix: Uint8Array;
  /** Where the old images are. Undefined where none are kept, because nobody writes to the table any more. */
  readonly history: HistoryPlace | undefined;
}

/** An item at the times that were asked for, with the key it is stored under. */
export interface PastItem {
  readonly key: Uint8Array;
  readonly states: readonly (Uint8Array | undefined)[];
}

export interface PastRequest {
  readonly bounds: ItemBounds;
  readonly times: readonly number[];
  readonly limit: number;
  readonly maxBytes: number;
}

export interface PastPage {
  /** Items that existed at one of the times at least. */
  readonly items: readonly PastItem[];
  /** Where to go on: the new `from`, or `to` when reading backwards. Undefined at the end. */
  readonly next: Uint8Array | undefined;
}

/** After so many items a page ends, although none of them may have existed at that time. */
const lookedAtMax = 2_000;
const itemsPerRead = 200;

/** All items of a table. */
export function wholeTable(itemPrefix: Uint8Array): ItemBounds {
  return { from: itemPrefix, to: undefined, reverse: false };
}

/** Reads a page. The reader must show one committed state: an item and its old images change together. */
export async function readPastPage(
  state: Reader,
  source: PastSource,
  { bounds, times, limit, maxBytes }: PastRequest,
): Promise<PastPage> {
  const { reverse } = bounds;
  const current = new ItemCursor(state, source.itemPrefix, bounds, Math.min(limit, itemsPerRead), maxBytes);
  const segments = await openSegments(state, source, bounds, times);
  const cursors = [current, ...segments];
  const items: PastItem[] = [];
  let bytes = 0;
  for (let looked = 0; ; looked++) {
    for (const cursor of cursors) if (cursor.needsFill) await cursor.fill();
    const key = nearest(current, segments, reverse);
    if (key === undefined) return { items, next: undefined };
    if (items.length >= limit || bytes >= maxBytes || looked >= lookedAtMax)
      return { items, next: reverse ? keyAfter(key) : key };
    const states = takeStates(key, current, segments, times);
    if (states.every((each) => each === undefined)) continue;
    items.push({ key, states });
    for (const each of states) bytes += each?.length ?? 0;
    bytes += key.length;
  }
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
  times: readonly number[],
): (Uint8Array | undefined)[] {
  const images: (Uint8Array | undefined)[] = times.map(() => undefined);
  // The earliest day that has an image decides.
  for (const segment of segments) {
    const { head } = segment;
    if (head === undefined || compareBytes(head.itemKey, key) !== 0) continue;
    for (const [i, image] of head.images.entries()) images[i] ??= image;
    segment.advance();
  }
  const { head } = current;
  const isCurrent = head !== undefined && compareBytes(head.key, key) === 0;
  if (isCurrent) current.advance();
  return times.map((time, i) => stateAt(time, isCurrent ? head.value : undefined, images[i]));
}

function stateAt(
  time: number,
  current: Uint8Array | undefined,
  image: Uint8Array | undefined,
): Uint8Array | undefined {
  if (current !== undefined && readHeader(current).writtenMicros <= time) return current;
  return image !== undefined && readHeader(image).writtenMicros <= time ? image : undefined;
}

/** The segments that can have images which ended after the earliest of the times. */
async function openSegments(
  state: Reader,
  { itemPrefix, history }: PastSource,
  bounds: ItemBounds,
  times: readonly number[],
): Promise<SegmentCursor[]> {
  if (history === undefined) return [];
  const segments: SegmentCursor[] = [];
  const to = prefixEnd(history.prefix)!;
  for (let from = segmentStart(history, dayOf(times[0]!)); ; ) {
    const { entries } = await state.range({ from, to, limit: 1 });
    const first = entries[0]?.key;
    if (first === undefined) return segments;
    const day = dayIn(first);
    segments.push(new SegmentCursor(state, { itemPrefix, history, times }, day, bounds));
    from = segmentStart(history, day + 1);
  }
}

/** Walks through the items of a table as they are now. */
class ItemCursor {
  readonly #state: Reader;
  readonly #reverse: boolean;
  readonly #limit: number;
  readonly #maxBytes: number;
  #from: Uint8Array;
  #to: Uint8Array;
  #page: readonly Entry[] = [];
  #at = 0;
  #isDone = false;

  constructor(
    state: Reader,
    itemPrefix: Uint8Array,
    { from, to, reverse }: ItemBounds,
    limit: number,
    maxBytes: number,
  ) {
    this.#state = state;
    this.#reverse = reverse;
    this.#limit = limit;
    this.#maxBytes = maxBytes;
    this.#from = from;
    this.#to = to ?? prefixEnd(itemPrefix)!;
  }

  get head(): Entry | undefined {
    return this.#page[this.#at];
  }

  get needsFill(): boolean {
    return this.#at >= this.#page.length && !this.#isDone;
  }

  advance(): void {
    this.#at++;
  }

  async fill(): Promise<void> {
    const { entries, more } = await this.#state.range({
      from: this.#from,
      to: this.#to,
      reverse: this.#reverse,
      limit: this.#limit,
      maxBytes: this.#maxBytes,
    });
    this.#page = entries;
    this.#at = 0;
    const last = entries.at(-1)?.key;
    this.#isDone = !more || last === undefined;
    if (last === undefined) return;
    if (this.#reverse) this.#to = last;
    else this.#from = keyAfter(last);
  }
}
