import { afterEach, expect, it } from 'vitest';
import { type Change, ServiceError, Stator, VirtualClock } from '../../src/index.ts';

const TableName = 'orders';

const open: Stator[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

async function newDatabase(options?: Parameters<typeof Stator.open>[0]): Promise<Stator> {
  const db = await Stator.open(options);
  open.push(db);
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  return db;
}

it('tells what every write did, with plain values', async () => {
  const startMs = Date.UTC(2026, 10, 15);
  const db = await newDatabase({ clock: new VirtualClock(startMs) });
  const feed = db.follow(TableName);
  await feed.ready;
  const keys = { pk: { S: 'a' }, sk: { N: '1' } };
  const bytes = { B: Uint8Array.of(1, 2, 3) };
  await db.putItem({ TableName, Item: { ...keys, bytes } });
  await db.updateItem({
    TableName,
    Key: keys,
    UpdateExpression: 'SET n = :n',
    ExpressionAttributeValues: { ':n': { N: '5' } },
  });
  // A write that changes nothing is not told.
  await db.putItem({ TableName, Item: { ...keys, bytes, n: { N: '5' } } });
  await db.deleteItem({ TableName, Key: keys });
  const found: Change[] = [];
  for await (const change of feed) {
    found.push(change);
    if (change.event === 'REMOVE') break;
  }
  const sequenceNumber = expect.stringMatching(/^\d{26}$/) as string;
  const common = { table: TableName, keys, by: 'user', sequenceNumber };
  expect(found).toEqual([
    { ...common, event: 'INSERT', after: { ...keys, bytes }, atMs: startMs },
    {
      ...common,
      event: 'MODIFY',
      before: { ...keys, bytes },
      after: { ...keys, bytes, n: { N: '5' } },
      atMs: expect.closeTo(startMs, 0) as number,
    },
    {
      ...common,
      event: 'REMOVE',
      before: { ...keys, bytes, n: { N: '5' } },
      atMs: expect.closeTo(startMs, 0) as number,
    },
  ]);
  const record = await db.engine.catalogue.record(
    { account: '000000000000', region: 'us-east-1' },
    TableName,
  );
  expect(record!.followers).toBeUndefined();
});

it('ends with its signal, with its table and with the database', async () => {
  const db = await newDatabase();
  const endOf = async (feed: AsyncIterable<Change>) => {
    const found: Change[] = [];
    for await (const change of feed) found.push(change);
    return found;
  };
  const controller = new AbortController();
  const aborted = db.follow(TableName, { signal: controller.signal });
  await aborted.ready;
  const first = endOf(aborted);
  controller.abort();
  expect(await first).toEqual([]);
  const dropped = db.follow(TableName);
  await dropped.ready;
  const second = endOf(dropped);
  await db.deleteTable({ TableName });
  expect(await second).toEqual([]);
});

it('begins with what the log still has, if asked to', async () => {
  const db = await newDatabase();
  await db.updateTable({
    TableName,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  });
  await db.putItem({ TableName, Item: { pk: { S: 'a' }, sk: { N: '1' }, n: { N: '1' } } });
  for await (const { after } of db.follow(TableName, { from: 'oldest' })) {
    // Whatever the stream shows, this has both images.
    expect(after).toEqual({ pk: { S: 'a' }, sk: { N: '1' }, n: { N: '1' } });
    break;
  }
});

it('refuses a table that does not exist', async () => {
  const db = await newDatabase();
  const error = await db
    .follow('missing')
    .next()
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({
    name: 'ResourceNotFoundException',
    message: 'Requested resource not found: Table: missing not found',
  });
  await expect(db.follow(TableName, { region: 'no such Region' }).ready).rejects.toThrow(TypeError);
});
