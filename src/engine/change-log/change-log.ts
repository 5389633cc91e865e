import { DynamoError } from '../../model/errors.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import type { Store } from '../../storage/store.ts';
import type { Background } from '../background/background-worker.ts';
import type { Capacity } from '../capacity/capacity.ts';
import { partitionStarts } from '../capacity/partition-starts.ts';
import type { Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { type FollowedChange, follow } from './follow.ts';
import { LogArrivals } from './log-arrivals.ts';
import type { LogBeginning, PartitionStarts } from './log-beginning.ts';
import { LogKeeper } from './log-keeper.ts';
import { layoutOf } from './log-layout.ts';
import { readLayout } from './log-note.ts';
import { LogReaders, type ReaderPlace } from './log-readers.ts';
import { LogSplits } from './log-splits.ts';
import { Streams } from './streams.ts';

interface ChangeLogOptions extends Background {
  readonly store: Store;
  readonly random: Randomness;
  readonly h16: Hash16;
  readonly catalogue: Catalogue;
  readonly capacity: Capacity;
}

export interface FollowOptions {
  /** `now` (default): changes from this moment on. `oldest`: also those that the log has kept for others. */
  readonly from?: 'now' | 'oldest';
  readonly signal?: AbortSignal;
}

/**
 * The log of all changes to tables that somebody follows. Writers append to it in the unit that changes the item
 * (`write-item.ts`); everything else about it is here.
 */
export class ChangeLog {
  readonly streams: Streams;
  readonly readers: LogReaders;
  readonly keeper: LogKeeper;
  readonly splits: LogSplits;
  readonly partitionStarts: PartitionStarts;
  readonly #arrivals = new LogArrivals();
  /** The followers of this process and their tables: they are there, however long nothing happens. */
  readonly #present = new Map<string, { readonly scope: Scope; readonly tableName: string }>();
  readonly #options: ChangeLogOptions;

  constructor(options: ChangeLogOptions) {
    const { store, clock, h16, catalogue } = options;
    this.#options = options;
    this.streams = new Streams({ store, clock, h16 });
    this.partitionStarts = (scope, record) => partitionStarts(store, options.capacity, scope, record);
    this.readers = new LogReaders({
      store,
      clock,
      catalogue,
      beginning: (scope, record) => this.beginning(scope, record),
    });
    this.keeper = new LogKeeper(
      {
        store,
        catalogue,
        streams: this.streams,
        readers: this.readers,
        isPresent: (name) => this.#present.has(name),
      },
      options,
    );
    const { streams, partitionStarts: starts } = this;
    const changed = (storageId: string) => this.noteArrival(storageId);
    this.splits = new LogSplits({ catalogue, streams, partitionStarts: starts, changed }, options);
    options.capacity.onCut = (scope, name, storageId) => this.splits.ask(scope, name, storageId);
  }

  /** Resolves when nothing is split, rolled over or trimmed any more. */
  async settled(): Promise<void> {
    await this.splits.settled();
    await this.keeper.settled();
  }

  /** What whoever begins to follow a table looks up before. */
  async beginning(scope: Scope, record: TableRecord): Promise<LogBeginning> {
    const starts = await this.partitionStarts(scope, record);
    const { storageId } = record;
    return { storageId, starts, ends: await this.streams.logEnds(storageId, layoutOf(record)) };
  }

  /** Called after every commit that appended something, and when a table is dropped. */
  noteArrival(storageId: string): void {
    this.#arrivals.note(storageId);
    this.keeper.touch();
  }

  /**
   * The changes of a table as they come, until the signal is aborted, the caller stops, or the table is dropped. While
   * anybody does this, the table's writers tell their changes; what the caller has taken is not kept for it.
   */
  async follow(
    scope: Scope,
    tableName: string,
    { from = 'now', signal }: FollowOptions = {},
  ): Promise<AsyncGenerator<FollowedChange, void> | DynamoError> {
    const name = `follow-${toHex(randomBytes(this.#options.random, 8))}`;
    const place = await this.readers.enroll(scope, tableName, name, followerRetainMs);
    if (place instanceof DynamoError) return place;
    this.#present.set(name, { scope, tableName });
    const oldest = { ...place, positions: place.positions.map(() => 0), since: 0 };
    return this.#changes(scope, tableName, from === 'now' ? place : oldest, signal);
  }

  async *#changes(
    scope: Scope,
    tableName: string,
    place: ReaderPlace,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FollowedChange, void> {
    const { clock, signal: ending } = this.#options;
    const positions = [...place.positions];
    let toldAt = nowMs(clock);
    let untold = 0;
    const tell = async () => {
      if (untold === 0 && nowMs(clock) - toldAt < followerRetainMs / 4) return true;
      untold = 0;
      toldAt = nowMs(clock);
      return this.readers.advance({ ...place, positions });
    };
    try {
      for await (const change of this.resume(scope, tableName, place, signal, tell)) {
        yield change;
        positions[change.bucket] = change.position;
        if (++untold >= untoldMax) await tell();
      }
    } finally {
      // When the database is closed, that sees to all of them.
      if (!ending.aborted) {
        this.#present.delete(place.name);
        await this.readers.dismiss(scope, tableName, place.name);
      }
    }
  }

  /** Dismisses the followers of this process, also those that are in the middle of a change; called at its end. */
  async leave(): Promise<void> {
    for (const [name, { scope, tableName }] of this.#present) {
      try {
        await this.readers.dismiss(scope, tableName, name);
      } catch {
        // It is dismissed when it has not been heard of for long enough.
      }
    }
  }

  /**
   * The changes behind the place of an enrolled reader, who tells itself how far it has come, with `readers.advance`, and
   * often enough not to be dismissed. `atRest` is asked whenever there is nothing more to read: whether to go on.
   */
  async *resume(
    scope: Scope,
    tableName: string,
    place: ReaderPlace,
    signal?: AbortSignal,
    atRest: () => Promise<boolean> = async () => true,
  ): AsyncGenerator<FollowedChange> {
    const { signal: ending, catalogue, store } = this.#options;
    const { storageId } = place;
    const listener = this.#arrivals.listen(place.storageId);
    try {
      yield* follow(this.#options, {
        ...place,
        listener,
        layout: () => readLayout(store, scope, tableName, storageId),
        signal: signal === undefined ? ending : AbortSignal.any([signal, ending]),
        isOver: async () =>
          !(await atRest()) || (await catalogue.record(scope, tableName))?.storageId !== place.storageId,
      });
    } finally {
      listener.close();
    }
  }
}

/** A follower whose process was killed is dismissed when it has not been heard of for so long. */
const followerRetainMs = 24 * 3_600_000;
/** After how many changes a follower tells how far it has come, if it is never at rest. */
const untoldMax = 1_000;
