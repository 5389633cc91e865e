import type { Store } from '../../storage/store.ts';
import { pagesOf } from '../check/range-pages.ts';
import { droppedEntries, droppedRange } from '../store-keys.ts';

/**
 * Removes the entries of dropped tables and indexes. Each drop commits a note, which is deleted after the entries. If
 * the process is killed in between, the next one finishes the work. Several processes may do the same work at once.
 */
export async function removeDroppedEntries(store: Store, signal: AbortSignal): Promise<void> {
  for await (const notes of pagesOf(store, droppedRange.from, droppedRange.to))
    for (const { key } of notes) {
      const { from, to } = droppedEntries(key);
      await store.deleteRange(from, to, { signal });
      await store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
      });
    }
}
