import { checkFormat } from './engine/tables/check-format.ts';
import {
  type Check,
  mustBeBoolean,
  mustBeOneOf,
  mustBeText,
  mustHave,
  type OptionChecks,
  shown,
} from './model/check-options.ts';
import { MemoryStore } from './storage/memory/memory-store.ts';
import type { Store } from './storage/store.ts';

export { DirectoryInUse } from './storage/lmdb/directory-in-use.ts';

/** The place of a database's data: a URL, options, or an open Store. */
export type StoreChoice =
  | 'memory'
  /**
   * `memory:`, `lmdb:./directory` or `postgres://user:password@host/database`. A PostgreSQL URL may name several
   * hosts.
   */
  | (string & {})
  | DirectoryChoice
  | PostgresChoice
  | Store;

interface DirectoryChoice {
  readonly directory: string;
  readonly durability?: 'durable' | 'relaxed';
  readonly shared?: boolean;
}

interface PostgresChoice {
  readonly url: string;
  readonly schema?: string;
}

const directoryChecks: OptionChecks<DirectoryChoice> = {
  directory: mustBeText,
  durability: mustBeOneOf(['durable', 'relaxed']),
  shared: mustBeBoolean,
};

const postgresChecks: OptionChecks<PostgresChoice> = {
  url: (value, name) => {
    if (typeof value !== 'string') return `${name} must be a text, and not ${shown(value)}`;
    // The text may contain a password, so the message does not show it.
    return isPostgres(value) ? undefined : `${name} must be postgres://<user>:<password>@<host>/<database>`;
  },
  schema: mustBeText,
};

/** Checks the option `store`. Texts are checked when they are opened. */
export const mustBeStoreChoice: Check = (value, name) => {
  if (typeof value === 'string') return undefined;
  if (typeof value === 'object' && value !== null) {
    if (typeof (value as Partial<Store>).transact === 'function') return undefined;
    if ('url' in value) return mustHave(postgresChecks)(value, name);
    // A directory is by far the likeliest, so the error for `{ dir: './data' }` suggests `directory`.
    if (Object.keys(value).length > 0 && !Array.isArray(value)) {
      const problem = mustHave(directoryChecks)(value, name);
      if (problem !== undefined || 'directory' in value) return problem;
    }
  }
  return `${name} must be "memory", "lmdb:<directory>", "postgres://…", { directory } or { url }, and not ${shown(value)}`;
};

/** Opens a store for a database. Rejects if another version of Stator wrote its tables. */
export async function openDatabaseStore(choice: StoreChoice, nowMicros: () => number): Promise<Store> {
  const store = await openStore(choice, nowMicros);
  try {
    await checkFormat(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/**
 * Opens a store. It loads an engine on first use: a database in memory needs no native code, and only postgres needs
 * `pg`.
 */
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

/** The directory of a store, or `memory`; undefined if it has neither. */
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
  if (isPostgres(text)) return openStore({ url: text }, nowMicros);
  throw new Error(
    `"${text.replace(/\/\/.*@/, '//***@')}" names no store: use memory, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>`,
  );
}

function isPostgres(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}
