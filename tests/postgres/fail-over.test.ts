import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Stator } from '../../src/index.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/storage/postgres/postgres-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { CountingLoad } from './counting-load.ts';
import { type ReplicatedPair, startReplicatedPair } from './replicated-pair.ts';
import { type Switchboard, startSwitchboard } from './switchboard.ts';
import { freshSchema, sql } from './test-store.ts';
import { bytes, increment, sumOf, valueAt } from './units.ts';

/** Short, since the server is frozen on purpose; on a busy machine a false alarm costs a new connection. */
const hasty = { hostMsMax: 3_000, answerMsMax: 300 };

const open: (Store | Stator | Switchboard)[] = [];

async function openStore(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({ url, ...hasty, ...options });
  open.push(store);
  return store;
}

async function openSwitchboard(pair: ReplicatedPair): Promise<Switchboard> {
  const switchboard = await startSwitchboard(pair.primary);
  open.push(switchboard);
  return switchboard;
}

/** Why a store does not answer. */
async function refusalOf(store: Store): Promise<string> {
  try {
    await store.get(bytes('a'));
    return 'it answers';
  } catch (error) {
    return (error as Error).message;
  }
}

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

describe('a pair of which the standby is promoted in the end', () => {
  let pair: ReplicatedPair;

  beforeAll(async () => {
    pair = await startReplicatedPair();
  });

  afterAll(() => pair?.stop());

  test('a standby is refused, and passed over where there are several hosts', async () => {
    const schema = freshSchema();
    await expect(openStore(pair.standby.url, { schema })).rejects.toMatchObject({
      name: 'StoreError',
      trouble: 'unavailable',
      message: expect.stringContaining(`127.0.0.1:${pair.standby.port} is a standby`),
    });
    const both = `postgres://stator@127.0.0.1:${pair.standby.port},127.0.0.1:${pair.primary.port}/postgres`;
    const store = await openStore(`${both}?target_session_attrs=read-write`, { schema });
    expect(await store.transact(increment('a'))).toBe(1);
    expect(await valueAt(store, 'a')).toBe('1');
  });

  test('a standby that refuses every statement for its isolation level is told for a standby', async () => {
    await sql(`ALTER ROLE stator SET default_transaction_isolation = 'serializable'`, pair.primary.url);
    try {
      await expect(openStore(pair.standby.url)).rejects.toThrow('is a standby');
    } finally {
      await sql('ALTER ROLE stator RESET default_transaction_isolation', pair.primary.url);
    }
  });

  test('a primary that takes no writes serves reads, unless read-write was asked for', async () => {
    const schema = freshSchema();
    const writer = await openStore(pair.primary.url, { schema });
    await writer.transact(increment('a'));
    const readOnly = `${pair.primary.url}?options=-c%20default_transaction_read_only%3Don`;
    const reader = await openStore(readOnly, { schema });
    expect(await valueAt(reader, 'a')).toBe('1');
    await expect(reader.transact(increment('a'))).rejects.toMatchObject({ trouble: 'unavailable' });
    await expect(openStore(`${readOnly}&target_session_attrs=read-write`, { schema })).rejects.toThrow(
      'takes no writes',
    );
  });

  test('a server whose connections come to lead to the standby answers nothing from it, and is not ready', async () => {
    const switchboard = await openSwitchboard(pair);
    const db = await Stator.open({ store: { url: switchboard.url, schema: freshSchema() } });
    open.push(db);
    const server = await db.listen({ port: 0 });
    const ready = async () => (await fetch(`${server.url}/_stator/ready`)).status;
    await db.createTable(countersTable);
    await db.putItem({ TableName: 'counters', Item: { id: { S: 'a' } } });
    const client = clientOf(server.url);
    const read = () =>
      client.send(
        new GetItemCommand({ TableName: 'counters', Key: { id: { S: 'a' } }, ConsistentRead: true }),
      );
    expect(await ready()).toBe(200);

    switchboard.turnTo(pair.standby);
    switchboard.cut();
    expect(await ready()).toBe(503);
    for (let i = 0; i < 20; i++)
      await expect(read()).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
    const answer = await fetch(`${server.url}/_stator/ready`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('is a standby');

    switchboard.turnTo(pair.primary);
    expect(await ready()).toBe(200);
    expect((await read()).Item).toEqual({ id: { S: 'a' } });
  });

  test('a statement that waits for a lock is slow, and not abandoned', async () => {
    const schema = freshSchema();
    const switchboard = await openSwitchboard(pair);
    let swaps = 0;
    const store = await openStore(switchboard.url, {
      schema,
      answerMsMax: 100,
      onRoundTrip(statement) {
        if (statement.startsWith('swap')) swaps++;
      },
    });
    await store.transact(increment('a'));
    const holder = new pg.Client(pair.primary.url);
    await holder.connect();
    try {
      await holder.query(`BEGIN; SELECT 1 FROM "${schema}".kv WHERE key = 'a' FOR UPDATE`);
      swaps = 0;
      const unit = store.transact(increment('a'));
      await expect.poll(() => swaps, { timeout: 60_000 }).toBe(1);
      const before = switchboard.connections;
      // Each is a question whether the server lives.
      await expect.poll(() => switchboard.connections - before, { timeout: 60_000 }).toBeGreaterThan(3);
      await holder.query('ROLLBACK');
      expect(await unit).toBe(2);
      expect(swaps).toBe(1);
    } finally {
      await holder.end();
    }
  });

  test('a server frozen with a unit on its way and woken: calls end, and the unit is done once', async () => {
    const schema = freshSchema();
    let swaps = 0;
    const store = await openStore(pair.primary.url, {
      schema,
      onRoundTrip(statement) {
        if (statement.startsWith('swap') && ++swaps === 1) pair.primary.freeze();
      },
    });
    try {
      await store.get(bytes('a'));
      const unit = store.transact(increment('a'));
      await expect.poll(() => swaps, { timeout: 60_000 }).toBe(1);
      // Nobody else is there to answer, and yet nobody waits for ever.
      await expect(store.get(bytes('a'))).rejects.toMatchObject({ trouble: 'unavailable' });
      pair.primary.thaw();
      expect(await unit).toBe(1);
    } finally {
      pair.primary.thaw();
    }
    expect(await sumOf(store, 'n:a')).toBe(1);
  });

  test('a primary frozen and replaced behind a proxy that cuts nothing: all kept, and no way back', async () => {
    const schema = freshSchema();
    const switchboard = await openSwitchboard(pair);
    const store = await openStore(switchboard.url, { schema });
    let swaps = 0;
    const other = await openStore(switchboard.url, {
      schema,
      onRoundTrip(statement) {
        if (statement.startsWith('swap') && ++swaps === 1) pair.primary.freeze();
      },
    });
    const load = new CountingLoad(store, 8);
    await load.acknowledged(50);
    try {
      const unit = other.transact(increment('once'));
      await expect.poll(() => swaps, { timeout: 60_000 }).toBeGreaterThan(0);
      switchboard.turnTo(pair.standby);
      await expect.poll(() => refusalOf(other), { timeout: 60_000 }).toContain('is a standby');
      await pair.promote();
      await load.acknowledged(100);
      expect(await unit, 'the unit of which no answer came').toBe(1);
      expect(await sumOf(other, 'n:once')).toBe(1);
      await load.stop();
      expect(load.strange).toEqual([]);
      expect(await load.faultsIn(await openStore(pair.standby.url, { schema }))).toEqual([]);
    } finally {
      pair.primary.thaw();
    }
    // The old primary knows of nothing and would go on. Who has seen the new one does not follow it.
    switchboard.turnTo(pair.primary);
    switchboard.cut();
    await expect.poll(() => refusalOf(store), { timeout: 60_000 }).toContain('is a primary of the past');
    switchboard.turnTo(pair.standby);
    expect(await load.faultsIn(store)).toEqual([]);
  });
});

test('a primary killed and its standby promoted, under one URL: 500s, then everything as acknowledged', async () => {
  const pair = await startReplicatedPair();
  let db: Stator | undefined;
  try {
    const hosts = `127.0.0.1:${pair.primary.port},127.0.0.1:${pair.standby.port}`;
    db = await Stator.open({
      store: `postgres://stator@${hosts}/postgres?target_session_attrs=read-write&connect_timeout=5&answer_timeout=1`,
    });
    const server = await db.listen({ port: 0 });
    await db.createTable(countersTable);
    const client = clientOf(server.url);
    const clients = 8;
    const acknowledged = new Array<number>(clients).fill(0);
    const failed = new Array<number>(clients).fill(0);
    const strange: unknown[] = [];
    let isRunning = true;
    let sinceMark = 0;
    const load = acknowledged.map(async (_, i) => {
      while (isRunning) {
        try {
          await client.send(
            new UpdateItemCommand({
              TableName: 'counters',
              Key: { id: { S: String(i) } },
              UpdateExpression: 'ADD n :one',
              ExpressionAttributeValues: { ':one': { N: '1' } },
            }),
          );
          acknowledged[i]!++;
          sinceMark++;
        } catch (error) {
          failed[i]!++;
          const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
          if (name !== 'InternalServerError' || $metadata?.httpStatusCode !== 500) strange.push(error);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    });
    const progress = async (count: number) => {
      sinceMark = 0;
      await expect.poll(() => sinceMark, { timeout: 120_000 }).toBeGreaterThan(count);
    };
    await progress(50);
    await pair.primary.halt('immediate');
    // Writers whose units were on their way wait for the new primary; who comes now is refused.
    const read = new GetItemCommand({ TableName: 'counters', Key: { id: { S: '0' } } });
    await expect(client.send(read)).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
    expect((await fetch(`${server.url}/_stator/ready`)).status).toBe(503);
    await pair.promote();
    await progress(100);
    isRunning = false;
    await Promise.all(load);

    expect(strange).toEqual([]);
    for (const [i, count] of acknowledged.entries()) {
      const { Item } = await db.getItem({
        TableName: 'counters',
        Key: { id: { S: String(i) } },
        ConsistentRead: true,
      });
      const value = Number(Item?.n?.N);
      expect(value).toBeGreaterThanOrEqual(count);
      expect(value).toBeLessThanOrEqual(count + failed[i]!);
    }
    expect((await db.check()).findings).toEqual([]);
  } finally {
    await db?.close();
    await pair.stop();
  }
});

const countersTable = {
  TableName: 'counters',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
} as const;

/** One try each, so that a test sees every answer. */
function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
}
