import type { Snapshot, Store } from '../../storage/store.ts';

/** Runs something on one committed state of a store. Holds it briefly: see `snapshotAgeMsMax`. */
export async function inOneState<R>(store: Store, run: (state: Snapshot) => Promise<R>): Promise<R> {
  const state = await store.snapshot();
  try {
    return await run(state);
  } finally {
    await state.close();
  }
}
