import { expect, test } from 'vitest';
import { dialectOf, settingsQuery } from './dialect.ts';
import { createStatements, tablesIn } from './tables.ts';

test('each engine is told by its version', () => {
  expect(dialectOf('PostgreSQL 18.4 on x86_64-pc-linux-gnu').name).toBe('postgresql');
  expect(dialectOf('PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64').name).toBe('yugabytedb');
  expect(dialectOf('CockroachDB CCL v25.1.0 (x86_64-pc-linux-gnu)').name).toBe('other');
});

test('only YugabyteDB is asked for ascending keys, and only PostgreSQL for planner settings', () => {
  const yugabyte = dialectOf('PostgreSQL 15.12-YB-2025.1.0.0-b0');
  const postgres = dialectOf('PostgreSQL 18.4');
  const tables = tablesIn('stator');
  expect(createStatements(tables, yugabyte).join()).toContain('PRIMARY KEY (bucket ASC, position ASC)');
  expect(createStatements(tables, postgres).join()).not.toContain('ASC');
  expect(settingsQuery(yugabyte)).toBeUndefined();
  expect(settingsQuery(postgres)).toContain(`('enable_seqscan', 'off')`);
});

test('every engine is asked for recovery, and PostgreSQL for its timeline', () => {
  expect(dialectOf('PostgreSQL 18.4').standingQueries).toEqual(['identity', 'recovery', 'readOnly']);
  for (const version of ['PostgreSQL 15.12-YB-2025.1.0.0-b0', 'CockroachDB CCL v25.1.0'])
    expect(dialectOf(version).standingQueries).toEqual(['recovery', 'readOnly']);
});

test('a schema name cannot leave its quotes', () => {
  expect(tablesIn('a"; DROP TABLE b; --').kv).toBe('"a""; DROP TABLE b; --".kv');
});
