import { createRequire } from 'node:module';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { orderKey, ordersTable } from './orders-table.ts';

let db: Stator;

beforeEach(async () => {
  db = await Stator.open();
});

afterEach(async () => {
  await db.close();
});

const createOrders = () =>
  new CreateTableCommand({
    ...ordersTable,
    KeySchema: [...ordersTable.KeySchema],
    AttributeDefinitions: [...ordersTable.AttributeDefinitions],
  });

describe('a client of the SDK in process', () => {
  it('is an instance of the class that applications import, and of the one they require', () => {
    const required = createRequire(import.meta.url)('@aws-sdk/client-dynamodb') as {
      DynamoDBClient: typeof DynamoDBClient;
    };
    expect(db.client()).toBeInstanceOf(DynamoDBClient);
    expect(db.client()).toBeInstanceOf(required.DynamoDBClient);
    expect(db.documentClient()).toBeInstanceOf(DynamoDBDocumentClient);
  });

  it('creates a table, waits for it, and puts, gets and deletes an item', async () => {
    const client = db.client();
    const { TableDescription } = await client.send(createOrders());
    expect(TableDescription?.CreationDateTime).toBeInstanceOf(Date);
    await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName: 'orders' });
    const Item = { ...orderKey('ada', 1), scan: { B: new Uint8Array([0, 255]) } };
    await client.send(new PutItemCommand({ TableName: 'orders', Item }));
    const Key = orderKey('ada', 1);
    const found = await client.send(new GetItemCommand({ TableName: 'orders', Key }));
    expect(found.Item).toEqual(Item);
    expect(found.$metadata).toMatchObject({ httpStatusCode: 200, attempts: 1 });
    expect(found.$metadata.requestId).toMatch(/^[0-9A-V]{52}$/);
    await client.send(new DeleteItemCommand({ TableName: 'orders', Key }));
    expect((await client.send(new GetItemCommand({ TableName: 'orders', Key }))).Item).toBeUndefined();
  });

  it('throws the exceptions of the SDK', async () => {
    const client = db.client();
    const missing = client.send(new DescribeTableCommand({ TableName: 'missing' }));
    await expect(missing).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(missing).rejects.toMatchObject({
      message: 'Requested resource not found: Table: missing not found',
      $metadata: { httpStatusCode: 400 },
    });
    await client.send(createOrders());
    await expect(client.send(createOrders())).rejects.toBeInstanceOf(ResourceInUseException);
    await expect(client.send(new ListTablesCommand({ Limit: 101 }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  it('waits until a table is gone', async () => {
    await waitUntilTableNotExists({ client: db.client(), maxWaitTime: 30 }, { TableName: 'missing' });
  });

  it('sees the tables of the Region and of the account that it is configured with', async () => {
    await db.client({ region: 'eu-west-1' }).send(createOrders());
    const names = async (config: Parameters<Stator['client']>[0]) =>
      (await db.client(config).send(new ListTablesCommand({}))).TableNames;
    expect(await names({ region: 'eu-west-1' })).toEqual(['orders']);
    expect(await names({ region: async () => 'eu-west-1' })).toEqual(['orders']);
    expect(await names({})).toEqual([]);
    const credentials = { accessKeyId: '123456789012', secretAccessKey: 'any' };
    expect(await names({ region: 'eu-west-1', credentials })).toEqual([]);
    const { Table } = await db
      .client({ region: 'eu-west-1' })
      .send(new DescribeTableCommand({ TableName: 'orders' }));
    expect(Table?.TableArn).toBe('arn:aws:dynamodb:eu-west-1:000000000000:table/orders');
  });

  it('works with signatures too, as older versions of the SDK send them', async () => {
    const { httpAuthSchemes: _, ...config } = db.clientConfig() as Record<string, unknown>;
    const client = new DynamoDBClient(config);
    await client.send(createOrders());
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['orders']);
  });

  it('does not begin what is aborted before', async () => {
    const client = db.client();
    await client.send(createOrders());
    const put = new PutItemCommand({ TableName: 'orders', Item: orderKey('ada', 1) });
    await expect(client.send(put, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const { Item } = await client.send(new GetItemCommand({ TableName: 'orders', Key: orderKey('ada', 1) }));
    expect(Item).toBeUndefined();
  });

  it('does not wait for what is aborted on the way', async () => {
    const slow = new SlowStore();
    const slowDb = await Stator.open({ store: slow });
    const aborting = new AbortController();
    const answer = slowDb
      .client()
      .send(new DescribeTableCommand({ TableName: 'orders' }), { abortSignal: aborting.signal });
    const asked = slow.asked;
    void asked.then(() => aborting.abort());
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a document client in process', () => {
  it('puts, gets and deletes plain values', async () => {
    await db.client().send(createOrders());
    const documents = db.documentClient({}, { marshallOptions: { removeUndefinedValues: true } });
    const Item = { customer: 'ada', order: 7, lines: [{ sku: 'x', count: 2 }], note: undefined };
    await documents.send(new PutCommand({ TableName: 'orders', Item }));
    const Key = { customer: 'ada', order: 7 };
    const found = await documents.send(new GetCommand({ TableName: 'orders', Key }));
    expect(found.Item).toEqual({ customer: 'ada', order: 7, lines: [{ sku: 'x', count: 2 }] });
    await documents.send(new DeleteCommand({ TableName: 'orders', Key }));
    expect((await documents.send(new GetCommand({ TableName: 'orders', Key }))).Item).toBeUndefined();
  });
});

describe('a client and its database', () => {
  it('stay together when the database is restored', async () => {
    const client = db.client();
    await client.send(createOrders());
    const before = db.fork();
    await client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('ada', 1) }));
    db.restore(before);
    const get = new GetItemCommand({ TableName: 'orders', Key: orderKey('ada', 1) });
    expect((await client.send(get)).Item).toBeUndefined();
  });

  it('answer the same from the same seed and time', async () => {
    const run = async () => {
      const seeded = await Stator.open({ seed: 7, clock: new VirtualClock(1_700_000_000_000) });
      const client = seeded.client();
      const created = await client.send(createOrders());
      const put = await client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('ada', 1) }));
      const fork = seeded.fork();
      const other = await fork
        .client()
        .send(new CreateTableCommand({ ...createOrders().input, TableName: 'other' }));
      return [created, put, other];
    };
    const [first, second] = [await run(), await run()];
    expect(second).toEqual(first);
  });
});

/** Never answers a read, and tells when it is asked. */
class SlowStore extends MemoryStore {
  #tell: () => void = () => {};
  readonly asked = new Promise<void>((resolve) => {
    this.#tell = resolve;
  });

  override get(): never {
    this.#tell();
    return new Promise(() => {}) as never;
  }
}
