import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/engine/events.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MetricStore } from '../../src/observe/metric-store.ts';
import { Patterns, patternsMax } from '../../src/observe/patterns/patterns.ts';

const TableName = 'Orders';
let db: Stator;
let client: DynamoDBClient;

beforeEach(async () => {
  db = await Stator.open({ observe: true, seed: 1 });
  const { url } = await db.listen({ port: 0 });
  client = new DynamoDBClient({
    ...{ endpoint: url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
});

afterEach(async () => {
  client.destroy();
  await db.close();
});

const putOf = (id: string) => new PutItemCommand({ TableName, Item: { id: { S: id } } });

async function pattern(name: string) {
  const { patterns } = await db.patterns({ minutes: 5 });
  return patterns.find((each) => each.name === name);
}

it('have the name that a header gives, and without one that of their shape', async () => {
  await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'a' } } }));
  client.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-stator-pattern'] = 'open order';
      return next(args);
    },
    { step: 'build' },
  );
  await client.send(putOf('a'));
  await client.send(putOf('b'));
  expect(await pattern('open order')).toMatchObject({
    ...{ source: 'header', operation: 'PutItem', table: TableName, requests: 2, writeUnits: 2 },
  });
  expect(await pattern('GetItem Orders')).toMatchObject({ source: 'shape', requests: 1, readUnits: 0.5 });
  expect(await pattern('PutItem Orders')).toBeUndefined();
});

it('count the attempts that an SDK makes again', async () => {
  // After a throttle an SDK waits far longer.
  db.faults.add({ error: 'InternalServerError', operation: 'PutItem', times: 2 });
  const { $metadata } = await client.send(putOf('a'));
  expect($metadata.attempts).toBe(3);
  expect(await pattern('PutItem Orders')).toMatchObject({
    ...{ requests: 3, retries: 2, errors: { InternalServerError: 2 } },
  });
});

it('count transactions that were repeated under their token', async () => {
  const transaction = (ClientRequestToken: string) =>
    client.send(
      new TransactWriteItemsCommand({
        ClientRequestToken,
        TransactItems: [{ Put: { TableName, Item: { id: { S: 'a' } } } }],
      }),
    );
  for (const token of ['one', 'one', 'one', 'two']) await transaction(token);
  expect(await pattern('TransactWriteItems Put Orders')).toMatchObject({
    ...{ requests: 4, replays: 2, replayRate: 0.5 },
  });
});

it('tell legacy conditions apart, and take transactions and batches by what they touch', async () => {
  const comparison = (ComparisonOperator: string) => ({
    ...{ TableName, Limit: 1 },
    ScanFilter: { id: { ComparisonOperator, AttributeValueList: [{ S: 'a' }] } },
  });
  for (const operator of ['EQ', 'NE', 'EQ'] as const) await db.scan(comparison(operator) as never);
  const put = (id: string) => ({ Put: { TableName, Item: { id: { S: id } } } });
  const remove = (id: string) => ({ Delete: { TableName, Key: { id: { S: id } } } });
  await db.transactWriteItems({ TransactItems: [put('a'), put('b'), remove('c')] });
  await db.transactWriteItems({ TransactItems: [remove('c'), put('a')] });
  for (const keys of [['a'], ['a', 'b']])
    await db.batchGetItem({ RequestItems: { [TableName]: { Keys: keys.map((S) => ({ id: { S } })) } } });
  const { patterns } = await db.patterns({ minutes: 5 });
  expect(patterns.map(({ name, requests }) => [name, requests])).toEqual(
    expect.arrayContaining([
      ['Scan Orders filter id EQ ?', 2],
      ['Scan Orders filter id NE ?', 1],
      ['TransactWriteItems Delete Orders, Put Orders', 2],
      ['BatchGetItem Orders', 2],
    ]),
  );
});

it('have one sample of units for a request, however many items it has', async () => {
  for (const keys of [['a'], ['a', 'b', 'c']])
    await db.batchGetItem({ RequestItems: { [TableName]: { Keys: keys.map((S) => ({ id: { S } })) } } });
  const put = (id: string) => ({ Put: { TableName, Item: { id: { S: id } } } });
  await db.transactWriteItems({ TransactItems: [put('a'), put('b')] });
  const ofTable = { name: 'TableName', value: TableName };
  const ofBatches = [
    { name: 'Operation', value: 'BatchGetItem' },
    { name: 'Pattern', value: 'BatchGetItem Orders' },
    ofTable,
  ];
  const sampled = async (namespace: string, name: string, dimensions: typeof ofBatches) => {
    const key = { accountId: '000000000000', region: 'us-east-1', namespace, name, dimensions };
    const points = await db.observation.read(key, 0, Number.MAX_SAFE_INTEGER, 1_000_000);
    return points.map(({ count, sum, min, max }) => ({ count, sum, min, max }));
  };
  const reads = [{ count: 2, sum: 2, min: 0.5, max: 1.5 }];
  expect(await sampled('Stator/Patterns', 'ReadUnits', ofBatches)).toEqual(reads);
  expect(await sampled('AWS/DynamoDB', 'ConsumedReadCapacityUnits', [ofTable])).toEqual(reads);
  expect(await sampled('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', [ofTable])).toEqual([
    { count: 1, sum: 4, min: 4, max: 4 },
  ]);
});

it('tell the sizes of items also of reads that leave most of them out', async () => {
  for (let i = 0; i < 20; i++)
    await db.putItem({ TableName, Item: { id: { S: `k${i}` }, text: { S: 'x'.repeat(1_000) } } });
  const values = { ':k': 'k3' };
  await db.scan({
    ...{ TableName, FilterExpression: 'id = :k', ExpressionAttributeValues: { ':k': { S: values[':k'] } } },
  });
  await db.executeStatement({
    Statement: `SELECT * FROM ${TableName} WHERE text < 'y' AND contains(id, 'k3')`,
  });
  for (const name of ['Scan Orders filter id = ?', /^ExecuteStatement/]) {
    const { patterns } = await db.patterns({ minutes: 5 });
    const found = patterns.find((each) =>
      typeof name === 'string' ? each.name === name : name.test(each.name),
    );
    expect(found).toMatchObject({ results: { max: 1 } });
    expect(found!.itemBytes!.max).toBeLessThan(1_020);
  }
});

it('are of items: changes of tables are none, refused or not', async () => {
  const before = (await db.patterns({ minutes: 5 })).patterns.length;
  await expect(db.createTable({ TableName: 'x' } as never)).rejects.toThrow();
  await expect(db.describeTable({ TableName: 'missing' })).rejects.toThrow();
  expect((await db.patterns({ minutes: 5 })).patterns).toHaveLength(before);
});

it('tell failed conditions as templates, and reads that physics answered with an older state', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const enforced = await Stator.open({ observe: true, seed: 1, physics: 'enforce', clock });
  await enforced.createTable({
    ...{ TableName, BillingMode: 'PAY_PER_REQUEST' },
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  clock.advanceMs(60_000);
  await enforced.settled();
  const Key = { id: { S: 'a' } };
  let stale = 0;
  for (let version = 1; version <= 40; version++) {
    await enforced.putItem({
      TableName,
      Item: { ...Key, version: { N: String(version) } },
      ConditionExpression: 'attribute_not_exists(#v) OR #v < :v',
      ExpressionAttributeNames: { '#v': 'version' },
      ExpressionAttributeValues: { ':v': { N: String(version) } },
    });
    const { Item } = await enforced.getItem({ TableName, Key });
    if (Item?.version?.N !== String(version)) stale++;
    clock.advanceMs(100);
  }
  await expect(
    enforced.putItem({
      ...{ TableName, Item: Key, ConditionExpression: '#v   >  :w' },
      ...{ ExpressionAttributeNames: { '#v': 'version' }, ExpressionAttributeValues: { ':w': { N: '99' } } },
    }),
  ).rejects.toThrow();
  const { patterns } = await enforced.patterns({ minutes: 5 });
  expect(stale).toBeGreaterThan(3);
  expect(patterns.find(({ name }) => name === 'GetItem Orders')).toMatchObject({ staleReads: stale });
  expect(patterns.find(({ name }) => name === 'PutItem Orders')).toMatchObject({
    conditionFailures: { 'version > ?': 1 },
  });
  await enforced.close();
});

it('are bounded: of very many names those used the longest time ago are dropped and counted', () => {
  let nowMs = 0;
  const store = new MetricStore({ nowMs: () => nowMs });
  const patterns = new Patterns(store, () => nowMs);
  const caller = { accountId: '000000000000', region: 'us-east-1', accessKeyId: 'a', requestId: 'r' };
  const event = (name: string): RequestEvent => ({
    ...{
      operation: 'Scan',
      input: {},
      touches: [],
      charges: [],
      returnedItems: 0,
      readItems: 0,
      readBytes: 0,
    },
    ...{ durationMs: 1, isInjected: false, isReplay: false, isStale: false, pattern: name },
    caller: processCaller({ ...caller, authorize: undefined }),
    outcome: { kind: 'answered' },
  });
  const names = 12_000;
  let most = 0;
  for (let i = 0; i < names; i++) {
    nowMs += 600;
    patterns.request(event(`pattern ${i}`));
    // One that is always in use is never dropped.
    if (i % 50 === 0) patterns.request(event('always'));
    if (i % 100 === 0) most = Math.max(most, patterns.all().length);
  }
  expect(most).toBeLessThanOrEqual(patternsMax);
  expect(patterns.all().length).toBeLessThanOrEqual(patternsMax);
  expect(patterns.dropped).toBe(names + 1 - patterns.all().length);
  const always = patterns.all().find(({ name }) => name === 'always');
  expect(always?.latency.series.totalCount).toBe(names / 50);
  // Their series are bounded too.
  expect(store.dropped).toBeGreaterThan(names / 8);
});
