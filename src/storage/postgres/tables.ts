import type { Dialect } from './dialect.ts';

/**
 * The tables, as written into SQL.
 *
 * - `kv`: every value under its key. A deleted key stays for a while as a row without a value, so that its version
 *   keeps growing and its write id keeps telling who deleted it. `write_id` names the unit that wrote the row.
 * - `grave`: the deleted keys in the order of their deletion by the server's clock, for the janitor.
 * - `horizon`: one row, the highest version of any row that was really removed. A unit is only committed with a
 *   version above it, so that versions of one key grow even over its removal.
 * - `fence`: the rows that writers share and that a change of settings takes for itself (`fence.ts`).
 * - `counter`: the parts of each counter, one per shard; a counter is their sum.
 * - `outbox`: log records without a position, in the order in which they will get one.
 * - `log`, `log_head`: log records with a position, and the last position given per bucket.
 * - `meta`: the format of all this. It is written last, so that its presence means that everything else is there.
 */
export interface Tables {
  readonly schema: string;
  readonly kv: string;
  readonly grave: string;
  readonly horizon: string;
  readonly fence: string;
  readonly counter: string;
  readonly outbox: string;
  readonly log: string;
  readonly logHead: string;
  readonly meta: string;
}

export function tablesIn(schemaName: string): Tables {
  const schema = `"${schemaName.replaceAll('"', '""')}"`;
  return {
    schema,
    kv: `${schema}.kv`,
    grave: `${schema}.grave`,
    horizon: `${schema}.horizon`,
    fence: `${schema}.fence`,
    counter: `${schema}.counter`,
    outbox: `${schema}.outbox`,
    log: `${schema}.log`,
    logHead: `${schema}.log_head`,
    meta: `${schema}.meta`,
  };
}

/**
 * Into how many parts a counter and the fence fall. Each connection has one of them, so that two connections rarely
 * meet. The number is part of the format: a change of settings takes all parts of the fence.
 */
export const shardCount = 64;

/** The statements that create the tables of a schema where they are missing, in an order that may be broken off anywhere. */
export function createStatements(t: Tables, dialect: Dialect): string[] {
  const { ascending } = dialect;
  const key = (...columns: string[]) =>
    `PRIMARY KEY (${columns.map((column) => column + ascending).join(', ')})`;
  return [
    `CREATE TABLE IF NOT EXISTS ${t.kv}
       (key bytea NOT NULL, value bytea, version bigint NOT NULL, write_id uuid NOT NULL, ${key('key')})`,
    `CREATE TABLE IF NOT EXISTS ${t.grave}
       (at timestamptz NOT NULL, key bytea NOT NULL, version bigint NOT NULL, ${key('at', 'key')})`,
    `CREATE TABLE IF NOT EXISTS ${t.horizon} (id int NOT NULL, version bigint NOT NULL, ${key('id')})`,
    `CREATE TABLE IF NOT EXISTS ${t.fence} (shard int NOT NULL, changes bigint NOT NULL, ${key('shard')})`,
    `CREATE TABLE IF NOT EXISTS ${t.counter}
       (key bytea NOT NULL, shard int NOT NULL, value bigint NOT NULL, ${key('key', 'shard')})`,
    `CREATE TABLE IF NOT EXISTS ${t.outbox}
       (bucket bytea NOT NULL, version bigint NOT NULL, ordinal int NOT NULL, of_key bytea NOT NULL,
        record bytea NOT NULL, ${key('bucket', 'version', 'ordinal', 'of_key')})`,
    `CREATE TABLE IF NOT EXISTS ${t.log}
       (bucket bytea NOT NULL, position bigint NOT NULL, record bytea NOT NULL, ${key('bucket', 'position')})`,
    `CREATE TABLE IF NOT EXISTS ${t.logHead} (bucket bytea NOT NULL, position bigint NOT NULL, ${key('bucket')})`,
    `CREATE TABLE IF NOT EXISTS ${t.meta} (name text NOT NULL, value text NOT NULL, ${key('name')})`,
    `INSERT INTO ${t.horizon} (id, version) VALUES (0, 0) ON CONFLICT (id) DO NOTHING`,
    `INSERT INTO ${t.fence} (shard, changes) SELECT s, 0 FROM generate_series(0, ${shardCount - 1}) AS s
       ON CONFLICT (shard) DO NOTHING`,
  ];
}
