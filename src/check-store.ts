import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CheckOptions, checkDatabase } from './engine/check/check-database.ts';
import type { CheckReport } from './engine/check/check-report.ts';
import { newHash16 } from './hash16.ts';
import { openStore, type StoreChoice } from './open-store.ts';

/**
 * Opens a store, checks the database in it and closes it again, without beginning any of the work that a database
 * does in the background. Undefined when there is no data in a directory.
 */
export async function checkStore(
  choice: StoreChoice,
  options: CheckOptions = {},
): Promise<CheckReport | undefined> {
  if (typeof choice === 'object' && 'directory' in choice) {
    const { hasData } = await import('./storage/lmdb/current-file.ts');
    if (!hasData(choice.directory)) return undefined;
  }
  const store = await openStore(choice, () => Date.now() * 1000);
  try {
    return await checkDatabase(store, newHash16(), {
      ...options,
      nowMs: () => performance.now(),
      pause: () => nextTurn(),
      standsStill: store.exclusive,
    });
  } finally {
    await store.close();
  }
}
