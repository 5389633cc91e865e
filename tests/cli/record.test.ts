import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { ValueHasher } from '../../src/traffic/hash-values.ts';
import { type RequestLine, readTraffic } from '../../src/traffic/traffic-file.ts';
import { Places } from './places.ts';
import { runStator } from './stator-process.ts';

const places = new Places();
let db: Stator;
let endpoint: string;

beforeAll(async () => {
  db = await Stator.open({ observe: true });
  endpoint = (await db.listen({ port: 0 })).url;
  await db.createTable({
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
});

afterAll(() => db.close());

const call = (method: string, body?: object) =>
  fetch(`${endpoint}/_stator/record`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function linesOf(text: string): Promise<RequestLine[]> {
  const { lines } = await readTraffic(
    (async function* () {
      yield text;
    })(),
  );
  const read: RequestLine[] = [];
  for await (const line of lines) read.push(line as RequestLine);
  return read;
}

describe('a recording', () => {
  it('holds the requests of the data plane, with digests for values', async () => {
    expect((await call('POST', {})).status).toBe(201);
    expect((await call('POST', {})).status).toBe(409);
    const Item = { id: { S: 'ORDER#alice@example.com' }, total: { N: '149.50' } };
    await db.putItem({ TableName: 'Orders', Item });
    await db.getItem({ TableName: 'Orders', Key: { id: Item.id } });
    await db.describeTable({ TableName: 'Orders' });
    const [put, get, ...others] = await linesOf(await (await call('DELETE')).text());
    expect(others).toEqual([]);
    expect(put).toMatchObject({ op: 'PutItem', writeUnits: 1 });
    expect(get).toMatchObject({ op: 'GetItem', readUnits: 0.5, items: 1 });
    const hashed = (put!.input.Item as typeof Item).id.S;
    expect(hashed).toMatch(/^ORDER#[A-Za-z0-9]{17}$/);
    expect((get!.input.Key as { readonly id: object }).id).toEqual({ S: hashed });
    expect(JSON.stringify(put)).not.toContain('alice');
    expect((await call('DELETE')).status).toBe(404);
  });

  it('shows values if it is asked to, and only the tables that it is asked for', async () => {
    await call('POST', { plain: true, tables: ['Orders'] });
    await db.putItem({ TableName: 'Orders', Item: { id: { S: 'ORDER#1' } } });
    await db.getItem({ TableName: 'Others', Key: { id: { S: 'x' } } }).catch(() => {});
    const lines = await linesOf(await (await call('DELETE')).text());
    expect(lines.map(({ op, input }) => [op, input])).toEqual([
      ['PutItem', { TableName: 'Orders', Item: { id: { S: 'ORDER#1' } } }],
    ]);
    expect((await call('POST', { tables: 'Orders' })).status).toBe(400);
    expect((await call('POST', { colour: 1 })).status).toBe(400);
  });

  it('is written into a file, and never over one', async () => {
    const directory = await places.directory();
    const args = ['record', '--endpoint', endpoint, '--seconds', '1', '--out', 'traffic.jsonl', '--plain'];
    const running = runStator(args, { directory });
    await running.err.until(/Recording into/);
    await db.putItem({ TableName: 'Orders', Item: { id: { S: 'ORDER#2' } } });
    const { code, out } = await running.ended;
    expect(code).toBe(0);
    expect(out).toContain('Recorded 1 requests into');
    expect(await linesOf(readFileSync(join(directory, 'traffic.jsonl'), 'utf8'))).toHaveLength(1);
    const again = await places.run(directory, args);
    expect(again.code).toBe(1);
    expect(again.err).toContain('traffic.jsonl cannot be written');
  });
});

describe('digests', () => {
  it('keep equality, sizes, heads and types, and need the secret', () => {
    const hasher = new ValueHasher(new Uint8Array([1, 2, 3]));
    const hash = (value: object) => (hasher.input({ Key: { k: value } }).Key as { readonly k: object }).k;
    expect(hash({ S: 'CUST#éa#ORDER' })).toEqual({ S: expect.stringMatching(/^CUST#\w{3}#ORDER$/) });
    expect(hash({ S: 'x'.repeat(100) })).toEqual({ S: expect.stringMatching(/^\w{100}$/) });
    expect(hash({ N: '-12.50' })).toEqual({ N: expect.stringMatching(/^-[1-9]\d\.\d\d$/) });
    expect(hash({ BOOL: true })).toEqual({ BOOL: true });
    expect(hash({ M: { a: { S: 'b' } } })).toEqual(hash({ M: { a: { S: 'b' } } }));
    expect(new ValueHasher(new Uint8Array([4])).text('secret')).not.toBe(hasher.text('secret'));
    expect(hasher.input({ Statement: `SELECT * FROM "T" WHERE a = 'bob'` }).Statement).not.toContain('bob');
  });
});

describe('stator start --example', () => {
  it('serves a model with data and a gentle traffic until it is stopped', async () => {
    const directory = await places.directory();
    const args = ['start', '--in-memory', '--port', '0', '--example', 'parcels', '--json'];
    const running = runStator(args, { directory });
    const served = await running.endpoint();
    await running.err.until(/Loaded the example parcels/);
    const client = new DynamoDBClient({
      endpoint: served,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const { Count } = await client.send(
      new QueryCommand({
        TableName: 'parcels',
        IndexName: 'GSI1',
        KeyConditionExpression: 'GSI1PK = :p',
        ExpressionAttributeValues: { ':p': { S: 'LATESTSTATUS' } },
        Select: 'COUNT',
      }),
    );
    client.destroy();
    expect(Count).toBeGreaterThan(0);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    const refused = await places.run(directory, [
      'start',
      '--example',
      'parcels',
      '--workers',
      '2',
      '--port',
      '0',
    ]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--example plays in one process.');
  });
});
