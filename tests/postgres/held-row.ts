import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { sql } from './test-store.ts';

/** A row lock that a session beside the store holds: a unit that writes the row stands still in its statement. */
export interface HeldRow {
  release(): Promise<void>;
}

/** Holds the rows of `kv` whose value contains a text. */
export async function holdRow(
  schema: string,
  valueText: string,
  url: string = inject('postgresUrl'),
): Promise<HeldRow> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(
    `SELECT key FROM ${schema}.kv WHERE position($1::bytea in value) > 0 FOR UPDATE`,
    [Buffer.from(valueText)],
  );
  if (rowCount === 0) throw new Error(`No row of ${schema} holds ${valueText}`);
  return {
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}

/** How many statements on a schema wait for a lock at this moment. */
export async function waitingStatements(schema: string, url?: string): Promise<number> {
  const rows = await sql(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE wait_event_type = 'Lock' AND application_name = 'stator' AND query LIKE '%"${schema}"%'`,
    url,
  );
  return rows[0]![0] as number;
}

/** Resolves once a condition holds. Tests that wait for ever are ended by their timeout. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(10);
}
