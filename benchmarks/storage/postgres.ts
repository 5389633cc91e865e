import pg from 'pg';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import type { Bytes, Store } from '../../src/storage/store.ts';
import { type Comparison, compare, type Result, type Settings } from '../compare.ts';
import { withClients } from './clients.ts';
import { hashOf, Items, isExpected, type Write } from './items.ts';
import { batchesToFill, blindPut, conditionalPut, fill } from './units.ts';

const connections = 16;

/** The PostgreSQL store beside the bare driver, on one server, with as many connections each. */
export async function comparePostgres(url: string, count: number, settings: Settings): Promise<Result[]> {
  const schema = `bench_${count}`;
  const store = await openPostgresStore({
    url,
    schema,
    readersMax: connections,
    writersMax: connections,
    janitorMs: 0,
  });
  const raw = await RawPostgres.open(url, `raw_${count}`);
  try {
    const items = new Items(count, settings.seed);
    for (const batch of batchesToFill(items, 500)) {
      await store.transact(fill(batch));
      await raw.fill(batch);
    }
    await raw.analyze();
    const results: Result[] = [];
    results.push(await compare(gets(store, raw, items), settings));
    for (const comparison of writes(store, raw, items)) results.push(await compare(comparison, settings));
    return results;
  } finally {
    await store.close();
    await raw.close(schema);
  }
}

function gets(store: Store, raw: RawPostgres, items: Items): Comparison<Uint8Array[]> {
  return {
    store: 'postgres',
    operation: 'get',
    items: items.count,
    clients: connections,
    rate: 12_000,
    prepare: (round, operations) => items.keys(operations, round),
    ours: (input) => withClients(connections, input, async (key) => hashOf((await store.get(key)) as Bytes)),
    raw: (input) =>
      withClients(connections, input, async (key, client) => hashOf(await raw.get(key, client))),
  };
}

function writes(store: Store, raw: RawPostgres, items: Items): Comparison<Write[]>[] {
  const about = { store: 'postgres', items: items.count };
  const prepare = (round: number, operations: number) => items.writes(operations, round);
  const conditional = (clients: number, rate: number, keys: 'all keys' | 'one key'): Comparison<Write[]> => ({
    ...about,
    operation: `conditional put${keys === 'one key' ? ', all to one key' : ''}; the driver reads, then swaps`,
    clients,
    rate,
    prepare:
      keys === 'all keys'
        ? prepare
        : (round, operations) => new Array<Write>(operations).fill(items.write(0, round)),
    ours: (input) => withClients(clients, input, async (write) => store.transact(conditionalPut(write))),
    raw: (input) => withClients(clients, input, (write, client) => raw.conditionalPut(write, client)),
  });
  return [
    {
      ...about,
      operation: 'blind put; the driver upserts',
      clients: connections,
      rate: 6_000,
      prepare,
      ours: (input) => withClients(connections, input, async (write) => store.transact(blindPut(write))),
      raw: (input) => withClients(connections, input, (write, client) => raw.upsert(write, client)),
    },
    conditional(1, 1_000, 'all keys'),
    conditional(connections, 4_000, 'all keys'),
    conditional(connections, 1_000, 'one key'),
  ];
}

/** One table, prepared statements, one connection per client: as little as can be between a caller and the server. */
class RawPostgres {
  readonly #clients: pg.Client[];
  readonly #schema: string;

  private constructor(clients: pg.Client[], schema: string) {
    this.#clients = clients;
    this.#schema = schema;
  }

  static async open(url: string, schema: string): Promise<RawPostgres> {
    const clients = Array.from({ length: connections }, () => new pg.Client(url));
    await Promise.all(clients.map((client) => client.connect()));
    await clients[0]!.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
    await clients[0]!.query(
      `CREATE TABLE ${schema}.items (key bytea PRIMARY KEY, value bytea NOT NULL, version bigint NOT NULL)`,
    );
    return new RawPostgres(clients, schema);
  }

  async fill(batch: readonly Write[]): Promise<void> {
    const [keys, values] = [batch.map(({ key }) => key), batch.map(({ value }) => value)];
    await this.#query(
      0,
      'fill',
      `INSERT INTO ${this.#schema}.items SELECT *, 1 FROM unnest($1::bytea[], $2::bytea[])`,
      [keys.map(buffer), values.map(buffer)],
    );
  }

  async analyze(): Promise<void> {
    await this.#clients[0]!.query(`ANALYZE ${this.#schema}.items`);
  }

  async get(key: Uint8Array, client: number): Promise<Uint8Array | undefined> {
    const { rows } = await this.#query(
      client,
      'get',
      `SELECT value FROM ${this.#schema}.items WHERE key = $1`,
      [buffer(key)],
    );
    return rows[0]?.[0] as Uint8Array | undefined;
  }

  async upsert({ key, value }: Write, client: number): Promise<number> {
    const { rowCount } = await this.#query(
      client,
      'upsert',
      `INSERT INTO ${this.#schema}.items AS i VALUES ($1, $2, 1)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = i.version + 1`,
      [buffer(key), buffer(value)],
    );
    return rowCount ?? 0;
  }

  async conditionalPut(write: Write, client: number): Promise<number> {
    for (;;) {
      const { rows } = await this.#query(
        client,
        'read',
        `SELECT value, version FROM ${this.#schema}.items WHERE key = $1`,
        [buffer(write.key)],
      );
      const [found, version] = (rows[0] ?? []) as [Uint8Array | undefined, string | undefined];
      if (!isExpected(found, write)) return 0;
      const { rowCount } = await this.#query(
        client,
        'swap',
        `UPDATE ${this.#schema}.items SET value = $2, version = version + 1 WHERE key = $1 AND version = $3`,
        [buffer(write.key), buffer(write.value), version],
      );
      if (rowCount === 1) return hashOf(found);
    }
  }

  /** Leaves nothing behind on a server that may be somebody else's. */
  async close(otherSchema: string): Promise<void> {
    for (const schema of [this.#schema, otherSchema])
      await this.#clients[0]!.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await Promise.all(this.#clients.map((client) => client.end()));
  }

  #query(client: number, name: string, text: string, values: unknown[]): Promise<pg.QueryArrayResult> {
    return this.#clients[client]!.query({ name, text, values, rowMode: 'array' });
  }
}

/** The driver takes a Buffer as bytes and any other array as an array. */
function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
