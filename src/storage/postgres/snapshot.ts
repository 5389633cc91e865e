import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import { type Bytes, type RangePage, type RangeRequest, type Snapshot, storeLimits } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { StatementReader } from './reader.ts';
import type { SessionPool } from './sessions.ts';
import { troubleOf } from './sql-failure.ts';
import type { Tables } from './tables.ts';

/**
 * One committed state, held by a transaction on a connection of its own. The transaction sees the state of its first
 * read, which therefore comes with its beginning, in one round trip.
 */
export class TransactionSnapshot implements Snapshot {
  readonly #reader: StatementReader;
  readonly #rollBack: () => Promise<unknown>;
  readonly #release: () => void;
  readonly #onClose: (snapshot: TransactionSnapshot) => void;
  readonly #cancelExpiry: Cancel;
  readonly #calls = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  static async open(
    sessions: SessionPool,
    tables: Tables,
    onClose: (snapshot: TransactionSnapshot) => void,
  ): Promise<TransactionSnapshot> {
    const { session, release } = await sessions.acquire();
    try {
      await session.execute(
        `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SELECT version FROM ${tables.horizon} WHERE id = 0`,
      );
    } catch (error) {
      release();
      throw troubleOf(error);
    }
    const reader = new StatementReader(tables, session.run);
    return new TransactionSnapshot(reader, () => session.execute('ROLLBACK'), release, onClose);
  }

  private constructor(
    reader: StatementReader,
    rollBack: () => Promise<unknown>,
    release: () => void,
    onClose: (snapshot: TransactionSnapshot) => void,
  ) {
    this.#reader = reader;
    this.#rollBack = rollBack;
    this.#release = release;
    this.#onClose = onClose;
    this.#cancelExpiry = machine.after(storeLimits.snapshotAgeMsMax, () => void this.close());
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    return this.#call(() => this.#reader.get(key));
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return this.#call(() => this.#reader.getMany(keys));
  }

  counters(keys: readonly Bytes[]): Promise<number[]> {
    return this.#call(() => this.#reader.counters(keys));
  }

  range(request: RangeRequest): Promise<RangePage> {
    return this.#call(() => this.#reader.range(request));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new StoreError('closed', 'The snapshot is closed');
    const call = work();
    this.#calls.add(call);
    try {
      return await call;
    } catch (error) {
      throw troubleOf(error);
    } finally {
      this.#calls.delete(call);
    }
  }

  async #end(): Promise<void> {
    this.#cancelExpiry();
    await Promise.allSettled(this.#calls);
    // A connection that is lost has rolled back by itself.
    await this.#rollBack().catch(() => {});
    this.#release();
    this.#onClose(this);
  }
}
