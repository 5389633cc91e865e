import type { Store } from '../../storage/store.ts';
import { backOffMs } from '../background/background-worker.ts';
import type { Listener } from './log-arrivals.ts';
import { bucketsPerTable, logBucket } from './log-buckets.ts';
import { type LoggedChange, readBucket } from './read-bucket.ts';

export interface FollowedChange extends LoggedChange {
  readonly bucket: number;
}

export interface FollowDeps {
  readonly store: Store;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface FollowPlan {
  readonly storageId: string;
  /** For each bucket the position after which to begin. */
  readonly positions: readonly number[];
  /** The first epoch whose changes are wanted. */
  readonly since: number;
  readonly listener: Listener;
  readonly signal: AbortSignal;
  /** Asked whenever there is nothing more to read: whether anything can follow. */
  isOver(): Promise<boolean>;
}

/**
 * The changes of a table as they come: those of a bucket, and so of an item, in their order, and from each bucket a few
 * in turn. Waits for the writers of this process to ring; those of others cannot, so that a store which they may write
 * to is looked at from time to time, less often the longer nothing comes.
 */
export async function* follow(deps: FollowDeps, plan: FollowPlan): AsyncGenerator<FollowedChange> {
  const positions = [...plan.positions];
  for (let idleRounds = 0; !plan.signal.aborted; ) {
    let found = 0;
    for (let bucket = 0; bucket < bucketsPerTable; bucket++) {
      const page = await readBucket(
        deps.store,
        logBucket(plan.storageId, bucket),
        positions[bucket]!,
        inTurnMax,
      );
      found += page.length;
      for (const logged of page) {
        if (plan.signal.aborted) return;
        positions[bucket] = logged.position;
        if (logged.change.epoch >= plan.since) yield { bucket, ...logged };
      }
    }
    if (found > 0) {
      idleRounds = 0;
      continue;
    }
    if (await plan.isOver()) return;
    await rest(deps, plan, idleRounds++);
  }
}

/** How many changes of one bucket stand together while others have some too. */
const inTurnMax = 16;
const poll = { minMs: 50, maxMs: 2_000 };

async function rest(
  { store, pause }: FollowDeps,
  { listener, signal }: FollowPlan,
  idleRounds: number,
): Promise<void> {
  if (store.exclusive) return listener.wait(signal);
  const resting = new AbortController();
  const either = AbortSignal.any([signal, resting.signal]);
  await Promise.race([listener.wait(either), pause(backOffMs(poll, idleRounds), either)]);
  resting.abort();
}
