import { keyAfter } from '../model/bytes.ts';
import type { Store } from '../storage/store.ts';
import { droppedEntries, droppedRange } from './store-keys.ts';

/**
 * Removes the entries of dropped tables and indexes. The note that something was dropped is committed with its end and
 * goes only after the entries are gone, so that a process killed in between leaves the work to the next one. Several
 * processes may do the same work at once; it is the same either way.
 */
export async function removeDroppedEntries(store: Store, signal?: AbortSignal): Promise<void> {
  for (let from: Uint8Array = droppedRange.from; ; ) {
    const page = await store.range({ from, to: droppedRange.to, limit: 100 });
    for (const { key } of page.entries) {
      const range = droppedEntries(key);
      await store.deleteRange(range.from, range.to, signal && { signal });
      await store.transact({
        reads: [],
        decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
      });
    }
    if (!page.more) return;
    from = keyAfter(page.entries.at(-1)!.key);
  }
}
