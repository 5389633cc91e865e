import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import { StoreError } from '../store-error.ts';
import { backOff } from './back-off.ts';
import type { SessionPool } from './sessions.ts';
import { failureOf } from './sql-failure.ts';
import { type Beliefs, readAnswer, type Swap } from './swap.ts';

/** A process that was frozen finds its time over, and must be able to ask all the same. */
const askingShareMin = 0.1;

/**
 * What became of a swap whose answer was lost.
 *
 * The first copy may have been committed, may have failed, may be running now, or may still lie in a buffer and run
 * later. Asking the database is not enough, since the first copy may be committed after the question. Instead the
 * very same statement is sent again: same write id, same clock, same expectations. That is safe if the unit compares
 * and writes at least one key K, because then at most one copy can ever be committed:
 *
 * - Copies that run at the same time both write K, and the server ends one of them with SQLSTATE 40001.
 * - A copy that starts after another was committed finds K changed. If K was compared by write id: it carries the
 *   unit's own id now, or that of whoever wrote it since, and ids are never used twice. If K was compared by value:
 *   its version is now at least the unit's clock, versions of a key only grow, and a guess counts only when the
 *   version is below that clock.
 * - If K's row was removed altogether meanwhile, the horizon has risen to at least the version that the copy gave
 *   it, which is at least the unit's clock; and a swap whose clock is not above the horizon gets no verdict.
 *
 * So: committed now means committed once. Refused, and K carries our write id: the first copy was committed. Refused,
 * and another's id stands there: the first copy was committed and overwritten since, or was never committed; nobody
 * can tell, and that is the answer. A unit without such a key must not be sent again at all: the caller throws
 * `unknown` at once.
 *
 * A fail-over changes nothing in this. The new primary's history is a part of the old one's from its beginning, and
 * its own from there. If the first copy is in that part, K carries its id there. If it is not, it never will be: the
 * rest of the old primary's history is gone, and sessions of ours never return to it (`connector.ts`). So the question
 * is asked until there is a primary that answers, and only the deadline ends it. What the loss of the rest may mean
 * for other units is told in docs/postgres-clusters.md.
 */
export async function resolveOutcome(
  swap: Swap,
  believed: Beliefs,
  writers: SessionPool,
  options: {
    /** The time to find out, and when it began: at the first sending, on the clock of `performance`. */
    readonly msMax: number;
    readonly sentMs: number;
    readonly random: () => number;
    readonly cause: unknown;
  },
): Promise<void> {
  if (swap.guarded.size === 0) throw unknown(options.cause);
  const msLeft = options.msMax - (machine.stopwatchMs() - options.sentMs);
  const deadline = new Deadline(Math.max(msLeft, options.msMax * askingShareMin));
  try {
    for (let tries = 1; !deadline.isOver; tries++) {
      await backOff(tries, options.random);
      // An answer that comes later changes nothing: that copy too is committed at most once.
      const outcome = await Promise.race([ask(swap, believed, writers), deadline.over]);
      if (outcome === 'committed') return;
      if (outcome === 'nobody knows') break;
    }
  } finally {
    deadline.clear();
  }
  throw unknown(options.cause);
}

class Deadline {
  readonly over: Promise<'over'>;
  isOver = false;
  #cancel: Cancel | undefined;

  constructor(ms: number) {
    this.over = new Promise((resolve) => {
      this.#cancel = machine.timer(ms, () => {
        this.isOver = true;
        resolve('over');
      });
    });
  }

  clear(): void {
    this.#cancel?.();
  }
}

async function ask(
  swap: Swap,
  believed: Beliefs,
  writers: SessionPool,
): Promise<'committed' | 'nobody knows' | 'ask again'> {
  try {
    // Urgent: somebody has waited for this answer longer than all who have not sent anything yet.
    const answer = await writers.use(
      async (session) => readAnswer(await session.run(swap.statement, swap.values(session.shard)), believed),
      true,
    );
    if (answer.committed) return 'committed';
    for (const i of swap.guarded.keys())
      if (answer.beliefs.keys[i]?.writeId === swap.writeId) return 'committed';
    return 'nobody knows';
  } catch (error) {
    const failure = failureOf(error);
    // A server that is coming back, or another writer: the question stays open and is asked again.
    const open = failure === 'lost' || failure === 'conflict' || failure === 'unavailable';
    return open ? 'ask again' : 'nobody knows';
  }
}

function unknown(cause: unknown): StoreError {
  return new StoreError(
    'unknown-outcome',
    `The connection to PostgreSQL was lost before it told whether the unit was committed`,
    cause,
  );
}
