import { cutBound, isCutKey, mayBeCut } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { decodeItem, readItemBytes } from '../../model/stored/stored-item.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Entry, RangePage, RangeRequest, Reader } from '../../storage/store.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { stale } from '../writes/write-item.ts';
import { CutGroup } from './cut-group.ts';

/** The plan of one page of a Query or Scan: a range of entries of a table or index, read from either end. */
export interface PagePlan {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
  readonly reverse: boolean;
  /** The end of the previous page: the key of its last entry, and the key attributes that the key was made from. */
  readonly after: { readonly key: Uint8Array; readonly item: Item } | undefined;
  /** The maximum number of entries to evaluate. */
  readonly limit: number | undefined;
  /** Filters entries if the bounds include too many. Entries that it rejects count as absent. */
  readonly accepts: ((item: Item) => boolean) | undefined;
  /** The RANGE attributes. Their values give the order of entries whose keys were cut. */
  readonly range: readonly KeyAttribute[];
  readonly sink: EntrySink;
}

/**
 * Receives every entry of a page, in order, as soon as it is known to belong to the page. A page may have tens of
 * thousands of entries. Handling each at once finds it in the processor's cache, and entries that are not kept cost the
 * garbage collector nothing.
 */
export interface EntrySink {
  /** Answers a promise if the next entry has to wait, because this one and those before it took a slice of work. */
  take(entry: TakenEntry): Promise<void> | undefined;
}

export type TakenEntry = Entry;

/** The result of evaluating a page. */
export interface EvaluatedPage {
  /** The number of entries. */
  readonly count: number;
  /** The size of the entries in DynamoDB's bytes. */
  readonly bytes: number;
  readonly first: Entry | undefined;
  readonly last: Entry | undefined;
  /** Whether the page ended at its limit or at 1 MB. Then nothing is known about further entries. */
  readonly stopped: boolean;
}

/**
 * Reads a page in chunks of bounded size. Each chunk sees one committed state and starts after the last key of the
 * previous chunk. So whatever others write meanwhile, an entry that keeps its key appears exactly once.
 */
export function readPage(
  reader: Reader,
  table: Table,
  plan: PagePlan,
  checksEpoch: boolean,
): MaybePromise<EvaluatedPage | typeof stale> {
  return new PageReading(reader, table, plan, checksEpoch).run();
}

/**
 * The size of a chunk: large enough that few pages need several round trips, small enough that surplus entries cost
 * little.
 */
const chunkEntriesMax = 1_000;
const chunkBytesMax = 1024 * 1024;

/** The page if a chunk completed it. */
type Taken = EvaluatedPage | typeof stale | undefined;

class PageReading {
  readonly #reader: Reader;
  readonly #table: Table;
  readonly #plan: PagePlan;
  /** Once the page has waited for anything, the table may have been changed. */
  #checksEpoch: boolean;
  #from: Uint8Array;
  #to: Uint8Array | undefined;
  #group: CutGroup | undefined;
  #count = 0;
  #bytes = 0;
  #first: Entry | undefined;
  #last: Entry | undefined;

  constructor(reader: Reader, table: Table, plan: PagePlan, checksEpoch: boolean) {
    this.#reader = reader;
    this.#table = table;
    this.#plan = plan;
    this.#checksEpoch = checksEpoch;
    this.#from = plan.from;
    this.#to = plan.to;
    if (plan.after !== undefined) this.#startAfter(plan.after);
  }

  run(): MaybePromise<EvaluatedPage | typeof stale> {
    for (;;) {
      if (this.#isAtEnd()) return this.#page(false);
      const chunk = this.#reader.range(this.#request());
      if (chunk instanceof Promise) return chunk.then((later) => this.#continue(this.#take(later)));
      const taken = this.#take(chunk);
      if (taken !== undefined) return taken instanceof Promise ? this.#continue(taken) : taken;
    }
  }

  /** Returns the page if it is complete, and goes on reading otherwise. */
  #continue(taken: MaybePromise<Taken>): MaybePromise<EvaluatedPage | typeof stale> {
    return whenDone(taken, (done) => done ?? this.run());
  }

  /** Starts after a key. A cut key does not tell its position in its group, so the whole group is read again. */
  #startAfter(after: NonNullable<PagePlan['after']>): void {
    const { key } = after;
    if (isCutKey(key)) {
      this.#group = this.#newGroup(cutBound(key), after);
      this.#passGroup(cutBound(key));
    } else if (this.#plan.reverse) {
      if (this.#to === undefined || compareBytes(key, this.#to) < 0) this.#to = key;
    } else {
      const from = keyAfter(key);
      if (compareBytes(from, this.#from) > 0) this.#from = from;
    }
  }

  #newGroup(prefix: Uint8Array, after: PagePlan['after']): CutGroup {
    const { limit } = this.#plan;
    return new CutGroup(prefix, this.#plan, after, {
      entries: limit === undefined ? undefined : limit - this.#count,
      bytes: requestLimits.pageBytesMax - this.#bytes,
    });
  }

  /** Moves the range behind a group, in the direction of the page. */
  #passGroup(prefix: Uint8Array): void {
    if (this.#plan.reverse) {
      this.#to = prefix;
    } else {
      // The first byte of a prefix is the kind, never 0xff, so every prefix has an end.
      this.#from = prefixEnd(prefix)!;
    }
  }

  #isAtEnd(): boolean {
    return this.#group === undefined && this.#to !== undefined && compareBytes(this.#from, this.#to) >= 0;
  }

  #request(): RangeRequest {
    const { limit, reverse } = this.#plan;
    const also = this.#checksEpoch ? [this.#table.epochKey] : undefined;
    if (this.#group !== undefined) {
      return { ...this.#group.bounds(), limit: chunkEntriesMax, maxBytes: chunkBytesMax, also };
    }
    const left = limit === undefined ? chunkEntriesMax : limit - this.#count;
    return {
      from: this.#from,
      to: this.#to,
      reverse,
      limit: Math.min(left, chunkEntriesMax),
      maxBytes: chunkBytesMax,
      also,
    };
  }

  /** Adds a chunk. Returns the page if it is complete. */
  #take(chunk: RangePage): MaybePromise<Taken> {
    if (this.#checksEpoch && !sameEpoch(chunk.also[0], this.#table.epoch)) return stale;
    return this.#group === undefined ? this.#takeEntries(chunk) : this.#takeGroup(this.#group, chunk);
  }

  #takeEntries({ entries, more }: RangePage): MaybePromise<Taken> {
    const { accepts, range } = this.#plan;
    const group = mayBeCut(range.length) ? entries.findIndex(({ key }) => isCutKey(key)) : -1;
    const plain = group < 0 ? entries : entries.slice(0, group);
    const accepted = accepts === undefined ? plain : plain.filter(({ value }) => accepts(decodeItem(value)));
    const evaluated = this.#evaluate(accepted);
    return evaluated instanceof Promise
      ? evaluated.then((isFull) => this.#passEntries(isFull, entries, group, more))
      : this.#passEntries(evaluated, entries, group, more);
  }

  #passEntries(isFull: boolean, entries: readonly Entry[], group: number, more: boolean): Taken {
    if (isFull) return this.#page(true);
    if (group >= 0) {
      const prefix = cutBound(entries[group]!.key);
      this.#group = this.#newGroup(prefix, undefined);
      this.#passGroup(prefix);
      return undefined;
    }
    if (!more) return this.#page(false);
    const last = entries[entries.length - 1];
    if (last === undefined) throw new Error('a range without entries that has more');
    if (this.#plan.reverse) this.#to = last.key;
    else this.#from = keyAfter(last.key);
    return undefined;
  }

  #takeGroup(group: CutGroup, chunk: RangePage): MaybePromise<Taken> {
    group.take(chunk.entries);
    if (chunk.more) return undefined;
    return whenDone<boolean, Taken>(this.#evaluate(group.sorted()), (isFull) => {
      if (isFull) return this.#page(true);
      if (group.dropped) throw new Error('a group of cut keys was given up too early');
      this.#group = undefined;
      return undefined;
    });
  }

  /**
   * Passes entries to the sink until the page is full, and returns whether it is. The entry that reaches the limit or 1
   * MB completes the page. A first loop measures the entries and a second one passes them on: in a short loop the
   * processor waits for the memory of several entries at once.
   */
  #evaluate(entries: readonly Entry[]): MaybePromise<boolean> {
    const { limit, sink } = this.#plan;
    const left = limit === undefined ? Number.POSITIVE_INFINITY : limit - this.#count;
    let bytes = this.#bytes;
    let count = 0;
    while (count < entries.length && count < left && bytes < requestLimits.pageBytesMax)
      bytes += readItemBytes(entries[count++]!.value);
    this.#bytes = bytes;
    this.#count += count;
    if (count > 0) {
      this.#first ??= entries[0];
      this.#last = entries[count - 1];
    }
    const isFull = count === left || bytes >= requestLimits.pageBytesMax;
    for (let i = 0; i < count; i++) {
      const waiting = sink.take(entries[i]!);
      if (waiting !== undefined) return this.#passSlowly(waiting, entries, i + 1, count).then(() => isFull);
    }
    return isFull;
  }

  /** Passes the other entries to a sink that made the page wait. */
  async #passSlowly(
    waiting: Promise<void>,
    entries: readonly Entry[],
    start: number,
    end: number,
  ): Promise<void> {
    this.#checksEpoch = true;
    await waiting;
    const { sink } = this.#plan;
    for (let i = start; i < end; i++) {
      const further = sink.take(entries[i]!);
      if (further !== undefined) await further;
    }
  }

  #page(stopped: boolean): EvaluatedPage {
    return { count: this.#count, bytes: this.#bytes, first: this.#first, last: this.#last, stopped };
  }
}
