import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { requestHeaders } from '../cli/plain-request.ts';

/** What only looks, as the studio does, is no traffic; what writes always is. */

let clock: VirtualClock;
let db: Stator;
let server: StatorServer;

beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
  db = await Stator.open({ clock, physics: 'enforce', observe: true, seed: 1 });
  await db.createTable({
    TableName: 'orders',
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 100 },
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  clock.advanceMs(60_000);
  await db.putItem({ TableName: 'orders', Item: { pk: { S: 'a' } } });
  server = await db.listen({ port: 0 });
});
afterEach(async () => {
  await server.close();
  await db.close();
});

interface Answer {
  readonly status: number;
  readonly Table: { readonly LatestStreamArn: string };
  readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
  readonly ShardIterator: string;
}

async function send(operation: string, input: object, isObserver = true): Promise<Answer> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      ...requestHeaders(operation),
      ...(operation.includes('Record') || operation.includes('Iterator') || operation === 'DescribeStream'
        ? { 'X-Amz-Target': `DynamoDBStreams_20120810.${operation}` }
        : {}),
      ...(isObserver && { 'x-stator-observer': 'studio' }),
    },
    body: JSON.stringify(input),
  });
  return { ...((await response.json()) as Answer), status: response.status };
}

async function control<Found>(path: string): Promise<Found> {
  return (await (await fetch(`${server.url}/_stator/${path}`)).json()) as Found;
}

interface Live {
  readonly tables: readonly { readonly seconds: readonly { readonly requests: number }[] }[];
}

async function requestsCounted(): Promise<number> {
  const { tables } = await control<Live>('series?seconds=60');
  return tables.flatMap(({ seconds }) => seconds).reduce((sum, { requests }) => sum + requests, 0);
}

async function lookAtEverything(isObserver: boolean): Promise<void> {
  const TableName = 'orders';
  const look = async (operation: string, input: object) => {
    const answer = await send(operation, input, isObserver);
    expect(answer.status, `${operation}: ${JSON.stringify(answer)}`).toBe(200);
    return answer;
  };
  const { Table } = await look('DescribeTable', { TableName });
  await look('Query', {
    ...{ TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } },
  });
  const { StreamDescription } = await look('DescribeStream', { StreamArn: Table.LatestStreamArn });
  const { ShardIterator } = await look('GetShardIterator', {
    StreamArn: Table.LatestStreamArn,
    ShardId: StreamDescription.Shards[0]!.ShardId,
    ShardIteratorType: 'TRIM_HORIZON',
  });
  await look('GetRecords', { ShardIterator });
}

describe('a request that only observes', () => {
  it('is in no rate, no pattern, no insight and no metric', async () => {
    clock.advanceMs(120_000);
    await lookAtEverything(true);
    expect(await requestsCounted()).toBe(0);
    const { patterns } = await control<{ patterns: readonly { operation: string }[] }>('patterns');
    expect(patterns.map(({ operation }) => operation)).toEqual(['PutItem']);
    const { series } = await control<{ series: readonly { metric: string }[] }>('series?table=orders');
    expect(
      series.map(({ metric }) => metric).filter((name) => /ConsumedRead|Records|Returned|Age/.test(name)),
    ).toEqual([]);
    // The same requests without the mark are all there.
    await lookAtEverything(false);
    expect(await requestsCounted()).toBeGreaterThan(2);
  });

  it('consumes no capacity and meets no fault', async () => {
    for (let i = 0; i < 400; i++) await send('Scan', { TableName: 'orders', ConsistentRead: true });
    expect((await send('Scan', { TableName: 'orders' }, false)).status).toBe(200);
    const fault = { operation: 'GetItem', error: 'InternalServerError', times: 1 };
    const armed = await fetch(`${server.url}/_stator/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    expect(armed.ok, await armed.text()).toBe(true);
    const get = { TableName: 'orders', Key: { pk: { S: 'a' } } };
    expect((await send('GetItem', get)).status).toBe(200);
    expect((await send('GetItem', get, false)).status).toBe(500);
  });

  it('is never a write', async () => {
    const before = await requestsCounted();
    expect((await send('PutItem', { TableName: 'orders', Item: { pk: { S: 'b' } } })).status).toBe(200);
    expect(await requestsCounted()).toBe(before + 1);
  });

  it('is not needed to see all tables: one resource has them', async () => {
    const { names, tables, physics } = await control<{
      names: string[];
      tables: { TableName: string; ItemCount: number }[];
      physics: { table: string; mode: string }[];
    }>('tables');
    expect(names).toEqual(['orders']);
    expect(tables).toEqual([(await send('DescribeTable', { TableName: 'orders' })).Table]);
    expect(physics).toMatchObject([{ table: 'orders', mode: 'enforce' }]);
  });
});
