import { listOf, object, optional, text, whole } from '../../model/json/fields.ts';
import { hashBytes } from '../../model/keys/keys.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import {
  comparePositions,
  compareSort,
  noSortKey,
  type Position,
  partPlace,
  placeOf,
} from '../../physics/place.ts';

/**
 * A bucket of a table's change log: a range of positions, during a span of epochs. A write appends its change to the
 * bucket that is open at the write's epoch and whose range its item lies in, so that all changes of an item in one epoch
 * stand in one bucket, in their order. A bucket is closed by a change of the table's epoch, behind the barrier that all
 * such changes wait at (decision 0019): once a bucket is closed, nothing is appended to it any more, and its end stands.
 *
 * This is on disk, as JSON in the table's record, in the notes of its streams, and in the note that a dropped table leaves.
 */
export interface LogBucket {
  /** Counts the buckets of the table. A number is never used again, and a parent's is lower than its children's. */
  readonly number: number;
  /** The first position of the range, which ends before the next bucket of the same epoch. */
  readonly place: number;
  /** The sort key of that position, in hexadecimal digits; absent where the range begins with a whole item collection. */
  readonly sort?: string;
  /** The first epoch whose changes it holds, and the first one whose changes it does not. */
  readonly since: number;
  readonly until?: number;
  /** The bucket that was split into this one and others. */
  readonly parent?: number;
  /** How many splits led to the bucket. Sequence numbers of a later generation are higher. */
  readonly generation: number;
}

/** The buckets of a table's log in the order of their numbers, closed ones too. */
export type LogLayout = readonly LogBucket[];

export const logLayoutField = listOf(
  object<LogBucket>({
    number: whole,
    place: whole,
    sort: optional(text),
    since: whole,
    until: optional(whole),
    parent: optional(whole),
    generation: whole,
  }),
);

/** The buckets that are open at one time. A table of more partitions has several of them in some buckets. */
export const openBucketsMax = 128;

/** A log without a layout in its table's record, of a store of before they were kept there: four equal buckets. */
export const unnotedLayout: LogLayout = Array.from({ length: 4 }, (_, number) => ({
  number,
  place: partPlace(number, 4),
  since: 0,
  generation: 0,
}));

export function layoutOf({ log }: { readonly log?: LogLayout }): LogLayout {
  return log ?? unnotedLayout;
}

export function isOpenBucket({ until }: LogBucket): boolean {
  return until === undefined;
}

/** The open buckets, in the order of their ranges. */
export function openBuckets(layout: LogLayout): readonly LogBucket[] {
  return layout.filter(isOpenBucket).sort(byRange);
}

/** The buckets that held the changes of an epoch, in the order of their ranges. */
export function bucketsAt(layout: LogLayout, epoch: number): readonly LogBucket[] {
  return layout
    .filter(({ since, until }) => since <= epoch && (until === undefined || epoch < until))
    .sort(byRange);
}

export function childrenOf(layout: LogLayout, number: number): readonly LogBucket[] {
  return layout.filter(({ parent }) => parent === number);
}

/** Whether a bucket lies in several partitions. */
export function needsSplit(layout: LogLayout, starts: readonly Position[]): boolean {
  return splitLayout(layout, starts, 0) !== layout;
}

/**
 * The layout from an epoch on in which no bucket lies in several partitions, given where the partitions begin. Buckets are
 * split and never joined. Answers the very layout if nothing is to be split.
 */
export function splitLayout(layout: LogLayout, starts: readonly Position[], epoch: number): LogLayout {
  const open = openBuckets(layout);
  let room = openBucketsMax - open.length;
  const cutsOf = new Map<number, readonly Position[]>();
  for (const [i, bucket] of open.entries()) {
    const next = open[i + 1];
    const within = starts
      .filter(
        (start) =>
          isBefore(positionOf(bucket), start) && (next === undefined || isBefore(start, positionOf(next))),
      )
      .slice(0, room);
    if (within.length === 0) continue;
    cutsOf.set(bucket.number, within);
    room -= within.length;
  }
  if (cutsOf.size === 0) return layout;
  const closed = layout.map((bucket) => (cutsOf.has(bucket.number) ? { ...bucket, until: epoch } : bucket));
  const children = open.flatMap((bucket) => {
    const cuts = cutsOf.get(bucket.number);
    if (cuts === undefined) return [];
    const origin = { since: epoch, parent: bucket.number, generation: bucket.generation + 1 };
    return [positionOf(bucket), ...cuts].map((start) => ({ ...rangeFrom(start), ...origin }));
  });
  return numbered(closed, children);
}

/**
 * The layout of a log that nobody follows yet, from the epoch of its first follower on: a bucket for each partition.
 * What the buckets of before hold is for streams that have ended.
 */
export function freshLayout(layout: LogLayout, starts: readonly Position[], epoch: number): LogLayout {
  const wanted = thinned(starts);
  const open = openBuckets(layout);
  if (
    open.length === wanted.length &&
    open.every((bucket, i) => comparePositions(positionOf(bucket), wanted[i]!) === 0)
  )
    return layout;
  const generation = layout.length === 0 ? 0 : Math.max(...layout.map((bucket) => bucket.generation)) + 1;
  const closed = layout.map((bucket) => (isOpenBucket(bucket) ? { ...bucket, until: epoch } : bucket));
  return numbered(
    closed,
    wanted.map((start) => ({ ...rangeFrom(start), since: epoch, generation })),
  );
}

function numbered(known: LogLayout, added: readonly Omit<LogBucket, 'number'>[]): LogLayout {
  const next = (known.at(-1)?.number ?? -1) + 1;
  return [...known, ...added.map((bucket, i) => ({ number: next + i, ...bucket }))];
}

/** At most as many starts as there may be buckets, evenly chosen. */
function thinned(starts: readonly Position[]): readonly Position[] {
  if (starts.length <= openBucketsMax) return starts;
  return Array.from(
    { length: openBucketsMax },
    (_, i) => starts[Math.floor((i * starts.length) / openBucketsMax)]!,
  );
}

function rangeFrom({ place, sort }: Position): Pick<LogBucket, 'place' | 'sort'> {
  return sort.length === 0 ? { place } : { place, sort: toHex(sort) };
}

function positionOf({ place, sort }: LogBucket): Position {
  return { place, sort: sort === undefined ? noSortKey : fromHex(sort) };
}

function isBefore(a: Position, b: Position): boolean {
  return comparePositions(a, b) < 0;
}

function byRange(a: LogBucket, b: LogBucket): number {
  return comparePositions(positionOf(a), positionOf(b));
}

/**
 * The name of a bucket in the Store: the table's storage id and the bucket's number (u8), or ff and the number (u16) from
 * 255 on. This is on disk and must not change.
 */
export function bucketName(storageId: string, number: number): Uint8Array {
  return concatBytes(
    fromHex(storageId),
    number < 0xff ? Uint8Array.of(number) : Uint8Array.of(0xff, number >> 8, number & 0xff),
  );
}

/** Finds the bucket for the change of an item, for writers and for those who check what they wrote. */
export class LogPlaces {
  readonly #buckets: readonly LogBucket[];
  readonly #names: readonly Uint8Array[];
  readonly #places: readonly number[];
  readonly #sorts: readonly Uint8Array[];

  /** `buckets` cover all positions, in the order of their ranges. */
  constructor(storageId: string, buckets: readonly LogBucket[]) {
    this.#buckets = buckets;
    this.#names = buckets.map(({ number }) => bucketName(storageId, number));
    this.#places = buckets.map(({ place }) => place);
    this.#sorts = buckets.map((bucket) => positionOf(bucket).sort);
  }

  /** The name of the bucket for an item. `hashAt` is where the hash begins in the key that the item is stored under. */
  nameFor(key: Uint8Array, hashAt: number): Uint8Array {
    return this.#names[this.#names.length === 1 ? 0 : this.#find(key, hashAt)]!;
  }

  bucketFor(key: Uint8Array, hashAt: number): LogBucket {
    return this.#buckets[this.#find(key, hashAt)]!;
  }

  #find(key: Uint8Array, hashAt: number): number {
    const place = placeOf(key, hashAt);
    const sortAt = hashAt + hashBytes;
    let low = 0;
    let high = this.#places.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const start = this.#places[middle]!;
      if (start < place || (start === place && compareSort(key, sortAt, this.#sorts[middle]!) >= 0))
        low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
