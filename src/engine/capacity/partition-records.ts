import { parseTableArn } from '../../model/tables/table-arn.ts';
import type { ChangedRecord } from '../../physics/physics.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Store, Unit } from '../../storage/store.ts';
import { type Lease, newLease } from '../background/lease.ts';
import { partitionsKey, partitionsLeaseKey, recordKey } from '../store-keys.ts';
import { decodeRecord, type TableRecord } from '../tables/table-record.ts';
import type { Capacity } from './capacity.ts';

export interface RecordsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly capacity: Capacity;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly stopwatchMs: () => number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Writes the records of partitions that have changed, in the background. Maps change seldom, so nobody waits for this:
 * a process that is killed loses at most the changes of the last seconds. Where several processes share a store, each has
 * a map of its own, since it judges its own traffic, and the one with the lease writes.
 *
 * A store in memory gets the records when it is forked (`flush`), and needs no work in the background.
 */
export class PartitionRecords {
  readonly #deps: RecordsDeps;
  #waiting: Promise<void> | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #lease: Lease;

  constructor(deps: RecordsDeps) {
    this.#deps = deps;
    this.#lease = newLease(deps, deps, partitionsLeaseKey, { termMs: leaseMs, retryMs: leaseMs });
    if (!deps.store.immediate) deps.capacity.onChangedRecord = () => this.#wake();
  }

  #wake(): void {
    if (this.#waiting !== undefined || this.#deps.signal.aborted) return;
    this.#waiting = this.#writeSoon();
  }

  async #writeSoon(): Promise<void> {
    const { pause, signal } = this.#deps;
    await pause(writeAfterMs, signal);
    const isOurs = signal.aborted || (await this.#write());
    if (!isOurs) await pause(leaseMs, signal);
    this.#waiting = undefined;
  }

  /** Writes what has changed and resolves when it is written. */
  async settled(): Promise<void> {
    if (!this.#deps.store.immediate) await this.#write();
  }

  /** Writes what has changed into a store that does everything at once. */
  flush(): void {
    const { store, capacity } = this.#deps;
    if (!store.immediate) return;
    for (const record of capacity.model.takeChangedRecords()) void store.transact(recordUnit(record));
  }

  /** Answers whether the lease is ours. One write at a time, so that an older record never replaces a newer one. */
  #write(): Promise<boolean> {
    const written = this.#writing
      .then(() => this.#leaseAndWrite())
      .catch((error: unknown) => {
        if (!this.#deps.signal.aborted)
          this.#deps.log(
            `Writing the records of partitions failed and will be tried again: ${String(error)}`,
          );
        return true;
      });
    this.#writing = written;
    return written;
  }

  async #leaseAndWrite(): Promise<boolean> {
    const { store, capacity } = this.#deps;
    const { model } = capacity;
    if (!model.hasChangedRecords) return true;
    if (!(await this.#lease.isHeld())) return false;
    const taken = model.takeChangedRecords();
    for (const [at, record] of taken.entries()) {
      try {
        await store.transact(recordUnit(record));
        if (!store.exclusive) this.#noteWritten(record);
      } catch (error) {
        model.giveBack(taken.slice(at));
        throw error;
      }
    }
    return true;
  }

  /** Where several processes share the store, the change log follows the map that is written. */
  #noteWritten({ resource }: ChangedRecord): void {
    const { id, arn, indexName } = resource.identity;
    if (indexName !== undefined) return;
    const { account, region, tableName } = parseTableArn(arn)!;
    this.#deps.capacity.onCut?.({ account, region }, tableName, id.split('/')[0]!);
  }
}

const writeAfterMs = 2_000;
const leaseMs = 30_000;

/** Writes the record of a resource, unless its table or index was deleted meanwhile. */
function recordUnit({ resource, bytes: value }: ChangedRecord): Unit<void> {
  const { id, arn } = resource.identity;
  const [storageId, slotText] = id.split('/') as [string, string];
  const slot = Number(slotText);
  const { account, region, tableName } = parseTableArn(arn)!;
  return {
    reads: [recordKey({ account, region }, tableName)],
    decide: ({ values: [record] }) => ({
      result: undefined,
      mutations:
        record !== undefined && hasSlot(decodeRecord(record), storageId, slot)
          ? [{ kind: 'put', key: partitionsKey(storageId, slot), value }]
          : [],
    }),
  };
}

function hasSlot(record: TableRecord, storageId: string, slot: number): boolean {
  if (record.storageId !== storageId || record.phases.deletingUntil !== undefined) return false;
  return slot === 0 || Object.values(record.slots).includes(slot);
}
