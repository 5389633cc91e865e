import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { sweepKey } from '../../src/engine/store-keys.ts';
import { type AttributeMap, Stator } from '../../src/index.ts';
import { encodeUtf8 } from '../../src/model/values/utf8.ts';
import type { StoreChoice } from '../../src/open-store.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { type ChildServer, startServer } from './child-server.ts';
import {
  changesOf,
  createExpiring,
  definition,
  keysIn,
  newClock,
  SharedMemory,
  session,
  startMs,
  TableName,
} from './expiring-table.ts';
import { loadUntil, requestOf } from './server-load.ts';

const directories: string[] = [];
const servers: ChildServer[] = [];
const databases: Stator[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()));
  await Promise.all(databases.splice(0).map((db) => db.close()));
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function start(store: StoreChoice): Promise<ChildServer> {
  const server = await startServer(store);
  servers.push(server);
  return server;
}

async function open(store: StoreChoice): Promise<Stator> {
  const db = await Stator.open({ store });
  databases.push(db);
  return db;
}

async function directoryOf(): Promise<string> {
  const directory = await newDirectory();
  directories.push(directory);
  return directory;
}

/** By the system's clock, which is the only one that two processes share. */
function item(pk: string, seconds: number): AttributeMap {
  return { pk: { S: pk }, expires: { N: String(Math.floor(Date.now() / 1000) + seconds) } };
}

describe.each<[string, () => Promise<StoreChoice>]>([
  ['lmdb', async () => ({ directory: await directoryOf(), shared: true })],
  ['postgres', async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
])('two processes on one %s store', (_, choose) => {
  it('delete everything that has expired, each item once, whoever wrote it', async () => {
    const store = await choose();
    const db = await open(store);
    const other = await start(store);
    await createExpiring(db, {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    });
    const writes: Promise<unknown>[] = [];
    for (let i = 0; i < 150; i++) {
      const Item = item(`here ${i}`, i % 3 === 0 ? 3_600 : -60);
      writes.push(
        db.putItem({ TableName, Item }),
        requestOf(other, 'PutItem', { TableName, Item: { ...Item, pk: { S: `there ${i}` } } }),
      );
    }
    await Promise.all(writes);
    // A turn of the event loop each, or the timers of this process would never have theirs.
    while ((await db.describeTable({ TableName })).Table!.ItemCount! > 100) await new Promise(setImmediate);
    await db.settled();
    expect(await keysIn(db)).toHaveLength(100);
    const removals = (await changesOf(db)).filter(({ after }) => after === undefined);
    expect(removals).toHaveLength(200);
    expect(new Set(removals.map(({ pk }) => pk))).toHaveLength(200);
    expect(removals.every(({ by }) => by === 'ttl')).toBe(true);
    expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  });
});

describe('the lease of a process that is gone', () => {
  it('ends by the clock', async () => {
    const store = new SharedMemory();
    const clock = newClock();
    const db = await Stator.open({ store, clock });
    await createExpiring(db);
    const lease = { format: 1, holder: 'gone', untilMs: startMs + 15_000 };
    store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [{ kind: 'put', key: sweepKey, value: encodeUtf8(JSON.stringify(lease)) }],
      }),
    });
    await db.putItem({ TableName, Item: session('a', 10) });
    clock.advanceMs(10_000);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(await keysIn(db)).toEqual(['a']);
    clock.advanceMs(5_000);
    await db.settled();
    expect(await keysIn(db)).toEqual([]);
    // Nobody holds it when there is nothing to do.
    expect(store.get(sweepKey)).toBeUndefined();
  });
});

describe('a server that is killed while time to live is being switched on under load', () => {
  const items = 4_000;

  const seeds = testSeeds('kill while filling expiries');
  it.each(seeds)('goes on after its restart, and every item that has expired goes, %i', async (seed) => {
    const random = seededRandom(seed);
    let interrupted = 0;
    for (let round = 0; round < rounds(2); round++) {
      const directory = await directoryOf();
      await prepare(directory, items);
      let server = await start({ directory });
      await loadUntil(server, writesOf(random), async () => {
        await requestOf(server, 'UpdateTimeToLive', {
          TableName,
          TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
        });
        // The first thousand items are filled before the answer, the others after it, a hundred at a time.
        for (let looks = random.below(8); looks > 0 && !(await isEnabled(server)); looks--);
        await server.kill();
      });
      if (await wasInterrupted(directory)) interrupted++;
      server = await start({ directory });
      await loadUntil(server, writesOf(random), async () => {
        while (!(await isEnabled(server)));
      });
      await server.kill();
      const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
      await db.settled();
      expect(await db.check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
      const nowSeconds = Date.now() / 1000;
      let left = 0;
      for (let ExclusiveStartKey: AttributeMap | undefined; ; ) {
        const page = await db.scan({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
        left += page.Count!;
        expect(page.Items!.filter(({ expires }) => Number(expires!.N) <= nowSeconds - 60)).toEqual([]);
        ExclusiveStartKey = page.LastEvaluatedKey;
        if (ExclusiveStartKey === undefined) break;
      }
      expect(left).toBeGreaterThan(items / 4);
      await db.close();
    }
    // On a machine that is much faster at filling than at killing there would be nothing to see.
    expect(interrupted).toBeGreaterThan(0);
  });

  async function prepare(directory: string, count: number): Promise<void> {
    const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
    await db.createTable(definition);
    for (let first = 0; first < count; first += 25)
      await db.batchWriteItem({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, (_, i) => ({
            PutRequest: { Item: item(`${first + i}`, i % 2 === 0 ? 3_600 : -60) },
          })),
        },
      });
    await db.close();
  }

  function writesOf(random: SeededRandom) {
    return () => {
      const written = item(`${random.below(items + 500)}`, random.pick([3_600, 7_200, -60]));
      return random.chance(0.9)
        ? { operation: 'PutItem', input: { TableName, Item: written } }
        : { operation: 'DeleteItem', input: { TableName, Key: { pk: written.pk } } };
    };
  }

  async function isEnabled(server: ChildServer): Promise<boolean> {
    return (await requestOf(server, 'DescribeTimeToLive', { TableName })).includes('"ENABLED"');
  }

  /** Looks at what the kill left: the database is closed again before its work in the background gets far. */
  async function wasInterrupted(directory: string): Promise<boolean> {
    const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
    const { length } = await db.engine.indexFiller.underway();
    await db.close();
    return length > 0;
  }
});
