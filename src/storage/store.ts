import type { MaybePromise } from '../model/maybe-promise.ts';

/**
 * The Store contract: ordered byte keys to byte values, with one way to write.
 *
 * Three engines keep it (memory, lmdb, postgres) and one suite, `tests/storage/contract.ts`, holds them to it.
 * The guarantees:
 *
 * **Atomicity.** A unit's mutations are all committed or none is. A reader never sees half a unit.
 *
 * **Isolation.** Units are serializable: the outcome is that of running them one after another, each `decide`
 * seeing everything the units before it wrote. An engine may call `decide` more than once for one unit (after a
 * conflict, or on a guess); only the last call counts. Hence `decide` must be a pure, synchronous function of
 * what it is given: no clock, no randomness, no I/O, no memory of earlier calls, and it changes none of the bytes
 * it was handed.
 *
 * **Order.** Units take effect in the order in which they are committed, and each is committed between its call and its
 * answer. No unit is committed on values that another unit, committed before it, has replaced.
 *
 * **Settings.** A settings key is read by nearly every unit and written seldom, such as a table's epoch. A unit says
 * which of its reads are settings (`settings`), and a decision that writes a settings key says so (`changesSettings`).
 * When such a unit is committed, every unit that was decided on the older settings has ended: it was committed before,
 * or never will be. So whoever sees the new settings may rely on every write from then on obeying them. Engines that
 * commit one unit at a time keep this by nature; on shared servers it is a barrier, which a change waits for.
 *
 * **What a read sees.** `get`, `getMany`, `counters` and `range` each see one committed state, whole; two calls
 * may see two states. A read started after a write was acknowledged sees that write (in the same process, and in
 * every process that shares the store). A `Snapshot` is one committed state for all calls made on it, until it is
 * closed or expires.
 *
 * **Durability.** `transact` answers only when its unit is durable: in lmdb after the commit was synced to disk
 * (unless opened `relaxed`), in postgres after COMMIT was acknowledged. The memory store keeps nothing.
 *
 * **Errors.** A DynamoDB error is not an error here: `decide` returns it as its result, with no mutations. A
 * `decide` that throws is a bug: nothing is written, the call rejects with that very error, and other units are
 * untouched. Trouble with the world is a `StoreError` that says which: unless its trouble is `unknown-outcome`,
 * nothing of the unit was written, and the same call may simply be made again once the cause is gone.
 *
 * **Unknown outcome.** On postgres the connection was lost after the unit was sent, and it cannot be told whether the
 * unit was committed. On lmdb the data file was removed or moved while the unit was committed. It was committed once or not at all, whole or not at all, and is never
 * retried by the store. The caller may read what it wrote to find out.
 *
 * **Abort.** A call whose signal is aborted before its commit began rejects with the signal's reason and writes
 * nothing. Later, the signal is ignored and the call ends with its true outcome. An aborted `deleteRange` has
 * deleted a part of its range.
 *
 * **Close.** `close` refuses new calls with trouble `closed`, lets those in flight end with their true outcome,
 * then releases everything. Closing twice is the same as once. Open snapshots are closed.
 *
 * **Ownership of bytes.** The store keeps what it is given without copying, and hands out what it keeps: neither
 * side changes bytes after handing them over.
 */
export interface Store extends Reader {
  /** True when no other process can write to the data while this store is open. */
  readonly exclusive: boolean;
  /** True when besides that every call is done when it returns, so that nothing happens between two calls of one turn. */
  readonly immediate: boolean;

  /** Runs one unit and answers what `decide` returned as its result. */
  transact<R>(unit: Unit<R>, options?: CallOptions): MaybePromise<R>;

  /**
   * Runs several units in one call, in as few commits as the engine can, each on its own: one may fail while the
   * others commit. They run in some order, as if made by as many callers.
   */
  transactMany<R>(units: readonly Unit<R>[], options?: CallOptions): MaybePromise<Outcome<R>[]>;

  /**
   * Deletes all values and counters with `from <= key < to` in many small steps, so that other writers are never
   * held up for long, and answers how many values went. It is not atomic: readers see the range shrink. After a
   * kill or an abort, making the same call again finishes the work.
   */
  deleteRange(from: Bytes, to: Bytes, options?: CallOptions): MaybePromise<number>;

  /**
   * The records of one bucket of the change log with a position above `after`, in order, at most `limit`. An
   * engine may return fewer than there are, but none only when there are none yet.
   * Positions start at 1 and each record has the next one, so that a gap before the first record left was trimmed;
   * once a record was returned, no record with a lower position ever appears.
   * Records whose `of` is the same key stand in the order in which their units were committed, and records of one
   * unit in the order of its mutations.
   */
  readLog(bucket: Bytes, after: number, limit: number): MaybePromise<LogRecord[]>;

  /**
   * The highest position of a bucket, 0 when it never had a record: every record whose unit was acknowledged before
   * the call is at or below it, also one that was trimmed since, and every record of a later unit is above it.
   */
  logEnd(bucket: Bytes): MaybePromise<number>;

  /** Forgets the records of a bucket up to and including a position, in small steps; positions are not reused. */
  trimLog(bucket: Bytes, through: number, options?: CallOptions): MaybePromise<void>;

  /**
   * Decides the fate of the unit that an ended process was committing. Afterwards it is visible, or never will be.
   * Called when another process of the store was seen to end; writes nothing. Engines that need no such step lack it.
   */
  finishLostCommit?(): MaybePromise<void>;

  /** One committed state that stands still. Hold it briefly: see `snapshotAgeMsMax`. */
  snapshot(): MaybePromise<Snapshot>;

  close(): Promise<void>;
}

export interface Reader {
  get(key: Bytes): MaybePromise<Bytes | undefined>;

  /** The values of several keys in one committed state, in the order asked for. */
  getMany(keys: readonly Bytes[]): MaybePromise<(Bytes | undefined)[]>;

  /** The sums of several counters, 0 for one that was never added to. */
  counters(keys: readonly Bytes[]): MaybePromise<number[]>;

  range(request: RangeRequest): MaybePromise<RangePage>;
}

export interface Snapshot extends Reader {
  close(): MaybePromise<void>;
}

export type { MaybePromise };

export type Bytes = Uint8Array;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface Unit<R> {
  /**
   * The keys whose values `decide` needs, each at most once. One that many units of the same time need stands first, and
   * is the same array for all of them: engines that write units in groups then read it once.
   */
  readonly reads: readonly Bytes[];

  /** How many of the first `reads` are settings keys; none unless said. */
  readonly settings?: number;

  /**
   * The counters whose sums `decide` needs. Reading one makes every other unit that reads it a conflict, and every unit
   * that adds to it must read it too.
   */
  readonly counters?: readonly Bytes[];

  /**
   * What the caller believes the values of `reads` to be, in their order. A right guess saves engines behind a
   * network one round trip; a wrong one costs nothing but the try. Engines that read for free ignore it.
   */
  readonly guess?: readonly (Bytes | undefined)[];

  decide(found: Found): Decision<R>;
}

export interface Found {
  /** The values of the unit's `reads`, in their order. */
  readonly values: readonly (Bytes | undefined)[];
  /** The sums of the unit's `counters`, in their order. */
  readonly counters: readonly number[];
}

export interface Decision<R> {
  readonly result: R;
  readonly mutations: readonly Mutation[];
  /** A settings key is among those that the mutations write. */
  readonly changesSettings?: boolean;
}

/** A unit puts or deletes a key at most once. */
export type Mutation = Put | Delete | Append | Add;

export interface Put {
  readonly kind: 'put';
  readonly key: Bytes;
  readonly value: Bytes;
}

export interface Delete {
  readonly kind: 'delete';
  readonly key: Bytes;
}

/** Adds a record to a bucket of the change log. The store gives it its position. */
export interface Append {
  readonly kind: 'append';
  readonly bucket: Bytes;
  /** The key whose change the record tells of; the same unit puts or deletes it. */
  readonly of: Bytes;
  readonly record: Bytes;
}

/** Adds to a counter. Additions commute: units that only add to the same counter do not conflict. */
export interface Add {
  readonly kind: 'add';
  readonly counter: Bytes;
  /** A whole number; sums stay within the safe integers. */
  readonly delta: number;
}

export type Outcome<R> =
  | { readonly ok: true; readonly result: R }
  | { readonly ok: false; readonly error: unknown };

export interface RangeRequest {
  /** The lowest key of the range, itself included. Left out: from the first key. */
  readonly from?: Bytes;
  /** The end of the range, itself excluded. Left out: to the last key. */
  readonly to?: Bytes | undefined;
  /** From the last key down to the first. */
  readonly reverse?: boolean;
  /** The most entries to return; at least 1. An engine may return fewer and say that there is more. */
  readonly limit: number;
  /** Stop after the entry with which keys and values together reach this many bytes. */
  readonly maxBytes?: number;
  /** More keys whose values the same committed state has, such as a table's epoch. */
  readonly also?: readonly Bytes[] | undefined;
}

export interface RangePage {
  readonly entries: readonly Entry[];
  /** False when the range certainly ends here. */
  readonly more: boolean;
  /** The values of the request's `also`, in its order. */
  readonly also: readonly (Bytes | undefined)[];
}

/** Not to be spread into another object: a store may make the key only when it is asked for. */
export interface Entry {
  readonly key: Bytes;
  readonly value: Bytes;
}

export interface LogRecord {
  readonly position: number;
  readonly record: Bytes;
}

/** What every engine can hold. Larger is a bug of the caller, refused before anything is written. */
export const storeLimits = {
  /** A PostgreSQL index row ends near 2,700 bytes; the key layout stays under this (docs/decisions/0003). */
  keyBytesMax: 2_500,
  /** A legal 400 KB item of large exponents grows to about 20 MB as canonical text. */
  valueBytesMax: 32 * 1024 * 1024,
  bucketBytesMax: 64,
  /** An old and a new image, and what is told about them. */
  recordBytesMax: 65 * 1024 * 1024,
  /** An older snapshot may be closed by the store: a long-held lmdb reader makes the file grow without bound. */
  snapshotAgeMsMax: 60_000,
} as const;
