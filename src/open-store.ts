import { MemoryStore } from './storage/memory/memory-store.ts';
import type { Store } from './storage/store.ts';

export { DirectoryInUse } from './storage/lmdb/directory-in-use.ts';

/** Where a database keeps its data: a URL, options, or a Store that is already open. */
export type StoreChoice =
  | 'memory'
  /** `memory:`, `lmdb:./directory` or `postgres://user:password@host/database`. */
  | (string & {})
  | {
      readonly directory: string;
      readonly durability?: 'durable' | 'relaxed';
      readonly shared?: boolean;
    }
  | { readonly url: string; readonly schema?: string }
  | Store;

/** Engines are loaded when they are used: a database in memory needs no native code, and only postgres needs `pg`. */
export async function openStore(choice: StoreChoice, nowMicros: () => number): Promise<Store> {
  if (typeof choice === 'string') return openUrl(choice, nowMicros);
  if ('transact' in choice) return choice;
  if ('directory' in choice) {
    const { openLmdbStore } = await import('./storage/lmdb/lmdb-store.ts');
    return openLmdbStore(choice);
  }
  const { openPostgresStore } = await import('./storage/postgres/postgres-store.ts');
  return openPostgresStore({ ...choice, nowMicros });
}

/** The directory that a store keeps its data in, or that it is in memory; undefined when there is neither. */
export function storePlace(
  store: Store,
  choice: StoreChoice | undefined,
): { readonly directory: string } | 'memory' | undefined {
  if (store instanceof MemoryStore) return 'memory';
  if (typeof choice === 'string')
    return choice.startsWith('lmdb:') ? { directory: choice.slice('lmdb:'.length) } : undefined;
  return choice !== undefined && 'directory' in choice ? choice : undefined;
}

async function openUrl(text: string, nowMicros: () => number): Promise<Store> {
  if (text === 'memory' || text === 'memory:') return new MemoryStore();
  if (/^lmdb:./.test(text)) return openStore({ directory: text.slice('lmdb:'.length) }, nowMicros);
  if (/^postgres(ql)?:\/\//.test(text)) return openStore({ url: text }, nowMicros);
  throw new Error(
    `"${text}" names no store: use memory, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>`,
  );
}
