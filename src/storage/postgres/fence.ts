import { machine } from '../../runtime/machine/machine.ts';
import { StoreError } from '../store-error.ts';
import type { Session, SessionPool } from './sessions.ts';
import { failureOf, troubleOf } from './sql-failure.ts';
import type { Statement } from './statement.ts';
import { shardCount, type Tables } from './tables.ts';

/**
 * The barrier before a change of settings.
 *
 * Nearly every unit is decided on settings, such as a table's epoch, and does not write them. A unit that changes
 * settings must not be committed before each unit that was decided on the older ones has ended: a new index would be
 * filled while a writer that does not know of it is still to commit.
 *
 * The fence is a table of a few rows. A unit W that was decided on settings locks one of them `FOR SHARE` in its swap:
 * the row of its connection, so that writers seldom touch the same one. A unit C that changes settings locks all of
 * them `FOR UPDATE` in its swap, and updates them. Two facts about the server are used:
 *
 * 1. A row lock is held until its transaction has ended, and `FOR SHARE` and `FOR UPDATE` keep each other out.
 * 2. All parts of a statement see one state S. A statement that locks a row which another transaction has updated, and
 *    committed after S, fails with SQLSTATE 40001.
 *
 * Claim: if W is committed and was decided on settings that C replaces, then W has ended before C is committed.
 *
 * - W compares the settings with what they are in its state S. If C was committed before S, W finds the new settings and
 *   writes nothing. So C was not committed when S was taken.
 * - W and C both lock W's row of the fence, and by (1) one of them has ended before the other gets its lock. If that is
 *   W, the claim holds.
 * - If it is C, then C has updated the row and was committed after S, and by (2) W fails.
 *
 * It does not matter how long W stands still, nor where: before its lock it fails when it goes on, after its lock C
 * waits. Nor does it matter whether the client of W is still there, or has lost its answer and sent W again: each copy
 * of W is a W of its own. A unit with a snapshot of its own before C and no swap yet has nothing to commit but a swap,
 * whose S is taken later.
 *
 * Other engines of PostgreSQL's protocol. Citus keeps a schema on one PostgreSQL. YugabyteDB's SERIALIZABLE locks all
 * that is read, so that (1) and (2) hold for the row of the settings itself. CockroachDB's SERIALIZABLE orders W before
 * C by their timestamps without a lock, and every later read sees W in that order; that W has ended as well is what
 * the settings `enable_shared_locking_for_serializable` and `enable_durable_locking_for_serializable` are switched on
 * for (`dialect.ts`).
 *
 * **A unit that stands still** must not keep the other writers waiting, which it would if C waited for it with the
 * other rows of the fence already in its hands. So C waits only for a short time for each row, gives up, and waits for
 * the fence to be free one row at a time, without keeping any; writers pass by a transaction that only waits. Then it
 * tries again. If the fence does not become free, the change fails and nothing is changed.
 *
 * **Not chosen.** To wait for all older snapshots (`pg_snapshot_xmin`), or for older sessions in `pg_stat_activity`:
 * only PostgreSQL itself can tell, and not about the sessions of other users. To wait out the longest time that a
 * statement may take: a frozen server process does not look at its clock, and every new index would take half a minute.
 * To lock the row of the settings: every writer would write to one row, and PostgreSQL would have to keep a list of all
 * who share it. Advisory locks: a statement sees a state of before it got them, so (2) fails.
 */
export class Fence {
  readonly #writers: SessionPool;
  readonly #msMax: number;
  readonly #wait: Statement;

  /** A change of settings waits for `msMax` for units that were decided on older settings. */
  constructor(t: Tables, writers: SessionPool, msMax: number) {
    this.#writers = writers;
    this.#msMax = msMax;
    this.#wait = { name: 'fence-wait', text: `SELECT shard FROM ${t.fence} WHERE shard = $1 FOR UPDATE` };
  }

  /** Runs a statement that takes the fence; `isHeld` tells of its failure that it did not get it in time. */
  async take<T>(session: Session, work: () => Promise<T>): Promise<T> {
    return await withLockTimeout(session, work);
  }

  /** A moment after which nobody waits for the fence any more. */
  deadline(): AbortSignal {
    return machine.deadline(this.#msMax);
  }

  /** Waits until every unit has let go of the fence that holds a part of it now. */
  async drain(deadline: AbortSignal): Promise<void> {
    await this.#writers.use((session) =>
      withLockTimeout(session, async () => {
        for (let shard = 0; shard < shardCount; ) {
          if (deadline.aborted) throw stillHeld(this.#msMax);
          if (await this.#isFree(session, shard)) shard++;
        }
      }),
    );
  }

  async #isFree(session: Session, shard: number): Promise<boolean> {
    try {
      await session.run(this.#wait, [shard]);
      return true;
    } catch (error) {
      if (failureOf(error) !== 'conflict') throw troubleOf(error);
      // Who was overtaken by another change of settings has waited for all that it waited for.
      return !isHeld(error);
    }
  }
}

/** Whether a statement failed because it did not get a lock in time. */
export function isHeld(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '55P03';
}

/** How long a change of settings keeps writers waiting at most, each time that it tries. */
const lockMsMax = 100;

async function withLockTimeout<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.execute(`SET lock_timeout = ${lockMsMax}`);
  try {
    return await work();
  } finally {
    // A connection that cannot do this is broken, and not used again.
    await session.execute('RESET lock_timeout').catch(() => {});
  }
}

function stillHeld(ms: number): StoreError {
  return new StoreError(
    'unavailable',
    `The settings of a table cannot be changed: a write that began before has not ended for ${ms} ms`,
  );
}
