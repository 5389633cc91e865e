import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ItemCollectionSizeLimitExceededException,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';

/**
 * What a client of a table with a local index sees when an item collection has reached its limit. The service's limit
 * is 10 GB, so these run against a database with a lower one and not against the service itself; the rule and the
 * text are those of the developer guide: growth is refused, reading and shrinking are not.
 */
const TableName = 'collections';
const limit = 1_000;

const databases: Stator[] = [];
const clients: DynamoDBClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(databases.splice(0).map((db) => db.close()));
});

const doors: Readonly<Record<string, (db: Stator) => Promise<DynamoDBClient>>> = {
  'in process': async (db) => db.client({ maxAttempts: 1 }),
  http: async (db) => {
    const { url } = await db.listen({ port: 0 });
    const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
    return new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: url, maxAttempts: 1 });
  },
};

async function open(through: (db: Stator) => Promise<DynamoDBClient>): Promise<DynamoDBClient> {
  const db = await Stator.open({ itemCollectionBytesMax: limit });
  databases.push(db);
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'rank'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'by-rank',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'rank', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  const client = await through(db);
  clients.push(client);
  return client;
}

const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });

function put(client: DynamoDBClient, pk: string, sk: string, bytes: number, rank?: string) {
  const filler = { S: 'x'.repeat(bytes) };
  const Item = { ...key(pk, sk), filler, ...(rank !== undefined && { rank: { S: rank } }) };
  return client.send(new PutItemCommand({ TableName, Item }));
}

async function expectRefusal(request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ItemCollectionSizeLimitExceededException);
  expect(error).toMatchObject({ message: 'Collection size exceeded.', $metadata: { httpStatusCode: 400 } });
}

describe.each(Object.entries(doors))('an item collection at its limit (%s)', (_, through) => {
  it('refuses what would grow it, and leaves everything as it was', async () => {
    const client = await open(through);
    await put(client, 'a', '1', 900);
    await expectRefusal(put(client, 'a', '2', 100));
    await expectRefusal(put(client, 'a', '1', 1_000));
    const update = {
      TableName,
      Key: key('a', '1'),
      UpdateExpression: 'SET more = :m',
      ExpressionAttributeValues: { ':m': { S: 'y'.repeat(200) } },
    };
    await expectRefusal(client.send(new UpdateItemCommand(update)));
    const read = { TableName, Key: key('a', '1'), ConsistentRead: true };
    expect((await client.send(new GetItemCommand(read))).Item?.filler?.S).toHaveLength(900);
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': { S: 'a' } },
    };
    expect((await client.send(new QueryCommand(query))).Count).toBe(1);
  });

  it('counts the entries of local indexes', async () => {
    const client = await open(through);
    await expectRefusal(put(client, 'a', '1', 600, 'high'));
    await put(client, 'a', '1', 400, 'high');
  });

  it('lets it shrink, and then grow again', async () => {
    const client = await open(through);
    await put(client, 'a', '1', 900);
    await put(client, 'a', '1', 500);
    await put(client, 'a', '2', 300);
    await expectRefusal(put(client, 'a', '3', 300));
    await client.send(new DeleteItemCommand({ TableName, Key: key('a', '1') }));
    await put(client, 'a', '3', 300);
  });

  it('is the affair of one partition key alone', async () => {
    const client = await open(through);
    await put(client, 'a', '1', 900);
    await put(client, 'b', '1', 900);
  });
});
