import { rm } from 'node:fs/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  type ScalarAttributeType,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import type { StoreChoice } from '../../src/open-store.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { type ChildServer, startServer } from './child-server.ts';
import { allKeys, entryKeys } from './store-content.ts';

const TableName = 'shared';
const mismatch = 'The provided key element does not match the schema';

/** Two processes on one store: the one of the test, and another that can be stopped in its tracks. */
const stores: [name: string, choose: () => Promise<StoreChoice>][] = [
  [
    'lmdb',
    async () => {
      const directory = await newDirectory();
      directories.push(directory);
      return { directory, shared: true };
    },
  ],
  ['postgres', async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
];

const directories: string[] = [];
const databases: Stator[] = [];
const servers: ChildServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()));
  // Whatever was stopped, and wherever: all that is there fits together.
  for (const db of databases) expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await Promise.all(databases.splice(0).map((db) => db.close()));
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

describe.each(stores)('two processes on one %s store', (kind, choose) => {
  async function start() {
    const choice = await choose();
    const db = await Stator.open({ store: choice });
    databases.push(db);
    const other = await startServer(choice);
    servers.push(other);
    return { db, own: db.client({ maxAttempts: 1 }), other };
  }

  it('see each other’s tables, items and settings', async () => {
    const { own, other } = await start();
    await createTable(own, 'S');
    await put(other.client, 'a', 'from the other');
    expect(await get(own, 'a')).toBe('from the other');
    await put(own, 'a', 'from here');
    expect(await get(other.client, 'a')).toBe('from here');
    await own.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    const found = await other.client.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(found.TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
    expect((await other.client.send(new ListTablesCommand({}))).TableNames).toEqual([TableName]);
  });

  it('are not misled by a table that was dropped and made anew while one of them stood still', async () => {
    const { db, own, other } = await start();
    await createTable(own, 'S');
    await put(own, '1', 'old');
    // Now the other has the table in its cache, for reads and for writes.
    expect(await get(other.client, '1')).toBe('old');
    await put(other.client, '2', 'old');
    const old = new Set(await entryKeys(db.engine.store));
    await other.freeze();
    await own.send(new DeleteTableCommand({ TableName }));
    await createTable(own, 'N');
    await put(own, 1, 'new');
    // These wait for the other before it wakes, so that nothing can have told it what happened.
    const requests = [
      answer(get(other.client, '1')),
      answer(put(other.client, '1', 'lost')),
      answer(put(other.client, 2, 'written by the other')),
      answer(get(other.client, 1)),
    ];
    other.thaw();
    expect(await Promise.all(requests)).toEqual([
      mismatch,
      'One or more parameter values were invalid: Type mismatch for key pk expected: N actual: S',
      'done',
      'new',
    ]);
    expect(await get(own, 2)).toBe('written by the other');
    const { Table: table } = await other.client.send(new DescribeTableCommand({ TableName }));
    expect(table!.AttributeDefinitions).toEqual([{ AttributeName: 'pk', AttributeType: 'N' }]);
    expect(table!.ItemCount).toBe(2);
    await db.engine.settled();
    const left = await entryKeys(db.engine.store);
    expect(left).toHaveLength(2);
    expect(left.filter((key) => old.has(key))).toEqual([]);
  });

  it('find no table that was dropped while one of them stood still', async () => {
    const { db, own, other } = await start();
    await createTable(own, 'S');
    await put(other.client, 'a', 'old');
    await other.freeze();
    await own.send(new DeleteTableCommand({ TableName }));
    const requests = [answer(get(other.client, 'a')), answer(put(other.client, 'a', 'lost'))];
    other.thaw();
    const notFound = 'Requested resource not found';
    expect(await Promise.all(requests)).toEqual([notFound, notFound]);
    await db.engine.settled();
    expect(await allKeys(db.engine.store)).toEqual([]);
  });

  it('see what was changed while one of them stood still', async () => {
    const { own, other } = await start();
    await createTable(own, 'S');
    await put(other.client, 'a', 'before');
    await other.freeze();
    await own.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    await own.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    await put(own, 'a', 'after');
    const requests = [
      get(other.client, 'a'),
      other.client.send(new DescribeTimeToLiveCommand({ TableName })),
      other.client.send(new DescribeTableCommand({ TableName })),
      answer(other.client.send(new DeleteTableCommand({ TableName }))),
      put(other.client, 'b', 'by the other'),
    ] as const;
    other.thaw();
    const [item, ttl, table, deletion] = await Promise.all(requests);
    expect(item).toBe('after');
    expect(ttl.TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
    expect(table.Table!.DeletionProtectionEnabled).toBe(true);
    expect(deletion).toContain('protected against deletion');
    expect(await get(own, 'b')).toBe('by the other');
  });

  it('leave nothing in a table that one drops while the other writes to it', async () => {
    const { db, own, other } = await start();
    await createTable(own, 'S');
    let drops = 0;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      let told = 0;
      for (let i = 0; drops < 3; i++) {
        const outcome = await answer(put(other.client, `${writer}-${i}`, 'written'));
        if (outcome !== 'done') {
          expect(outcome).toBe('Requested resource not found');
          told++;
        }
      }
      return told;
    });
    while (drops < 3) {
      await put(own, 'here', 'too');
      // A process stopped within a write to lmdb holds its lock, and others wait; over SQL nobody does.
      if (kind === 'postgres') await other.freeze();
      await own.send(new DeleteTableCommand({ TableName }));
      other.thaw();
      if (drops < 2) await createTable(own, 'S');
      drops++;
    }
    await Promise.all(writers);
    await db.engine.settled();
    expect(await allKeys(db.engine.store)).toEqual([]);
  });

  it('finish each other’s indexes when one of them is killed, or is told to drop what it fills', async () => {
    const choice = await choose();
    const clock = new VirtualClock(Date.now());
    const db = await Stator.open({ store: choice, clock });
    databases.push(db);
    await createTable(db.client(), 'S');
    for (let first = 0; first < 1_500; first += 25)
      await db.batchWriteItem({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, (_, i) => ({
            PutRequest: { Item: { ...key(`${first + i}`), v: { S: 'v' } } },
          })),
        },
      });
    const other = await startServer(choice);
    servers.push(other);
    const client = db.client();
    for (const end of ['killed', 'dropped'] as const) {
      // A thousand items are filled before the answer; the rest begins after it, and does not come far.
      await (end === 'killed' ? other.client : client).send(addIndex);
      if (end === 'killed') {
        await other.kill();
        // Whoever waits for the index notices that nobody works on it any more.
        clock.advanceMs(60_000);
        await db.describeTable({ TableName });
      } else await client.send(dropIndex);
      await db.engine.settled();
      const { Table } = await db.describeTable({ TableName });
      expect(Table!.GlobalSecondaryIndexes?.map(({ ItemCount }) => ItemCount)).toEqual(
        end === 'killed' ? [1_500] : undefined,
      );
      expect(await db.check()).toMatchObject({ clean: true, findings: [] });
      if (end === 'killed') await client.send(dropIndex);
    }
  });
});

const addIndex = new UpdateTableCommand({
  TableName,
  AttributeDefinitions: [{ AttributeName: 'v', AttributeType: 'S' }],
  GlobalSecondaryIndexUpdates: [
    {
      Create: {
        IndexName: 'by-v',
        KeySchema: [{ AttributeName: 'v', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    },
  ],
});
const dropIndex = new UpdateTableCommand({
  TableName,
  GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'by-v' } }],
});

async function createTable(client: DynamoDBClient, type: ScalarAttributeType): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: type }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
}

function key(pk: string | number) {
  return { pk: typeof pk === 'string' ? { S: pk } : { N: String(pk) } };
}

async function put(client: DynamoDBClient, pk: string | number, v: string): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item: { ...key(pk), v: { S: v } } }));
}

async function get(client: DynamoDBClient, pk: string | number): Promise<string | undefined> {
  const { Item: item } = await client.send(
    new GetItemCommand({ TableName, Key: key(pk), ConsistentRead: true }),
  );
  return item?.v?.S;
}

/** What a request came to, in one word or the words of its error. */
async function answer(request: Promise<unknown>): Promise<unknown> {
  try {
    return (await request) ?? 'done';
  } catch (error) {
    if (error instanceof DynamoDBServiceException) return error.message;
    throw error;
  }
}
