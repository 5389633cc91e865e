import { afterEach, describe, expect, inject, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { StreamConsumer, shardsOf } from '../streams/read-stream.ts';
import { equalStarts, splitLog } from '../streams/split-log.ts';
import { holdRow, until, waitingStatements } from './held-row.ts';
import { freshSchema, sql } from './test-store.ts';

/**
 * A setting that writers must obey takes effect behind a barrier (`src/storage/postgres/fence.ts`). In each of these
 * tests a batch stands still in the middle of its swap, decided on the settings of before, while another server
 * changes them.
 */

const TableName = 'orders';
const heldItem = 'held-item';
const databases: Stator[] = [];

afterEach(async () => {
  for (const db of databases) {
    await db.engine.settled();
    expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  }
  await Promise.all(databases.splice(0).map((db) => db.close()));
});

/** Two servers on one store. PostgreSQL may remember reads by the page, and take any two writers of a small table for a conflict. */
async function openTwo(items = 1_000) {
  const schema = freshSchema();
  const store = { url: inject('postgresUrl'), schema };
  const [writer, changer] = [await Stator.open({ store }), await Stator.open({ store })];
  databases.push(writer, changer);
  await changer.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'old', AttributeType: 'S' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byOld',
        KeySchema: [{ AttributeName: 'old', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  for (let i = 0; i < items; i += 25) {
    const some = Array.from({ length: Math.min(25, items - i) }, (_, n) => newItem(`item-${i + n}`));
    const requests = some.map((Item) => ({ PutRequest: { Item } }));
    await writer.batchWriteItem({ RequestItems: { [TableName]: requests } });
  }
  await putItem(writer, heldItem);
  return { schema, writer, changer };
}

const later = String(Math.floor(Date.now() / 1000) + 86_400);

/**
 * Only the items that are written by the batch, or after it, are in the new index and expire. If those of before were,
 * whoever fills the index would read them in serializable transactions, and PostgreSQL might end the batch for that.
 */
function newItem(pk: string) {
  const item = { pk: { S: pk }, old: { S: 'o' } };
  return pk.startsWith('item-') || pk === heldItem
    ? item
    : { ...item, tag: { S: 't' }, expires: { N: later } };
}

async function putItem(db: Stator, pk: string): Promise<void> {
  await db.putItem({ TableName, Item: newItem(pk) });
}

/** A batch that puts a new item and stands still at another one, until it is released. */
async function holdBatch(schema: string, writer: Stator) {
  const row = await holdRow(schema, heldItem);
  const pending = ['new-item', heldItem].map((pk) => ({ PutRequest: { Item: newItem(pk) } }));
  let isAcknowledged = false;
  const batch = writer.batchWriteItem({ RequestItems: { [TableName]: pending } }).then((answer) => {
    isAcknowledged = true;
    return answer;
  });
  await until(async () => (await waitingStatements(schema)) === 1);
  return {
    isAcknowledged: () => isAcknowledged,
    async release() {
      await row.release();
      expect((await batch).UnprocessedItems).toEqual({});
    },
  };
}

type Description = Awaited<ReturnType<Stator['describeTable']>>['Table'];

interface Change {
  readonly name: string;
  make(db: Stator): Promise<unknown>;
  /** Whether the change is declared done, as far as a caller can see. */
  isDeclared(db: Stator): Promise<boolean>;
}

const describeTable = async (db: Stator): Promise<Description> =>
  (await db.describeTable({ TableName })).Table;

const changes: Change[] = [
  {
    name: 'a new index',
    make: (db) =>
      db.updateTable({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'tag', AttributeType: 'S' }],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'byTag',
              KeySchema: [{ AttributeName: 'tag', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'ALL' },
            },
          },
        ],
      }),
    isDeclared: async (db) => {
      const table = await describeTable(db);
      return (
        table?.GlobalSecondaryIndexes?.some(
          ({ IndexName, IndexStatus }) => IndexName === 'byTag' && IndexStatus === 'ACTIVE',
        ) === true
      );
    },
  },
  {
    name: 'Time to Live',
    make: (db) =>
      db.updateTimeToLive({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    isDeclared: async (db) =>
      (await db.describeTimeToLive({ TableName })).TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED',
  },
  {
    name: 'a stream',
    make: (db) =>
      db.updateTable({
        TableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    isDeclared: async (db) => (await describeTable(db))?.LatestStreamArn !== undefined,
  },
  {
    name: 'a Kinesis destination',
    make: (db) =>
      db.enableKinesisStreamingDestination({
        TableName,
        StreamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/orders',
      }),
    isDeclared: async (db) =>
      (await db.describeKinesisStreamingDestination({ TableName })).KinesisDataStreamDestinations!.length > 0,
  },
  {
    name: 'the end of an index',
    make: (db) =>
      db.updateTable({ TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'byOld' } }] }),
    isDeclared: async (db) => (await describeTable(db))?.GlobalSecondaryIndexes === undefined,
  },
  {
    name: 'the end of the table',
    make: (db) => db.deleteTable({ TableName }),
    isDeclared: async (db) => (await db.listTables({})).TableNames!.length === 0,
  },
];

describe.each(changes)('$name', ({ make, isDeclared }) => {
  it('is not declared while a unit of before is under way on another server', async () => {
    const { schema, writer, changer } = await openTwo();
    const held = await holdBatch(schema, writer);
    let isDone = false;
    const change = make(changer).finally(() => {
      isDone = true;
    });
    // Either the change waits for the batch, or it is made and declared behind its back.
    await until(async () => isDone || (await waitingStatements(schema)) > 1);
    await until(async () => !isDone || (await isDeclared(writer)));
    const declaredTooEarly = await isDeclared(writer);
    expect(held.isAcknowledged()).toBe(false);
    await held.release();
    await change;
    await until(() => isDeclared(writer));
    await changer.engine.settled();
    const { findings } = await writer.check();
    expect({ declaredTooEarly, wrong: findings.map(({ kind }) => kind) }).toEqual({
      declaredTooEarly: false,
      wrong: [],
    });
  });
});

it('every write that is acknowledged after a stream was switched on is in the stream', async () => {
  const { schema, writer, changer } = await openTwo();
  const held = await holdBatch(schema, writer);
  const change = changes.find(({ name }) => name === 'a stream')!.make(changer);
  let isDone = false;
  void change.then(() => {
    isDone = true;
  });
  await until(async () => isDone || (await waitingStatements(schema)) > 1);
  const wasDoneFirst = isDone;
  await held.release();
  await change;
  await putItem(writer, 'after-stream');
  const { LatestStreamArn } = (await describeTable(writer))!;
  const client = changer.streamsClient({ maxAttempts: 1 });
  const told = await recordsOf(client, LatestStreamArn!);
  expect(told).toContain('after-stream');
  if (wasDoneFirst) expect(told).toContain('new-item');
});

it('a split of the change log waits for the writes of before it, and loses none', async () => {
  const { schema, writer, changer } = await openTwo();
  await changes.find(({ name }) => name === 'a stream')!.make(changer);
  const { LatestStreamArn: arn } = (await describeTable(writer))!;
  const before = await shardsOf(writer, arn!);
  const held = await holdBatch(schema, writer);
  let isDone = false;
  const split = splitLog(changer, TableName, equalStarts(8)).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await waitingStatements(schema)) > 1);
  const during = await shardsOf(writer, arn!);
  expect(held.isAcknowledged()).toBe(false);
  await held.release();
  expect(await split).toBe(true);
  expect(during, 'closed while a write of before was under way').toEqual(before);
  const after = await shardsOf(writer, arn!);
  const closed = after.filter(({ SequenceNumberRange: range }) => range.EndingSequenceNumber !== undefined);
  expect([before.length, closed.length, after.length]).toEqual([4, 4, 12]);
  await putItem(writer, 'after-split');
  const consumer = new StreamConsumer(arn!);
  await consumer.poll(writer, changer);
  const told = consumer.records.map(({ dynamodb }) => dynamodb.Keys.pk!.S);
  expect(told.sort()).toEqual(['after-split', 'new-item']);
});

it('a change that waits holds up no writer', async () => {
  const { schema, writer, changer } = await openTwo();
  const held = await holdBatch(schema, writer);
  const change = changes[0]!.make(changer);
  await until(async () => (await waitingStatements(schema)) > 1);
  // Each session of the writers gets several turns.
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 16 }, (_, i) => putItem(writer, `item-${round * 16 + i}`)));
  expect(held.isAcknowledged()).toBe(false);
  await held.release();
  await change;
  await until(() => changes[0]!.isDeclared(writer));
});

it('a change gives up when a unit of before does not end, and changes nothing', async () => {
  const { schema, writer, changer } = await openTwo();
  const held = await holdBatch(schema, writer);
  const { openPostgresStore } = await import('../../src/storage/postgres/postgres-store.ts');
  const impatient = await Stator.open({
    store: await openPostgresStore({ url: inject('postgresUrl'), schema, settingsMsMax: 700 }),
  });
  databases.push(impatient);
  await expect(changes[0]!.make(impatient)).rejects.toThrow('Internal');
  expect((await describeTable(changer))?.GlobalSecondaryIndexes).toHaveLength(1);
  await held.release();
  await changes[0]!.make(impatient);
  await until(() => changes[0]!.isDeclared(writer));
});

async function recordsOf(client: ReturnType<Stator['streamsClient']>, arn: string): Promise<string[]> {
  const { DescribeStreamCommand, GetShardIteratorCommand, GetRecordsCommand } = await import(
    '@aws-sdk/client-dynamodb-streams'
  );
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: arn }));
  const found: string[] = [];
  for (const { ShardId } of StreamDescription!.Shards!) {
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({ StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    const { Records } = await client.send(new GetRecordsCommand({ ShardIterator }));
    for (const record of Records!) found.push(record.dynamodb!.Keys!.pk!.S!);
  }
  return found;
}

it('a database of before the fence is given one', async () => {
  const schema = freshSchema();
  const store = { url: inject('postgresUrl'), schema };
  const before = await Stator.open({ store });
  await before.close();
  await sql(`DROP TABLE ${schema}.fence; UPDATE ${schema}.meta SET value = '1' WHERE name = 'format'`);
  const [one, two] = await Promise.all([Stator.open({ store }), Stator.open({ store })]);
  databases.push(one, two);
  expect(await sql(`SELECT count(*)::int FROM ${schema}.fence`)).toEqual([[64]]);
  expect(await sql(`SELECT value FROM ${schema}.meta WHERE name = 'format'`)).toEqual([['2']]);
});
