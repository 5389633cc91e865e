import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { opened, resourceOf, startMs, tableWith } from './load.ts';

const TableName = 'Tracking';
const small = tableWith({
  BillingMode: 'PROVISIONED',
  ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
});
const put = (pk: string) => new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: '1' } } });

let db: Stator;
afterEach(() => db.close());

describe('a mode', () => {
  async function served(options: StatorOptions) {
    const all = await opened(small, options);
    db = all.db;
    const { url } = await db.listen({ port: 0 });
    const ask = async (path: string, method = 'GET', body?: object) => {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(new URL(`/_stator/physics${path}`, url), init);
      return [response.status, await response.json()] as [number, Record<string, unknown>];
    };
    return { ...all, ask };
  }
  const isRefused = async (client: DynamoDBClient) => {
    resourceOf(db).write.balance = -10;
    return client.send(put('a')).then(
      () => false,
      () => true,
    );
  };

  it('changes while the server runs, for all tables and for one', async () => {
    const { client, ask } = await served({});
    await client.send(put('a'));
    expect(await isRefused(client)).toBe(false);
    expect(await ask('', 'POST', { mode: 'enforce' })).toMatchObject([200, { mode: 'enforce' }]);
    expect(await isRefused(client)).toBe(true);
    expect(await ask('/Tracking', 'POST', { mode: 'shadow' })).toMatchObject([200, { mode: 'shadow' }]);
    expect(await isRefused(client)).toBe(false);
    expect(await ask('/Tracking', 'DELETE')).toMatchObject([200, { mode: 'enforce' }]);
    expect(await isRefused(client)).toBe(true);
    const effects = { tableThroughput: false };
    expect(await ask('', 'POST', { effects })).toMatchObject([200, { mode: 'enforce', effects }]);
    expect(await isRefused(client)).toBe(false);
    expect(await ask('', 'POST', { mode: 'off' })).toMatchObject([200, { mode: 'off' }]);
    const before = db.engine.capacity.model.verdicts().length;
    expect(await isRefused(client)).toBe(false);
    expect(db.engine.capacity.model.verdicts()).toHaveLength(before);
  });

  it('is told with the map, the load and verdicts in words', async () => {
    const { client, ask } = await served({});
    for (let i = 0; i < 3; i++) await client.send(put('a'));
    await isRefused(client);
    const [status, report] = await ask('/Tracking');
    expect(status).toBe(200);
    expect(report).toMatchObject({
      ...{ table: 'Tracking', region: 'us-east-1', mode: 'shadow' },
      resources: [{ partitions: [{ id: 1, share: 1 }], lastHour: [{ writeUnits: 3, refusedWrites: 1 }] }],
      verdicts: [{ reason: 'TableWriteProvisionedThroughputExceeded', key: 'a', count: 1 }],
      cost: { currency: 'USD', minutes: [{ writeUnits: 3, refused: 1 }] },
    });
    const [{ explanation }] = report.verdicts as [{ explanation: string }];
    expect(explanation).toMatch(
      /^The table Tracking was asked for .* 1 are provisioned .* would have been refused/,
    );
    const [, all] = await ask('');
    expect(all).toMatchObject({ mode: 'shadow', tables: [{ table: 'Tracking', partitions: 1, refused: 1 }] });
    expect(all.assumptions).toHaveProperty('partitionDepthSeconds');
  });

  it('that is none is refused with a reason', async () => {
    const { ask } = await served({});
    expect(await ask('', 'POST', { mode: 'hard' })).toMatchObject(
      [400, { error: /"mode" must be one of/ }].map(matcher),
    );
    expect(await ask('', 'POST', {})).toMatchObject([400, { error: 'Give mode, effects or indexLagMs.' }]);
    expect(await ask('', 'POST', { effects: { gravity: true } })).toMatchObject([400, {}]);
    expect(await ask('/Nothing')).toMatchObject([404, { error: /There is no table Nothing/ }].map(matcher));
    expect(await ask('/Nothing', 'POST', { mode: 'off' })).toMatchObject([404, {}]);
  });

  it('of a table can be given when the database is opened', async () => {
    const tables = { Tracking: 'enforce' as const };
    const { client } = await served({ physics: { mode: 'off', tables } });
    await client.send(put('a'));
    expect(await isRefused(client)).toBe(true);
  });
});

function matcher(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      each instanceof RegExp ? expect.stringMatching(each) : each,
    ]),
  );
}

describe('enforce', () => {
  it('is refused where several processes share a store, and shadow is not', async () => {
    const store = { url: inject('postgresUrl'), schema: freshSchema() };
    await expect(Stator.open({ store, physics: 'enforce' })).rejects.toThrow(
      /several processes share a store.*Use "shadow"/,
    );
    db = await Stator.open({ store });
    expect(db.engine.capacity.modes.server.mode).toBe('shadow');
  });

  it('lets the retries of the SDK through on a clock that nobody moves', async () => {
    const all = await opened(small, { physics: 'enforce' });
    db = all.db;
    const patient = db.client({ maxAttempts: 6 });
    await patient.send(put('a'));
    resourceOf(db).write.balance = -0.1;
    await expect(all.client.send(put('b'))).rejects.toThrow();
    const { $metadata } = await patient.send(put('b'));
    expect($metadata.attempts).toBeGreaterThan(1);
    await db.settled();
  });

  it('lets transactions that meet conflict, in memory too', async () => {
    const all = await opened(tableWith(), { physics: 'enforce' });
    db = all.db;
    const { client } = all;
    const Item = { pk: { S: 'a' }, sk: { S: '1' } };
    const transact = () =>
      client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item } }] }));
    const results = await Promise.allSettled([transact(), transact(), client.send(put('a'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(reasons).toMatchObject([
      { name: 'TransactionCanceledException', CancellationReasons: [{ Code: 'TransactionConflict' }] },
      { name: 'TransactionConflictException' },
    ]);
    await transact();
  });

  it('shows some eventually consistent reads the past, for milliseconds, and consistent reads never', async () => {
    const all = await opened(tableWith(), { physics: 'enforce' });
    db = all.db;
    const { client, clock } = all;
    const Key = { pk: { S: 'a' }, sk: { S: '1' } };
    const seen = async (ConsistentRead: boolean) => {
      const found = new Set<boolean>();
      for (let i = 0; i < 60; i++)
        found.add(
          (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead }))).Item !== undefined,
        );
      return [...found].sort();
    };
    await client.send(put('a'));
    expect(await seen(false)).toEqual([false, true]);
    expect(await seen(true)).toEqual([true]);
    clock.advanceMs(25);
    expect(await seen(false)).toEqual([true]);
    await client.send(new DeleteItemCommand({ TableName, Key }));
    expect(await seen(false)).toEqual([false, true]);
    db.engine.capacity.modes.setServer({ effects: { staleReads: false } });
    expect(await seen(false)).toEqual([false]);
  });
});

describe('the model', () => {
  it('survives a clock that jumps a year ahead and back', async () => {
    const clock = new VirtualClock(startMs);
    db = await Stator.open({ clock, physics: 'shadow' });
    await db.createTable(small as never);
    const year = 365 * 86_400_000;
    for (const jump of [0, year, -2 * year, year, 1]) {
      clock.advanceMs(jump);
      await db.putItem({ TableName, Item: { pk: { S: 'a' }, sk: { S: '1' } } });
      const { write } = resourceOf(db);
      expect(Number.isFinite(write.balance)).toBe(true);
    }
  });
});
