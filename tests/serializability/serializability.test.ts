import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Stator, type StoreChoice } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startServer } from '../engine/child-server.ts';
import { evaluateOutside } from '../outside-units.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { testSeed, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { runAccounts } from './accounts.ts';
import { ForgetfulStore, UnsteadyStore } from './careless-stores.ts';
import { findAnomalies } from './find-anomalies.ts';
import { type ListsRun, runLists } from './lists.ts';
import { runPairs } from './pairs.ts';

/** Isolation as clients see it, over HTTP: whatever they do at the same time, some order must explain it. */

interface Endpoints {
  readonly urls: readonly string[];
  close(): Promise<void>;
}

const isLong = process.env.STATOR_TEST_LONG === '1';
/** Together more than 200,000 for each store in a long run. */
const requests = isLong
  ? { lists: 120_000, accounts: 60_000, pairs: 30_000 }
  : { lists: 600, accounts: 250, pairs: 120 };

async function serving(store: StoreChoice): Promise<Endpoints> {
  const db = await Stator.open({ store });
  const { url } = await db.listen({ port: 0 });
  return {
    urls: [url],
    async close() {
      expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
      await db.close();
    },
  };
}

async function outside(start: () => Promise<Endpoints>): Promise<Endpoints> {
  const { end, units } = evaluateOutside();
  const endpoints = await start();
  return {
    ...endpoints,
    async close() {
      end();
      expect(units()).toBeGreaterThan(100);
      await endpoints.close();
    },
  };
}

const stores: [name: string, start: () => Promise<Endpoints>][] = [
  ['memory', () => serving('memory')],
  [
    'lmdb',
    async () => {
      const directory = await newDirectory();
      const endpoints = await serving({ directory });
      return {
        ...endpoints,
        async close() {
          await endpoints.close();
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  ],
  ['postgres', () => serving({ url: inject('postgresUrl'), schema: freshSchema() })],
  ['memory with evaluations outside of units', () => outside(() => serving('memory'))],
  [
    'postgres with evaluations outside of units',
    () => outside(() => serving({ url: inject('postgresUrl'), schema: freshSchema() })),
  ],
  [
    'postgres with two servers',
    async () => {
      const choice = { url: inject('postgresUrl'), schema: freshSchema() };
      const servers = [await startServer(choice), await startServer(choice)];
      return {
        urls: servers.map(({ url }) => url),
        async close() {
          await Promise.all(servers.map((server) => server.kill()));
        },
      };
    },
  ],
];

function clientOf(url: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    maxAttempts: 1,
  });
}

async function newTable(client: DynamoDBClient): Promise<string> {
  const TableName = `table-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  return TableName;
}

/** The beginning of what was found: a broken store breaks everything, and one example is enough. */
const first = (anomalies: readonly string[]) => anomalies.slice(0, 3);

describe.each(stores)('transactions on %s', (_, start) => {
  let endpoints: Endpoints;
  let clients: DynamoDBClient[];

  beforeAll(async () => {
    endpoints = await start();
    clients = endpoints.urls.map(clientOf);
  });

  afterAll(async () => {
    for (const client of clients) client.destroy();
    await endpoints.close();
  });

  const run = async (requests: number, seed: number): Promise<ListsRun> => ({
    clients,
    tableName: await newTable(clients[0]!),
    concurrency: 16,
    requests,
    seed,
  });

  const seeds = testSeeds('serializability');

  it.each(seeds)('append to lists and read them in some order, %i', async (seed) => {
    const history = await runLists(await run(requests.lists, seed));
    expect(history.transactions.length).toBeGreaterThanOrEqual(requests.lists);
    const done = history.transactions.filter(({ outcome }) => outcome === 'done');
    // A history without conditions that held, and without some that did not, would prove little.
    expect(done.some(({ checks }) => checks.length > 0)).toBe(true);
    expect(done.length).toBeLessThan(history.transactions.length);
    expect(first(findAnomalies(history.transactions))).toEqual([]);
  });

  it.each(seeds)('move money without making or losing any, %i', async (seed) => {
    expect(first(await runAccounts(await run(requests.accounts, seed)))).toEqual([]);
  });

  it.each(seeds)('never both do what only one of them may, %i', async (seed) => {
    expect(first(await runPairs(await run(requests.pairs, seed)))).toEqual([]);
  });
});

describe('a store that breaks its promises', () => {
  async function broken(
    store: ForgetfulStore | UnsteadyStore,
    work: (run: ListsRun) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const db = await Stator.open({ store });
    const { url } = await db.listen({ port: 0 });
    const client = clientOf(url);
    try {
      return await work({
        clients: [client],
        tableName: await newTable(client),
        concurrency: 16,
        requests: 400,
        seed: testSeed('serializability on a broken store'),
      });
    } finally {
      client.destroy();
      await db.close();
    }
  }

  const lists = async (run: ListsRun) => findAnomalies((await runLists(run)).transactions);

  it.each([
    ['lists', lists],
    ['accounts', runAccounts],
    ['pairs', runPairs],
  ])('is found out by %s when it decides on what it no longer holds', async (_, work) => {
    expect(await broken(new ForgetfulStore(new MemoryStore()), work)).not.toEqual([]);
  });

  it.each([
    ['lists', lists],
    ['accounts', runAccounts],
  ])('is found out by %s when its reads are of no one state', async (_, work) => {
    expect(await broken(new UnsteadyStore(new MemoryStore()), work)).not.toEqual([]);
  });
});
