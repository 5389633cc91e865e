import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/storage/postgres/postgres-store.ts';
import type { Store } from '../../src/storage/store.ts';

/** A schema name that no other test uses. */
export function freshSchema(): string {
  return `t_${randomUUID().replaceAll('-', '')}`;
}

/** Opens a store on the run's server. Schemas are not removed: the server goes with the run. */
export async function openTestStore(options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  return await openPostgresStore({ url: inject('postgresUrl'), schema: freshSchema(), ...options });
}

/** Runs plain SQL beside the store. */
export async function sql(text: string, url: string = inject('postgresUrl')): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}
