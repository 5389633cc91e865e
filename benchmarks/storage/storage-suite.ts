import { startPostgres } from '../../tests/postgres/server.ts';
import { collectGarbage, type Result, type Settings } from '../compare.ts';
import { compareLmdb } from './lmdb.ts';
import { compareMemory, type ForkResult } from './memory.ts';
import { comparePostgres } from './postgres.ts';

export const storeNames = ['memory', 'lmdb', 'postgres'] as const;
export type StoreName = (typeof storeNames)[number];

export interface StorageSettings extends Settings {
  readonly items: readonly number[];
  readonly stores: readonly StoreName[];
  /** A server to use; without one, a private one is started. */
  readonly postgresUrl?: string;
}

export interface StorageReport {
  readonly results: readonly Result[];
  readonly forks: readonly ForkResult[];
  /** What was not measured, and why. */
  readonly notes: readonly string[];
}

/** Every store beside its raw engine, at every size. */
export async function runStorageSuite(
  settings: StorageSettings,
  onProgress: (what: string) => void,
): Promise<StorageReport> {
  const results: Result[] = [];
  const forks: ForkResult[] = [];
  const notes: string[] = [];
  const chosen = (store: StoreName) => settings.stores.includes(store);
  for (const count of settings.items) {
    if (chosen('memory')) {
      onProgress(`memory, ${count} items`);
      const measured = await compareMemory(count, settings);
      results.push(...measured.results);
      forks.push(measured.fork);
      collectGarbage();
    }
    if (chosen('lmdb')) {
      onProgress(`lmdb, ${count} items`);
      results.push(...(await compareLmdb(count, settings)));
    }
  }
  if (chosen('postgres'))
    await onServer(settings.postgresUrl, notes, async (url) => {
      // The server's own work hides the size of a table; one size that is large enough says as much as three.
      const count = Math.min(Math.max(...settings.items), 100_000);
      onProgress(`postgres, ${count} items`);
      results.push(...(await comparePostgres(url, count, settings)));
    });
  return { results, forks, notes };
}

async function onServer(
  url: string | undefined,
  notes: string[],
  measure: (url: string) => Promise<void>,
): Promise<void> {
  if (url !== undefined) return measure(url);
  const server = await startPostgres().catch((error: unknown) => {
    notes.push(`postgres was not measured: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  try {
    if (server !== undefined) await measure(server.url);
  } finally {
    await server?.stop();
  }
}
