import type { Position } from '../../physics/place.ts';
import type { Mutation } from '../../storage/store.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { type Scope, streamKey } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import { isLeaving } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { streamFollower } from './follower.ts';
import type { PartitionStarts } from './log-beginning.ts';
import { layoutOf, needsSplit, splitLayout } from './log-layout.ts';
import { noteOf } from './stream-life.ts';
import { encodeStream } from './stream-note.ts';
import type { Streams } from './streams.ts';

export interface SplitsDeps {
  readonly catalogue: Catalogue;
  readonly streams: Streams;
  readonly partitionStarts: PartitionStarts;
  /** Called after a split, so that followers look at the buckets anew. */
  readonly changed: (storageId: string) => void;
}

/** A table whose partitions may have been cut. */
interface CutTable {
  readonly scope: Scope;
  readonly tableName: string;
}

/**
 * Splits the buckets of followed tables where their partitions are cut, in the background.
 *
 * A split is a change of the table's epoch, and so waits at the barrier of all such changes (decision 0019): when it is
 * committed, every write that was decided on the older buckets has ended. Nothing can be appended to the parent any
 * more, so its end is looked up afterwards and stands, and each write of the new epoch goes to a child.
 */
export class LogSplits {
  readonly #deps: SplitsDeps;
  readonly #asked = new Map<string, CutTable>();
  readonly #worker: Worker;

  constructor(deps: SplitsDeps, background: Background) {
    this.#deps = deps;
    this.#worker = new Worker(background, {
      name: 'Splitting the change log',
      run: () => this.#splitAll(),
      retry: { minMs: 100, maxMs: 30_000 },
    });
  }

  /** Called when partitions of a table were cut, or may have been. */
  ask(scope: Scope, tableName: string, storageId: string): void {
    this.#asked.set(storageId, { scope, tableName });
    this.#worker.wake();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#splitAll(): AsyncGenerator<Pace, void> {
    for (const [storageId, table] of this.#asked) {
      yield 'turn';
      // Whoever asks from here on has seen later cuts.
      this.#asked.delete(storageId);
      try {
        await this.#follow(table, storageId);
      } catch (error) {
        this.#asked.set(storageId, this.#asked.get(storageId) ?? table);
        throw error;
      }
    }
  }

  async #follow({ scope, tableName }: CutTable, storageId: string): Promise<void> {
    const { catalogue, partitionStarts } = this.#deps;
    const record = await catalogue.record(scope, tableName);
    if (record === undefined || !isSplittable(record, storageId)) return;
    await this.splitAt(scope, tableName, storageId, await partitionStarts(scope, record));
  }

  /** Splits the buckets in which partitions begin. Answers whether there were any. */
  async splitAt(
    scope: Scope,
    tableName: string,
    storageId: string,
    starts: readonly Position[],
  ): Promise<boolean> {
    const { catalogue, streams, changed } = this.#deps;
    const before = await catalogue.record(scope, tableName);
    if (before === undefined || !needsSplit(layoutOf(before), starts)) return false;
    const after = await catalogue.change(scope, tableName, (current) => {
      if (current === undefined || !isSplittable(current, storageId)) return undefined;
      const epoch = current.epoch + 1;
      const log = splitLayout(layoutOf(current), starts, epoch);
      if (log === layoutOf(current)) return undefined;
      const put: TableRecord = { ...current, epoch, log };
      return { put, also: streamMutations(put, scope) };
    });
    if (after === undefined) return false;
    changed(storageId);
    // Readers would do it as well; this way the children are there soon after the split.
    const stream = streamFollower(after.followers);
    const note = stream && (await streams.find(scope, tableName, stream.label));
    if (note !== undefined) await streams.shards(note);
    return true;
  }
}

function isSplittable(record: TableRecord, storageId: string): boolean {
  return record.storageId === storageId && record.followers !== undefined && !isLeaving(record);
}

/** The stream learns of the buckets in the very unit that changes them. */
function streamMutations(record: TableRecord, scope: Scope): Mutation[] {
  const stream = streamFollower(record.followers);
  if (stream === undefined) return [];
  const key = streamKey(scope, record.description.tableName, stream.label);
  return [{ kind: 'put', key, value: encodeStream(noteOf(record, scope, stream)) }];
}
