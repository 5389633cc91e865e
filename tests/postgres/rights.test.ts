import { describe, expect, inject, it } from 'vitest';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { freshSchema, openTestStore, sql } from './test-store.ts';

/** Another role on the run's server, without any right of its own. */
async function newRole(): Promise<{ role: string; url: string }> {
  const role = `role_${freshSchema()}`;
  await sql(`CREATE ROLE ${role} LOGIN`);
  const url = new URL(inject('postgresUrl'));
  url.username = role;
  return { role, url: url.href };
}

const opened = async (url: string, schema: string): Promise<unknown> => {
  try {
    await (await openPostgresStore({ url, schema })).close();
    return 'open';
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as StoreError).message;
  }
};

describe('a role without a right', () => {
  it('is told which right it lacks on what, and starts once it has it', async () => {
    const { role, url } = await newRole();
    const schema = freshSchema();
    expect(await opened(url, schema)).toMatch(
      new RegExp(
        `^The role ${role} may not create the schema "${schema}" in the database \\w+: it needs CREATE`,
      ),
    );
    await sql(`CREATE SCHEMA ${schema}`);
    expect(await opened(url, schema)).toContain(
      `it needs USAGE and CREATE on the schema (GRANT USAGE, CREATE ON SCHEMA "${schema}" TO ${role})`,
    );
    await sql(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    expect(await opened(url, schema)).toMatch(
      /may not create tables .* it needs CREATE on the schema \(GRANT CREATE/,
    );
    await sql(`GRANT CREATE ON SCHEMA ${schema} TO ${role}`);
    expect(await opened(url, schema)).toBe('open');
  });

  it('is refused at the start when the tables are those of another role', async () => {
    const { role, url } = await newRole();
    const schema = freshSchema();
    await (await openTestStore({ schema })).close();
    await sql(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await sql(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    expect(await opened(url, schema)).toContain(
      `it needs SELECT, INSERT, UPDATE and DELETE on them (GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO ${role})`,
    );
    await sql(`GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    expect(await opened(url, schema)).toBe('open');
  });
});
