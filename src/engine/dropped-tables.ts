import { keyAfter } from '../model/bytes.ts';
import type { Store } from '../storage/store.ts';
import { droppedRange, tableRange } from './store-keys.ts';
import { decodeRecord } from './table-record.ts';

/**
 * Removes the data of dropped tables. The note that a table was dropped is committed with its end and goes only
 * after its data is gone, so that a process killed in between leaves the work to the next one. Several processes
 * may do the same work at once; it is the same either way.
 */
export async function removeDroppedTables(store: Store, signal?: AbortSignal): Promise<void> {
  for (let from: Uint8Array = droppedRange.from; ; ) {
    const page = await store.range({ from, to: droppedRange.to, limit: 100 });
    for (const { key, value } of page.entries) {
      const range = tableRange(decodeRecord(value).storageId);
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
