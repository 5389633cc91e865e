import { type CheckOptions, checkDatabase } from './engine/check/check-database.ts';
import type { CheckReport } from './engine/check/check-report.ts';
import { newHash16 } from './hash16.ts';
import { openStore, type StoreChoice } from './open-store.ts';
import { machine, nextTurn } from './runtime/machine/machine.ts';

/**
 * Opens a store, checks its database and closes it again. Starts none of the database's background work. Returns
 * undefined if a directory contains no data.
 */
export async function checkStore(
  choice: StoreChoice,
  options: CheckOptions = {},
): Promise<CheckReport | undefined> {
  if (typeof choice === 'object' && 'directory' in choice) {
    const { hasData } = await import('./storage/lmdb/current-file.ts');
    if (!hasData(choice.directory)) return undefined;
  }
  const store = await openStore(choice, () => machine.nowMs() * 1000);
  try {
    return await checkDatabase(store, newHash16(), {
      ...options,
      nowMs: machine.stopwatchMs,
      pause: () => nextTurn(),
      standsStill: store.exclusive,
    });
  } finally {
    await store.close();
  }
}
