import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/engine/events.ts';
import { Stator } from '../../src/index.ts';
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
  db.faults.add({ error: 'ThrottlingException', operation: 'PutItem', times: 2 });
  const { $metadata } = await client.send(putOf('a'));
  expect($metadata.attempts).toBe(3);
  expect(await pattern('PutItem Orders')).toMatchObject({
    ...{ requests: 3, retries: 2, errors: { ThrottlingException: 2 } },
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

it('are bounded: of very many names those used the longest time ago are dropped and counted', () => {
  let nowMs = 0;
  const store = new MetricStore({ nowMs: () => nowMs });
  const patterns = new Patterns(store, () => nowMs);
  const caller = { accountId: '000000000000', region: 'us-east-1', accessKeyId: 'a', requestId: 'r' };
  const event = (name: string): RequestEvent => ({
    ...{ operation: 'ListThings', input: {}, touches: [], charges: [], returnedItems: 0, readBytes: 0 },
    ...{ durationMs: 1, isInjected: false, isReplay: false, isStale: false, pattern: name },
    caller: { ...caller, header: () => undefined },
    outcome: { kind: 'answered' },
  });
  const names = 20_000;
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
  expect(store.dropped).toBeGreaterThan(names / 3);
});
