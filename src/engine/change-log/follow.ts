import type { Store } from '../../storage/store.ts';
import { backOffMs } from '../background/background-worker.ts';
import type { Listener } from './log-arrivals.ts';
import { bucketName, isOpenBucket, type LogBucket, type LogLayout } from './log-layout.ts';
import { type LoggedChange, readBucket } from './read-bucket.ts';

export interface FollowedChange extends LoggedChange {
  readonly bucket: number;
  /** The generation of the bucket. */
  readonly generation: number;
}

export interface FollowDeps {
  readonly store: Store;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface FollowPlan {
  readonly storageId: string;
  /** The position after which to begin, by the number of the bucket; 0 beyond the last one. */
  readonly positions: readonly number[];
  /** The first epoch whose changes are wanted. */
  readonly since: number;
  readonly listener: Listener;
  /** The buckets of the log as they are now. */
  layout(): Promise<LogLayout>;
  readonly signal: AbortSignal;
  /** Asked whenever there is nothing more to read: whether anything can follow. */
  isOver(): Promise<boolean>;
}

/**
 * The changes of a table as they come: those of a bucket, and so of an item, in their order, and from each bucket a few
 * in turn. A bucket that was closed is read to its end before those that took its place. Waits for the writers of this
 * process to ring; those of others cannot, so that a store which they may write to is looked at from time to time, less
 * often the longer nothing comes.
 */
export async function* follow(deps: FollowDeps, plan: FollowPlan): AsyncGenerator<FollowedChange> {
  const positions = [...plan.positions];
  /** The closed buckets that were read to their ends. */
  const finished = new Set<number>();
  let layout: LogLayout = await plan.layout();
  let isEnding = false;
  for (let rounds = 0, idleRounds = 0; !plan.signal.aborted; rounds++) {
    let found = 0;
    for (const bucket of layout) {
      const { number, generation } = bucket;
      if (finished.has(number) || isWaiting(layout, bucket, finished)) continue;
      const name = bucketName(plan.storageId, number);
      const page = await readBucket(deps.store, name, positions[number] ?? 0, inTurnMax);
      // Nothing is appended to a bucket that was closed before it was read.
      if (page.length === 0 && !isOpenBucket(bucket)) finished.add(number);
      found += page.length;
      for (const logged of page) {
        if (plan.signal.aborted) return;
        positions[number] = logged.position;
        if (logged.change.epoch >= plan.since) yield { bucket: number, generation, ...logged };
      }
    }
    if (found > 0) {
      idleRounds = 0;
      // Where some bucket is never at rest, others may have been split all the same.
      if (rounds % layoutRounds === 0) layout = await plan.layout();
      continue;
    }
    if (isEnding) return;
    const before = layout;
    // What came before the end is read once more after it was seen.
    isEnding = await plan.isOver();
    layout = await plan.layout();
    if (!isEnding && layout.length === before.length) await rest(deps, plan, idleRounds++);
  }
}

/**
 * Whether a bucket is to be read after another one: after its parent or, where it has none, after all buckets that were
 * closed before it was opened, since they held changes of the same items for followers of before.
 */
function isWaiting(layout: LogLayout, { parent, since }: LogBucket, finished: ReadonlySet<number>): boolean {
  return layout.some(
    ({ number, until }) =>
      !finished.has(number) &&
      (parent === undefined ? until !== undefined && until <= since : number === parent),
  );
}

/** How many changes of one bucket stand together while others have some too. */
const inTurnMax = 16;
/** How many rounds of reading begin with the same buckets at most. */
const layoutRounds = 16;
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
