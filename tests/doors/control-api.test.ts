import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { Signer } from '../../src/kit/signer.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { newDirectory } from '../storage/directories.ts';
import { ordersTable } from './orders-table.ts';

let db: Stator;
let server: StatorServer;

afterEach(async () => {
  await db.close();
});

async function start(options: Parameters<typeof Stator.open>[0] = {}): Promise<void> {
  db = await Stator.open(options);
  server = await db.listen({ port: 0 });
}

/** Sends exactly these headers, which `fetch` would not. */
function control(
  method: string,
  path: string,
  { body = '', headers = {} }: { body?: string | undefined; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: server.host, port: server.port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        const isJson = response.headers['content-type'] === 'application/json';
        resolve({
          status: response.statusCode!,
          body: isJson ? JSON.parse(text) : text,
          headers: response.headers,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Signature Version 4 over an empty body. */
function signed(
  method: string,
  url: string,
  accessKeyId: string,
  secretAccessKey: string,
): Record<string, string> {
  const host = `${server.host}:${server.port}`;
  const nowMs = Date.now();
  const signer = new Signer({
    digest: nodeDigest,
    accessKeyId,
    secretAccessKey,
    region: 'us-east-1',
    service: 'dynamodb',
    nowMs,
  });
  const headers = { host, 'x-amz-date': signer.dateTime };
  const authorization = signer.authorization({ method, url, headers, bodyHash: nodeDigest.sha256('') });
  return { ...headers, authorization };
}

function clientOf(accessKeyId: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey: 'any' },
  });
}

async function tablesOf(accessKeyId: string): Promise<string[]> {
  const client = clientOf(accessKeyId);
  const { TableNames } = await client.send(new ListTablesCommand({}));
  client.destroy();
  return TableNames!;
}

async function createTable(accessKeyId: string, TableName: string): Promise<void> {
  const client = clientOf(accessKeyId);
  const { AttributeDefinitions, KeySchema, ...rest } = ordersTable;
  await client.send(
    new CreateTableCommand({
      ...rest,
      TableName,
      AttributeDefinitions: [...AttributeDefinitions],
      KeySchema: [...KeySchema],
    }),
  );
  client.destroy();
}

describe('the control API', () => {
  it('tells that the server lives and is ready', async () => {
    await start();
    expect(await control('GET', '/_stator/health')).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await control('GET', '/_stator/ready')).toMatchObject({ status: 200, body: 'ready\n' });
    expect(await control('HEAD', '/_stator/health')).toMatchObject({ status: 200, body: '' });
  });

  it('is not ready while the store fails', async () => {
    const store = new MemoryStore();
    await start({ store });
    store.get = () => {
      throw new Error('The connection is lost');
    };
    expect(await control('GET', '/_stator/ready')).toMatchObject({
      status: 503,
      body: { error: 'The connection is lost' },
    });
  });

  it('gives each access key a namespace and resets it', async () => {
    await start();
    await createTable('builder', 'base-table');
    expect(await control('POST', '/_stator/namespaces/one')).toMatchObject({
      status: 201,
      body: { accessKeyId: 'one', created: true },
    });
    expect((await control('POST', '/_stator/namespaces/two')).status).toBe(201);
    await createTable('one', 'of-one');
    expect(await tablesOf('one')).toEqual(['base-table', 'of-one']);
    expect(await tablesOf('two')).toEqual(['base-table']);
    expect(await tablesOf('builder')).toEqual(['base-table']);
    expect((await control('GET', '/_stator/namespaces')).body).toEqual({
      namespaces: ['one', 'two'],
      snapshot: false,
    });
    expect(await control('POST', '/_stator/namespaces/one')).toMatchObject({
      status: 200,
      body: { accessKeyId: 'one', created: false },
    });
    expect(await tablesOf('one')).toEqual(['base-table']);
    await createTable('one', 'of-one');
    expect((await control('DELETE', '/_stator/namespaces/one')).status).toBe(200);
    expect(await tablesOf('one')).toEqual(['base-table']);
    expect(await control('DELETE', '/_stator/namespaces/one')).toMatchObject({
      status: 404,
      body: { error: 'The access key one has no namespace' },
    });
  });

  it('resets to the snapshot once there is one, the base as well', async () => {
    await start();
    expect(await control('POST', '/_stator/reset')).toMatchObject({ status: 409 });
    await createTable('builder', 'first');
    expect((await control('POST', '/_stator/snapshot')).status).toBe(200);
    await createTable('builder', 'second');
    await control('POST', '/_stator/namespaces/one');
    expect(await tablesOf('one')).toEqual(['first']);
    expect(await tablesOf('builder')).toEqual(['first', 'second']);
    expect((await control('POST', '/_stator/reset')).status).toBe(200);
    expect(await tablesOf('builder')).toEqual(['first']);
    expect((await db.listTables()).TableNames).toEqual(['first']);
  });

  it('makes up an access key for who has none in mind', async () => {
    await start();
    const { status, body } = await control('POST', '/_stator/fork');
    const { accessKeyId } = body as { accessKeyId: string };
    expect(status).toBe(201);
    await createTable(accessKeyId, 'of-fork');
    expect(await tablesOf(accessKeyId)).toEqual(['of-fork']);
    expect(await tablesOf('builder')).toEqual([]);
  });

  it('answers that the clock has moved once everything that has expired is gone', async () => {
    await start({ clock: new VirtualClock(1_000_000) });
    const TableName = 'sessions';
    await createTable('builder', TableName);
    await db.updateTimeToLive({
      TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    for (let i = 0; i < 100; i++)
      await db.putItem({
        TableName,
        Item: { customer: { S: `${i}` }, order: { N: '1' }, expires: { N: `${1_000 + i}` } },
      });
    await control('POST', '/_stator/namespaces/one');
    await control('POST', '/_stator/clock', { body: '{"advanceMs":50000}' });
    expect((await db.scan({ TableName })).Count).toBe(49);
    await control('POST', '/_stator/clock?namespace=one', { body: '{"setMs":1020000}' });
    const one = await control('GET', '/_stator/clock?namespace=one');
    expect(one.body).toMatchObject({ nowMs: 1_020_000 });
    expect((await db.scan({ TableName })).Count).toBe(49);
  });

  it('moves a virtual clock, and each namespace has its own', async () => {
    await start({ clock: new VirtualClock(1_000_000) });
    expect((await control('GET', '/_stator/clock')).body).toEqual({
      nowMs: 1_000_000,
      now: '1970-01-01T00:16:40.000Z',
      virtual: true,
    });
    await control('POST', '/_stator/namespaces/one');
    const advance = { body: '{"advanceMs":60000}' };
    expect((await control('POST', '/_stator/clock', advance)).body).toMatchObject({ nowMs: 1_060_000 });
    expect((await control('GET', '/_stator/clock?namespace=one')).body).toMatchObject({ nowMs: 1_000_000 });
    const set = { body: '{"setMs":5000}' };
    expect((await control('POST', '/_stator/clock?namespace=one', set)).body).toMatchObject({ nowMs: 5000 });
    expect(db.clock.nowMicros()).toBe(1_060_000_000);
    for (const body of [
      '{}',
      '[]',
      '{',
      '{"advanceMs":"1"}',
      '{"setMs":1,"advanceMs":1}',
      '{"setMs":-1}',
      '{"x":1}',
    ]) {
      expect(await control('POST', '/_stator/clock', { body })).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    }
    expect((await control('GET', '/_stator/clock?namespace=nobody')).status).toBe(404);
  });

  it('checks a database, and each namespace is one', async () => {
    await start();
    await db.createTable(ordersTable);
    await control('POST', '/_stator/namespaces/one');
    await db.deleteTable({ TableName: ordersTable.TableName });
    expect(await control('POST', '/_stator/check')).toMatchObject({
      status: 200,
      body: { clean: true, tables: 0, findings: [], unjudged: [] },
    });
    const ofNamespace = await control('POST', '/_stator/check?namespace=one');
    expect(ofNamespace).toMatchObject({ status: 200, body: { clean: true, tables: 1 } });
    expect((await control('POST', '/_stator/check?namespace=nobody')).status).toBe(404);
    expect((await control('GET', '/_stator/check')).status).toBe(405);
  });

  it("leaves the system's clock alone", async () => {
    await start();
    expect((await control('GET', '/_stator/clock')).body).toMatchObject({ virtual: false });
    expect(await control('POST', '/_stator/clock', { body: '{"advanceMs":1}' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("the system's clock") },
    });
  });

  it('refuses what the store cannot do', async () => {
    const directory = await newDirectory();
    onTestFinished(() => rm(directory, { recursive: true }));
    await start({ store: { directory } });
    for (const path of ['snapshot', 'reset', 'fork', 'namespaces/one']) {
      expect(await control('POST', `/_stator/${path}`)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('in memory') },
      });
    }
  });

  it('answers 404 and 405 in JSON', async () => {
    await start();
    for (const path of ['/_stator/', '/_stator/nothing', '/_stator/namespaces/a/b']) {
      expect(await control('GET', path)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    }
    const wrongMethod = await control('DELETE', '/_stator/health');
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.allow).toBe('GET');
    expect((await control('POST', '/_stator/namespaces/a%20b')).status).toBe(400);
    expect((await control('POST', '/_stator/namespaces/a%2Fb')).status).toBe(400);
  });

  it('refuses web pages of other sites', async () => {
    await start();
    const own = `127.0.0.1:${server.port}`;
    const send = (headers: Record<string, string>) =>
      control('POST', '/_stator/snapshot', { headers: { host: own, ...headers } });
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ origin: 'null' })).status).toBe(403);
    expect((await send({ origin: `http://127.0.0.1:${server.port + 1}` })).status).toBe(403);
    expect((await send({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({ host: `evil.example:${server.port}` })).status).toBe(403);
    expect((await send({ host: '127.0.0.1.evil.example' })).status).toBe(403);
    expect((await send({ origin: `http://${own}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await send({ host: `localhost:${server.port}` })).status).toBe(200);
    expect((await send({ host: `[::1]:${server.port}` })).status).toBe(200);
  });

  it('wants a signature where the server verifies them', async () => {
    db = await Stator.open();
    const credentials = [{ accessKeyId: 'known', secretAccessKey: 'secret', administrator: true }];
    server = await db.listen({ port: 0, auth: 'verify', credentials });
    expect((await control('GET', '/_stator/health')).status).toBe(200);
    expect((await control('GET', '/_stator/ready')).status).toBe(200);
    expect(await control('POST', '/_stator/snapshot')).toMatchObject({
      status: 403,
      body: { error: expect.any(String) },
    });
    const unsigned =
      'AWS4-HMAC-SHA256 Credential=known/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';
    const headers = { authorization: unsigned, 'x-amz-date': '20260101T000000Z' };
    expect((await control('POST', '/_stator/snapshot', { headers })).status).toBe(403);
    const sign = (secret: string) => ({ headers: signed('POST', '/_stator/snapshot', 'known', secret) });
    expect((await control('POST', '/_stator/snapshot', sign('wrong'))).status).toBe(403);
    expect((await control('POST', '/_stator/snapshot', sign('secret'))).status).toBe(200);
  });

  it('keeps keys with an account of their own to their own account where signatures are verified', async () => {
    await server.close();
    const credentials = [
      { accessKeyId: 'root', secretAccessKey: 's', administrator: true },
      { accessKeyId: 'plain', secretAccessKey: 's' },
      { accessKeyId: 'tenant', secretAccessKey: 's', accountId: '111122223333' },
      { accessKeyId: 'deputy', secretAccessKey: 's', accountId: '111122223333', administrator: true },
    ];
    const observed = await Stator.open({ observe: true });
    try {
      server = await observed.listen({ port: 0, auth: 'verify', credentials });
      const ask = (method: string, path: string, key: string) =>
        control(method, path, { headers: signed(method, path, key, 's') });
      const definition = (TableName: string) => ({
        TableName,
        BillingMode: 'PAY_PER_REQUEST' as const,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
      });
      await observed.createTable(definition('of-root'));
      await observed.createTable(definition('of-tenant'), { accountId: '111122223333' });
      await observed.scan({ TableName: 'of-root' });
      await observed.scan({ TableName: 'of-tenant' }, { accountId: '111122223333', pattern: 'look around' });
      const patternsOf = async (path: string, key: string) => {
        const { body } = await ask('GET', path, key);
        const { patterns } = body as { patterns: { table: string; name: string }[] };
        return patterns.filter(({ table }) => table !== null).map(({ table, name }) => `${table} ${name}`);
      };
      expect(await patternsOf('/_stator/patterns', 'tenant')).toContain('of-tenant look around');
      expect((await patternsOf('/_stator/patterns', 'tenant')).join()).not.toContain('of-root');
      expect((await patternsOf('/_stator/patterns', 'root')).join()).not.toContain('of-tenant');
      const other = '/_stator/patterns?accountId=111122223333';
      expect(await patternsOf(other, 'root')).toContain('of-tenant look around');
      for (const path of [
        '/_stator/patterns?accountId=000000000000',
        '/_stator/series?accountId=000000000000',
        '/_stator/live?accountId=000000000000',
        '/_stator/physics?namespace=x',
        '/_stator/namespaces',
        '/_stator/faults',
        '/_stator/metrics',
        '/_stator/jobs',
      ])
        expect({ path, status: (await ask('GET', path, 'tenant')).status }).toEqual({ path, status: 403 });
      for (const path of [
        '/_stator/snapshot',
        '/_stator/physics',
        '/_stator/physics/of-tenant',
        '/_stator/clock',
      ])
        expect({ path, status: (await ask('POST', path, 'tenant')).status }).toEqual({ path, status: 403 });
      expect((await ask('GET', '/_stator/physics/of-tenant', 'tenant')).status).toBe(200);
      expect((await ask('GET', '/_stator/physics/of-root', 'tenant')).status).toBe(404);
      expect((await ask('POST', '/_stator/snapshot', 'deputy')).status).toBe(200);
      expect((await ask('POST', '/_stator/snapshot', 'plain')).status).toBe(403);
    } finally {
      await observed.close();
    }
  });

  it('serves the models that the server was given', async () => {
    await server.close();
    const own = await Stator.open();
    const model = { format: 'stator-model/1' as const, name: 'shop' };
    const design = { format: 'stator-design/1' as const, model: 'shop', tables: [{ name: 'shop' }] };
    server = await own.listen({ port: 0, models: [{ model, design }] });
    expect((await control('GET', '/_stator/models')).body).toEqual({ models: [{ model, design }] });
    const wrong = [{ model, design: { ...design, model: 'other' } }];
    await expect(own.listen({ port: 0, models: wrong })).rejects.toThrow('models[0].design is no design');
    await own.close();
  });
});
