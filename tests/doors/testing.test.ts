import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { forkPerTest, testDatabase, VirtualClock } from '../../src/testing/index.ts';
import { runChild } from '../run-child.ts';
import { orderKey, ordersTable } from './orders-table.ts';

async function has(db: Stator, customer: string, order: number): Promise<boolean> {
  const { Item } = await db.getItem({ TableName: 'orders', Key: orderKey(customer, order) });
  return Item !== undefined;
}

describe('a fork per test under Vitest', () => {
  const db = forkPerTest(
    {
      tables: ordersTable,
      setup: ({ client }) =>
        client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('seed', 1) })),
    },
    { beforeAll, beforeEach, afterAll },
  );
  const client = db.client();

  it.each([1, 2, 3])('begins with what was built, time %i', async () => {
    expect(await has(db, 'seed', 1)).toBe(true);
    expect(await has(db, 'test', 1)).toBe(false);
    await client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('test', 1) }));
    const get = new GetItemCommand({ TableName: 'orders', Key: orderKey('test', 1) });
    expect((await client.send(get)).Item).toBeDefined();
  });
});

describe('what cannot be meant', () => {
  it.each([
    ['a misspelt option', () => testDatabase({ tabels: [] } as object)],
    ['a store', () => testDatabase({ store: 'lmdb:./x' } as object)],
    ['physics of another kind', () => testDatabase({ physics: 'x' } as object)],
    ['no hooks', async () => forkPerTest({}, undefined as never)],
    ['hooks without beforeEach', async () => forkPerTest({}, {} as never)],
  ])('is refused: %s', async (_, make) => {
    await expect(make()).rejects.toThrow(TypeError);
  });
});

describe('the clock of a fork', () => {
  it('is its own, and can be handed in', async () => {
    const clock = new VirtualClock(1_000_000);
    const base = await testDatabase({ tables: ordersTable, clock });
    const own = new VirtualClock(clock.nowMs());
    const [moved, still] = [base.fork({ clock: own }), base.fork()];
    own.advanceMs(5_000);
    expect([moved.nowMs(), still.nowMs(), base.db.nowMs()]).toEqual([1_005_000, 1_000_000, 1_000_000]);
    await base.close();
  });
});

describe('a fork per test under a server', () => {
  it('is seen by clients from outside', async () => {
    const base = await testDatabase({ tables: ordersTable });
    const server = await base.db.listen({ port: 0 });
    const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
    const client = new DynamoDBClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    });
    await client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('test', 1) }));
    expect(await has(base.db, 'test', 1)).toBe(true);
    base.reset();
    const get = new GetItemCommand({ TableName: 'orders', Key: orderKey('test', 1) });
    expect((await client.send(get)).Item).toBeUndefined();
    client.destroy();
    await base.close();
  });
});

describe('a fork per test under other runners', () => {
  it('works with the hooks of node:test', { timeout: 60_000 }, async () => {
    const suite = runChild(new URL('children/node-test-suite.ts', import.meta.url), []);
    const { code, errors } = await suite.ended;
    expect(errors.replaceAll(/^.*Warning[\s\S]*$/gm, '')).toBe('');
    expect(suite.lines.join('\n')).toMatch(/ pass 2$/m);
    expect(code).toBe(0);
  });

  it('works with hooks of any kind, in files that cannot wait', async () => {
    const before: (() => unknown)[] = [];
    const db = forkPerTest({ tables: [ordersTable] }, { beforeEach: (run) => before.push(run) });
    for (let test = 0; test < 2; test++) {
      for (const run of before) await run();
      expect(await has(db, 'test', 1)).toBe(false);
      await db.putItem({ TableName: 'orders', Item: orderKey('test', 1) });
    }
  });

  it('tells in the hook what went wrong in the building', async () => {
    const before: (() => unknown)[] = [];
    forkPerTest({ tables: { TableName: 'x' } }, { beforeEach: (run) => before.push(run) });
    await expect(before[0]!()).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('a test database', () => {
  it('has forks that do not see each other', async () => {
    const base = await testDatabase({ tables: JSON.stringify({ Table: ordersTable }) });
    const [one, two] = [base.fork(), base.fork()];
    await one.putItem({ TableName: 'orders', Item: orderKey('one', 1) });
    expect(await has(two, 'one', 1)).toBe(false);
    expect(await has(base.db, 'one', 1)).toBe(false);
    expect(await has(base.fork(), 'one', 1)).toBe(false);
    await base.close();
  });

  it('has the tables of a template with their expiry and recovery', async () => {
    const lines: string[] = [];
    const base = await testDatabase({
      cloudFormation: `
        Parameters: { Stage: { Type: String, Default: dev } }
        Resources:
          Orders:
            Type: AWS::DynamoDB::Table
            Properties:
              TableName: !Sub '\${Stage}-orders'
              BillingMode: PAY_PER_REQUEST
              AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }]
              KeySchema: [{ AttributeName: pk, KeyType: HASH }]
              TimeToLiveSpecification: { AttributeName: expires, Enabled: true }
              KinesisStreamSpecification: { StreamArn: arn }
              PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }`,
      parameters: { Stage: 'test' },
      log: (line) => lines.push(line),
    });
    const { TimeToLiveDescription } = await base.db.describeTimeToLive({ TableName: 'test-orders' });
    expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
    const { ContinuousBackupsDescription: backups } = await base.db.describeContinuousBackups({
      TableName: 'test-orders',
    });
    expect(backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('ENABLED');
    expect(lines).toEqual([
      expect.stringContaining(
        'KinesisStreamSpecification is left out: the Kinesis stream is not set up here',
      ),
    ]);
    await base.close();
  });

  it('waits for tables that take their time', async () => {
    const clock = new VirtualClock(1_700_000_000_000);
    const base = await testDatabase({ tables: ordersTable, physics: 'enforce', clock });
    const { Table } = await base.db.describeTable({ TableName: 'orders' });
    expect(Table.TableStatus).toBe('ACTIVE');
    await base.close();
  });

  it('puts its clock back too, which is the one that was given', async () => {
    const clock = new VirtualClock(1_000);
    const base = await testDatabase({ clock });
    clock.advanceMs(5_000);
    expect(base.db.nowMs()).toBe(6_000);
    expect(base.fork().nowMs()).toBe(1_000);
    base.reset();
    expect(clock.nowMicros()).toBe(1_000_000);
    await base.close();
  });

  it('gives every test the same ids from a seed', async () => {
    const base = await testDatabase({ tables: ordersTable, seed: 3 });
    const create = async (db: Stator) =>
      (await db.createTable({ ...ordersTable, TableName: 'more' })).TableDescription.TableId;
    const first = await create(base.db);
    base.reset();
    expect(await create(base.db)).toBe(first);
    expect(await create(base.fork())).toBe(first);
    await base.close();
  });

  it('is as new after every reset, however much is in it', async () => {
    const base = await testDatabase({
      tables: ordersTable,
      setup: async ({ db }) => {
        for (let order = 0; order < 10_000; order++) {
          await db.putItem({ TableName: 'orders', Item: orderKey('ada', order) });
        }
      },
    });
    const isThere = async (Key: ReturnType<typeof orderKey>) =>
      (await base.db.getItem({ TableName: 'orders', Key })).Item !== undefined;
    for (let i = 0; i < 1_000; i++) {
      base.reset();
      expect(await isThere(orderKey('ada', i * 10))).toBe(true);
      expect(await isThere(orderKey('test', i - 1))).toBe(false);
      await base.db.putItem({ TableName: 'orders', Item: orderKey('test', i) });
    }
    await base.close();
  });

  it('leaves forks that nobody closes to the garbage collector', { timeout: 120_000 }, async () => {
    const child = runChild(
      new URL('children/unclosed-forks.ts', import.meta.url),
      [],
      ['env', 'NODE_OPTIONS=--expose-gc'],
    );
    const { code, errors } = await child.ended;
    expect(code, errors).toBe(0);
    const { alive, grownBytes } = JSON.parse(child.lines.at(-1)!) as { alive: number; grownBytes: number };
    expect(alive).toBeLessThan(20);
    expect(grownBytes).toBeLessThan(20_000_000);
  });
});
