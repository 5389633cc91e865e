import { DynamoError, tableNotFound } from '../../model/errors.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { readerKey, type Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { type ReaderFollower, without } from './follower.ts';
import { type LogBeginning, openLog } from './log-beginning.ts';
import { decodeReader, encodeReader, type ReaderNote } from './reader-note.ts';

interface ReaderDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly beginning: (scope: Scope, record: TableRecord) => Promise<LogBeginning>;
}

/** Where a reader stands, and in which table's log: one made again under the same name has another. */
export interface ReaderPlace {
  readonly storageId: string;
  readonly name: string;
  /** The position of the last record it is done with, by the number of the bucket; 0 beyond the last one. */
  readonly positions: readonly number[];
  /** The first epoch whose changes are for this reader. */
  readonly since: number;
}

/**
 * Followers with a cursor of their own. While a table has one, its writers tell their changes, and what it is not done
 * with is kept, until it is dismissed or has not been heard of for as long as it asked for.
 */
export class LogReaders {
  readonly #deps: ReaderDeps;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** Where a reader stands. One that is new begins with the next change. */
  async enroll(
    scope: Scope,
    tableName: string,
    name: string,
    retainMs: number,
  ): Promise<ReaderPlace | DynamoError> {
    const { clock, catalogue } = this.#deps;
    const before = await catalogue.record(scope, tableName);
    if (before === undefined) return tableNotFound(tableName);
    const known = await this.#place(before, name);
    if (known !== undefined) return known;
    const log = await this.#deps.beginning(scope, before);
    const { ends } = log;
    const changed = await catalogue.change(scope, tableName, (current) => {
      if (current === undefined || current.storageId !== before.storageId) return tableNotFound(tableName);
      const epoch = current.epoch + 1;
      const reader: ReaderFollower = { kind: 'reader', name, since: epoch, retainMs };
      const others = (current.followers ?? []).filter((follower) => !isReader(follower, name));
      const note: ReaderNote = {
        ...scope,
        tableName,
        name,
        positions: ends,
        seenAt: nowMs(clock),
        retainMs,
      };
      return {
        put: { ...openLog({ ...current, epoch }, log), followers: [...others, reader] },
        also: [{ kind: 'put', key: readerKey(current.storageId, name), value: encodeReader(note) }],
      };
    });
    if (changed instanceof DynamoError) return changed;
    return { storageId: changed.storageId, name, positions: ends, since: changed.epoch };
  }

  /** Tells how far a reader has come. False when it is no longer known: it was dismissed, or has not come for too long. */
  async advance({ storageId, name, positions }: Omit<ReaderPlace, 'since'>): Promise<boolean> {
    const key = readerKey(storageId, name);
    const seenAt = nowMs(this.#deps.clock);
    return this.#deps.store.transact({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        if (bytes === undefined) return { result: false, mutations: [] };
        const note = decodeReader(bytes, key);
        // What was once told is done, whatever a late message says.
        const length = Math.max(note.positions.length, positions.length);
        const furthest = Array.from({ length }, (_, i) =>
          Math.max(note.positions[i] ?? 0, positions[i] ?? 0),
        );
        const value = encodeReader({ ...note, positions: furthest, seenAt: Math.max(seenAt, note.seenAt) });
        return { result: true, mutations: [{ kind: 'put', key, value }] };
      },
    });
  }

  /** The table tells this reader nothing more. What it leaves is for the keeper of the log. */
  async dismiss(scope: Scope, tableName: string, name: string): Promise<void> {
    await this.#deps.catalogue.change(scope, tableName, (current) => {
      const reader = current?.followers?.find((follower) => isReader(follower, name));
      if (current === undefined || reader === undefined) return undefined;
      const { followers, ...rest } = current;
      const left = without(followers, reader);
      return { put: { ...rest, epoch: current.epoch + 1, ...(left && { followers: left }) } };
    });
  }

  async #place(record: TableRecord, name: string): Promise<ReaderPlace | undefined> {
    const reader = record.followers?.find((follower) => isReader(follower, name));
    if (reader === undefined) return undefined;
    const key = readerKey(record.storageId, name);
    const bytes = await this.#deps.store.get(key);
    if (bytes === undefined) return undefined;
    const { positions } = decodeReader(bytes, key);
    return { storageId: record.storageId, name, positions, since: reader.since };
  }
}

function isReader(
  follower: { readonly kind: string; readonly name?: string },
  name: string,
): follower is ReaderFollower {
  return follower.kind === 'reader' && follower.name === name;
}
