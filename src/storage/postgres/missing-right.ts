import { StoreError } from '../store-error.ts';
import type { Session } from './sessions.ts';
import type { Tables } from './tables.ts';

/** The SQLSTATE of a statement for which the role lacks a right. */
export const insufficientPrivilege = '42501';

/**
 * The right that the role of a session lacks, as a sentence with the statement that grants it; undefined if it has all. It is
 * found by asking, not from the server's message, which may be in any language.
 */
export async function missingRight(session: Session, t: Tables): Promise<string | undefined> {
  const name = literal(t.schema.slice(1, -1).replaceAll('""', '"'));
  const [[role, database, hasSchema, mayCreateSchema] = []] = await session.execute(
    `SELECT quote_ident(current_user), quote_ident(current_database()),
            EXISTS (SELECT FROM pg_namespace WHERE nspname = ${name}),
            has_database_privilege(current_database(), 'CREATE')`,
  );
  if (hasSchema !== true) {
    if (mayCreateSchema === true) return undefined;
    return `The role ${role} may not create the schema ${t.schema} in the database ${database}: it needs CREATE on the database (GRANT CREATE ON DATABASE ${database} TO ${role}), or a schema that is there and on which it has USAGE and CREATE`;
  }
  const [[mayUse, mayCreate] = []] = await session.execute(
    `SELECT has_schema_privilege(${name}, 'USAGE'), has_schema_privilege(${name}, 'CREATE')`,
  );
  const grant = (rights: string, on: string) => `GRANT ${rights} ON ${on} TO ${role}`;
  if (mayUse !== true)
    return `The role ${role} may not use the schema ${t.schema} of the database ${database}: it needs USAGE and CREATE on the schema (${grant('USAGE, CREATE', `SCHEMA ${t.schema}`)})`;
  const { schema: _, ...tables } = t;
  const wanted = Object.values(tables).map(literal);
  const [[there, allowed] = []] = await session.execute(
    `SELECT count(found)::int, bool_and(has_table_privilege(found, 'SELECT') AND has_table_privilege(found, 'INSERT')
              AND has_table_privilege(found, 'UPDATE') AND has_table_privilege(found, 'DELETE'))
       FROM (SELECT to_regclass(name)::oid AS found FROM unnest(ARRAY[${wanted.join(', ')}]) AS name) AS each
      WHERE found IS NOT NULL`,
  );
  if (Number(there) < wanted.length && mayCreate !== true)
    return `The role ${role} may not create tables in the schema ${t.schema} of the database ${database}: it needs CREATE on the schema (${grant('CREATE', `SCHEMA ${t.schema}`)})`;
  if (allowed === false)
    return `The role ${role} may not read and write the tables of the schema ${t.schema} of the database ${database}: it needs SELECT, INSERT, UPDATE and DELETE on them (${grant('SELECT, INSERT, UPDATE, DELETE', `ALL TABLES IN SCHEMA ${t.schema}`)})`;
  return undefined;
}

/** The trouble that a refused statement is, with the right that is missing where the engine tells. */
export async function rightTrouble(session: Session, t: Tables, error: unknown): Promise<StoreError> {
  const found = await missingRight(session, t).catch(() => undefined);
  const text =
    found ?? `The role of the URL lacks a right on the schema ${t.schema}: ${(error as Error).message}`;
  return new StoreError('unavailable', text, error);
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
