import type { Store } from '../../storage/store.ts';
import type { JobKind } from '../background/job-runner.ts';
import { droppedEntries, droppedRange } from '../store-keys.ts';

/** Removes the entries of dropped tables and indexes. Each drop commits a note, which is deleted after the entries. */
export function droppedEntriesJobs(store: Store, signal: AbortSignal): JobKind {
  return {
    name: 'Removing the entries of a dropped table or index',
    range: droppedRange,
    isUnderWay: () => true,
    // One step: `deleteRange` leaves time to others by itself.
    async *steps(_, key) {
      const { from, to } = droppedEntries(key);
      await store.deleteRange(from, to, { signal });
      await store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
      });
    },
  };
}
