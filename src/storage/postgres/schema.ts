import { StoreError } from '../store-error.ts';
import { backOff } from './back-off.ts';
import type { Dialect } from './dialect.ts';
import { insufficientPrivilege, missingRight, rightTrouble } from './missing-right.ts';
import type { Session } from './sessions.ts';
import { createStatements, type Tables } from './tables.ts';

/** Format 1 had no fence. */
const format = '2';
const olderFormats = new Set(['1']);
const triesMax = 50;

/** What a session sees of tables that are not there: no such table, no such schema. */
const missing = new Set(['42P01', '3F000']);

/**
 * What a session is told that creates what another one is creating at the same moment. `IF NOT EXISTS` does not
 * prevent it: PostgreSQL looks first and inserts into its catalogue later, where the second insertion fails.
 */
const raced = new Set(['23505', '42P06', '42P07', '42710', '40001', '40P01', 'XX000']);

/**
 * Creates the tables unless they are there, adds those that an older format lacks, and refuses a format that this version
 * does not know.
 */
export async function prepareSchema(
  session: Session,
  t: Tables,
  dialect: Dialect,
  random: () => number,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const found = await readFormat(session, t);
      if (found === format) return await refuseMissingRight(session, t, dialect);
      if (found !== undefined && !olderFormats.has(found))
        throw new StoreError(
          'format',
          `The schema ${t.schema} has format ${found}; this version knows ${format}`,
        );
      await createSchema(session, t);
      for (const statement of createStatements(t, dialect)) await session.execute(statement);
      await session.execute(
        `INSERT INTO ${t.meta} (name, value) VALUES ('format', '${format}')
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      );
    } catch (error) {
      if (stateOf(error) === insufficientPrivilege) throw await rightTrouble(session, t, error);
      if (!raced.has(stateOf(error)) || tries >= triesMax) throw error;
      await backOff(tries, random);
    }
  }
}

/** PostgreSQL wants CREATE on the database even where the schema is there. */
async function createSchema(session: Session, t: Tables): Promise<void> {
  try {
    await session.execute(`CREATE SCHEMA IF NOT EXISTS ${t.schema}`);
  } catch (error) {
    if (stateOf(error) !== insufficientPrivilege) throw error;
    const problem = await missingRight(session, t);
    if (problem !== undefined) throw new StoreError('unavailable', problem, error);
  }
}

/** A role that may only read would start, and fail at the first write. Other engines may not know the question. */
async function refuseMissingRight(session: Session, t: Tables, { name }: Dialect): Promise<void> {
  const problem = name === 'postgresql' ? await missingRight(session, t) : undefined;
  if (problem !== undefined) throw new StoreError('unavailable', problem);
}

async function readFormat(session: Session, t: Tables): Promise<string | undefined> {
  try {
    const rows = await session.execute(`SELECT value FROM ${t.meta} WHERE name = 'format'`);
    return rows[0]?.[0] as string | undefined;
  } catch (error) {
    if (missing.has(stateOf(error))) return undefined;
    // A table of that name with other columns is somebody else's.
    if (stateOf(error) === '42703')
      throw new StoreError('format', `The schema ${t.schema} holds tables that are not Stator's`, error);
    throw error;
  }
}

function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
