import { MemoryStore } from './storage/memory/memory-store.ts';
import type { Store } from './storage/store.ts';

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

async function openUrl(text: string, nowMicros: () => number): Promise<Store> {
  if (text === 'memory' || text === 'memory:') return new MemoryStore();
  if (text.startsWith('lmdb:')) return openStore({ directory: text.slice('lmdb:'.length) }, nowMicros);
  if (/^postgres(ql)?:\/\//.test(text)) return openStore({ url: text }, nowMicros);
  throw new Error(
    `"${text}" names no store: use memory, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>`,
  );
}
