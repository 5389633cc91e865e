import { ABORT } from 'lmdb';
import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import {
  type Bytes,
  type CallOptions,
  type LogRecord,
  type Outcome,
  type RangePage,
  type RangeRequest,
  type Snapshot,
  type Store,
  storeLimits,
  type Unit,
} from '../store.ts';
import { StoreError } from '../store-error.ts';
import { GroupCommit, type Job } from './group-commit.ts';
import {
  type ByteDatabase,
  type Environment,
  type LmdbOptions,
  openEnvironment,
  type Transaction,
} from './lmdb-environment.ts';
import { guarded, readCounters, readRange, readValue, readValues } from './lmdb-reads.ts';
import { asTrouble } from './lmdb-trouble.ts';
import { logKey, logPosition, readNumber } from './log-keys.ts';
import { unseal } from './sealed-value.ts';
import { WriterWait } from './writer-wait.ts';

export type { LmdbOptions } from './lmdb-environment.ts';

export async function openLmdbStore(options: LmdbOptions): Promise<Store> {
  return new LmdbStore(await openEnvironment(options), options.shared ?? false);
}

/**
 * The Store on LMDB, the embedded default.
 *
 * Reads are answered at once from the mapped file. Writes go through one queue. While LMDB's writer thread syncs a
 * commit, arriving units wait, and then share the next commit, so that many writers pay for one sync. Each unit is
 * acknowledged after its sync. A group runs in a child transaction because only that can be rolled back: a plain LMDB
 * transaction keeps what was written before its callback failed.
 */
class LmdbStore implements Store {
  readonly exclusive: boolean;
  readonly immediate = false;
  readonly #environment: Environment;
  readonly #queue: Job[] = [];
  readonly #snapshots = new Set<LmdbSnapshot>();
  #committing = false;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(environment: Environment, shared: boolean) {
    this.#environment = environment;
    this.exclusive = !shared;
    environment.heartbeat.ownerEnded = () => {
      // If LMDB's lock cannot be taken, the next write says why.
      if (this.#closing === undefined) this.finishLostCommit().catch(() => {});
    };
  }

  get(key: Bytes): Bytes | undefined {
    return readValue(this.#reading(), key, undefined);
  }

  getMany(keys: readonly Bytes[]): (Bytes | undefined)[] {
    return readValues(this.#reading(), keys, undefined);
  }

  counters(keys: readonly Bytes[]): number[] {
    return readCounters(this.#reading(), keys, undefined);
  }

  range(request: RangeRequest): RangePage {
    return readRange(this.#reading(), request, undefined);
  }

  transact<R>(unit: Unit<R>, options?: CallOptions): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#enqueue({
        unit: unit as Unit<unknown>,
        signal: options?.signal,
        resolve: resolve as Job['resolve'],
        reject,
      });
    });
  }

  transactMany<R>(units: readonly Unit<R>[], options?: CallOptions): Promise<Outcome<R>[]> {
    this.#open();
    return Promise.all(
      units.map((unit) =>
        this.transact(unit, options).then(
          (result): Outcome<R> => ({ ok: true, result }),
          (error: unknown): Outcome<R> => ({ ok: false, error }),
        ),
      ),
    );
  }

  async deleteRange(from: Bytes, to: Bytes, options?: CallOptions): Promise<number> {
    const { counters, values } = this.#open();
    await this.#deleteInSteps(counters, from, to, options);
    return this.#deleteInSteps(values, from, to, options);
  }

  readLog(bucket: Bytes, after: number, limit: number): LogRecord[] {
    const environment = this.#reading();
    const records: LogRecord[] = [];
    if (limit < 1) return records;
    const range = { start: logKey(bucket, after + 1), end: logKey(bucket, Number.MAX_SAFE_INTEGER), limit };
    return guarded(environment, () => {
      for (const { key, value } of environment.log.getRange(range))
        records.push({ position: logPosition(key), record: unseal(key, value) });
      return records;
    });
  }

  logEnd(bucket: Bytes): number {
    const environment = this.#reading();
    return guarded(environment, () => readNumber(environment.logHeads.getBinary(bucket)));
  }

  async trimLog(bucket: Bytes, through: number, options?: CallOptions): Promise<void> {
    await this.#deleteInSteps(this.#open().log, logKey(bucket, 0), logKey(bucket, through + 1), options);
  }

  /**
   * Runs an empty unit, which writes nothing. LMDB publishes a commit in two steps: it writes the meta page and syncs
   * it, then it sets the number of the latest transaction in the memory that all processes share. Readers go by the
   * number. If a process is killed between the steps, its commit is in the file and no reader sees it, until the next
   * process that takes the writer's lock finds the dead owner and sets the number from the meta page.
   */
  async finishLostCommit(): Promise<void> {
    await this.transact({ reads: [], decide: () => ({ result: undefined, mutations: [] }) });
  }

  snapshot(): Snapshot {
    const snapshot: LmdbSnapshot = new LmdbSnapshot(this.#reading(), () => this.#snapshots.delete(snapshot));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    for (const snapshot of this.#snapshots) snapshot.close();
    if (this.#committing) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#environment.release();
  }

  #open(): Environment {
    if (this.#closing !== undefined) throw new StoreError('closed', 'The store is closed');
    return this.#environment;
  }

  #reading(): Environment {
    const environment = this.#open();
    // LMDB's JavaScript side reuses one read transaction for a moment. Our own commits renew it; those of another
    // process do not, and a read must see what that process has acknowledged.
    if (!this.exclusive) environment.values.resetReadTxn();
    return environment;
  }

  #enqueue(job: Job): void {
    this.#open();
    this.#queue.push(job);
    if (!this.#committing) void this.#commitAll();
  }

  async #commitAll(): Promise<void> {
    this.#committing = true;
    while (this.#queue.length > 0) await this.#commitGroup();
    this.#committing = false;
    this.#idle?.();
  }

  /** Runs a group of jobs in one commit and settles each with its outcome. Never rejects. */
  async #commitGroup(): Promise<void> {
    const environment = this.#environment;
    let group: Job[] = [];
    const outcomes: Outcome<unknown>[] = [];
    let failure: unknown;
    let wait: WriterWait | undefined;
    try {
      environment.heartbeat.checkPresence('unavailable');
      const committed = environment.root.childTransaction(() => {
        wait?.end();
        // The group is taken only now, so that all jobs that arrived while the writer thread got ready share this
        // commit.
        try {
          const commit = new GroupCommit(environment);
          for (const job of this.#queue) {
            if (group.length === groupLengthMax || commit.bytes >= groupBytesMax) break;
            group.push(job);
            outcomes.push(commit.run(job));
          }
          commit.end();
          return undefined;
        } catch (error) {
          failure = error;
          return ABORT as unknown as undefined;
        } finally {
          this.#queue.splice(0, group.length);
        }
      });
      wait = new WriterWait(environment.file);
      await committed;
      // A commit into a file that was removed meanwhile may be lost.
      environment.heartbeat.checkPresence('unknown-outcome');
    } catch (error) {
      wait?.end();
      failure = await commitFailure(error);
      // The transaction could not even begin, so all waiting jobs fail.
      if (group.length === 0) group = this.#queue.splice(0);
    }
    for (let i = 0; i < group.length; i++) {
      const job = group[i]!;
      const outcome = outcomes[i];
      if (failure !== undefined) job.reject(asTrouble(failure, environment.directory));
      else if (outcome?.ok) job.resolve(outcome.result);
      else job.reject(outcome?.error);
    }
  }

  async #deleteInSteps(
    database: ByteDatabase,
    from: Bytes,
    to: Bytes,
    options?: CallOptions,
  ): Promise<number> {
    for (let deleted = 0; ; ) {
      const step = await this.#deleteStep(database, from, to, options);
      deleted += step;
      if (step < keysPerStep) return deleted;
    }
  }

  /**
   * Runs one step of a range delete. It waits in the queue like any unit, so that other writers get their turn in
   * between.
   */
  #deleteStep(database: ByteDatabase, from: Bytes, to: Bytes, options?: CallOptions): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      const remove = () => {
        const keys = [...database.getKeys({ start: from, end: to, limit: keysPerStep })];
        for (const key of keys) void database.remove(key);
        return keys.length;
      };
      this.#enqueue({ remove, signal: options?.signal, resolve: resolve as Job['resolve'], reject });
    });
  }
}

class LmdbSnapshot implements Snapshot {
  readonly #environment: Environment;
  readonly #forget: () => void;
  readonly #cancelExpiry: Cancel;
  #transaction: Transaction | undefined;

  constructor(environment: Environment, forget: () => void) {
    this.#environment = environment;
    this.#forget = forget;
    this.#transaction = environment.values.useReadTransaction();
    this.#cancelExpiry = machine.after(storeLimits.snapshotAgeMsMax, () => this.close());
  }

  get(key: Bytes): Bytes | undefined {
    return readValue(this.#environment, key, this.#open());
  }

  getMany(keys: readonly Bytes[]): (Bytes | undefined)[] {
    return readValues(this.#environment, keys, this.#open());
  }

  counters(keys: readonly Bytes[]): number[] {
    return readCounters(this.#environment, keys, this.#open());
  }

  range(request: RangeRequest): RangePage {
    return readRange(this.#environment, request, this.#open());
  }

  close(): void {
    this.#cancelExpiry();
    this.#transaction?.done();
    this.#transaction = undefined;
    this.#forget();
  }

  #open(): Transaction {
    if (this.#transaction === undefined)
      throw new StoreError(
        'closed',
        'The snapshot was closed, by its owner or because it was held for too long',
      );
    return this.#transaction;
  }
}

/** The most jobs in one commit. The event loop is blocked while they run. */
const groupLengthMax = 256;
/** A group takes no more jobs after so many bytes of values. Units decode and encode what they read and write. */
const groupBytesMax = 4 * 1024 * 1024;
/** The keys per step of a range delete. A step blocks others for a few milliseconds only. */
const keysPerStep = 1_000;

/**
 * Finds the cause of a failed commit. LMDB's JavaScript side rejects with a general message and keeps the cause in a
 * promise.
 */
async function commitFailure(error: unknown): Promise<unknown> {
  const cause = (error as { commitError?: Promise<never> }).commitError;
  if (cause === undefined) return error;
  try {
    return await cause;
  } catch (inner) {
    return inner;
  }
}
