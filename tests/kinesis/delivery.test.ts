import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { followerReports } from '../../src/engine/destinations/followers.ts';
import { Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import { freshSchema, openTestStore } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { deferred } from '../wire/deferred.ts';
import { FakeKinesis, type Manner, takesAll } from './fake-kinesis.ts';
import { contentAfter, tableContent } from './judge-records.ts';

const TableName = 'orders';
const hourMs = 3_600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startFake(): Promise<FakeKinesis> {
  const fake = await FakeKinesis.start();
  cleanups.push(() => fake.close());
  return fake;
}

async function open(options: StatorOptions): Promise<Stator> {
  const db = await Stator.open(options);
  cleanups.push(() => db.close());
  return db;
}

async function createTable(db: Stator): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
}

const put = (db: Stator, pk: string, v: number) =>
  db.putItem({ TableName, Item: { pk: { S: pk }, v: { N: String(v) } } });

const statusOf = async (db: Stator) =>
  (await db.describeKinesisStreamingDestination({ TableName })).KinesisDataStreamDestinations.map(
    ({ DestinationStatus: status, DestinationStatusDescription: why }) =>
      why ? `${status}: ${why}` : status,
  );

/** A database whose table has a destination at the endpoint. */
async function openDelivering(fake: FakeKinesis, options: StatorOptions = {}): Promise<Stator> {
  const db = await open({ kinesis: { endpoint: fake.url }, ...options });
  await createTable(db);
  await db.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
  expect(await statusOf(db)).toEqual(['ACTIVE']);
  return db;
}

describe('a record', () => {
  it('has the form of the service', async () => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, { clock });
    await put(db, 'a', 1);
    clock.advanceMs(1_500);
    await put(db, 'a', 22);
    await db.settled();
    await db.updateKinesisStreamingDestination({
      TableName,
      StreamArn: fake.arn(),
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
    });
    await db.settled();
    await db.deleteItem({ TableName, Key: { pk: { S: 'a' } } });
    await db.settled();
    const common = {
      awsRegion: 'us-east-1',
      eventID: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      userIdentity: null,
      recordFormat: 'application/json',
      tableName: TableName,
      eventSource: 'aws:dynamodb',
    };
    const Keys = { pk: { S: 'a' } };
    const [first, second] = [
      { pk: { S: 'a' }, v: { N: '1' } },
      { pk: { S: 'a' }, v: { N: '22' } },
    ];
    const startMs = Date.UTC(2026, 10, 15);
    expect(fake.taken.map(({ data }) => data)).toEqual([
      {
        ...common,
        eventName: 'INSERT',
        dynamodb: { ApproximateCreationDateTime: startMs, Keys, NewImage: first, SizeBytes: 9 },
      },
      {
        ...common,
        eventName: 'MODIFY',
        dynamodb: {
          ApproximateCreationDateTime: startMs + 1_500,
          Keys,
          NewImage: second,
          OldImage: first,
          SizeBytes: 15,
        },
      },
      {
        ...common,
        eventName: 'REMOVE',
        dynamodb: {
          ApproximateCreationDateTime: expect.any(Number) as number,
          Keys,
          OldImage: second,
          SizeBytes: 9,
          ApproximateCreationDateTimePrecision: 'MICROSECOND',
        },
      },
    ]);
    expect(Object.keys(fake.taken[1]!.data)).toEqual([
      ...['awsRegion', 'eventID', 'eventName', 'userIdentity', 'recordFormat', 'tableName', 'dynamodb'],
      'eventSource',
    ]);
    expect(fake.taken[2]!.data.dynamodb.ApproximateCreationDateTime).toBeGreaterThan(startMs * 1000);
    expect(new Set(fake.taken.map(({ partitionKey }) => partitionKey)).size).toBe(1);
    expect(fake.taken[0]!.partitionKey).toMatch(/^[0-9A-F]{32}$/);
    expect(new Set(fake.taken.map(({ data }) => data.eventID)).size).toBe(3);
  });

  it('of an item that has expired says who deleted it', async () => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, { clock });
    await db.updateTimeToLive({
      TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    const expires = { N: String(Date.UTC(2026, 10, 15) / 1000 + 60) };
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, expires } });
    clock.advanceMs(hourMs);
    await db.settled();
    expect(fake.taken.map(({ data: { eventName, userIdentity } }) => ({ eventName, userIdentity }))).toEqual([
      { eventName: 'INSERT', userIdentity: null },
      { eventName: 'REMOVE', userIdentity: { principalId: 'dynamodb.amazonaws.com', type: 'Service' } },
    ]);
  });

  it('that is too large for Kinesis is left out, and others are not', async () => {
    const fake = await startFake();
    const lines: string[] = [];
    const db = await openDelivering(fake, { log: (line) => lines.push(line) });
    // Bytes count three quarters of what they are in JSON.
    const bytes = { B: new Uint8Array(400_000) };
    for (const v of ['1', '2']) await db.putItem({ TableName, Item: { pk: { S: 'a' }, bytes, v: { N: v } } });
    await put(db, 'a', 3);
    await db.settled();
    expect(fake.taken.map(({ data }) => data.dynamodb.NewImage!.v)).toEqual([{ N: '1' }, { N: '3' }]);
    expect(lines).toEqual([expect.stringContaining('is larger than Kinesis takes')]);
    expect(await followerReports(db.engine)).toMatchObject([
      { recordsBehind: 0, kinesis: { delivered: 2, refused: 1 } },
    ]);
  });

  it.each(['memory', 'lmdb'] as const)('is measured under the names of CloudWatch on %s', async (store) => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, {
      ...{ clock, observe: true },
      ...(store === 'lmdb' && { store: { directory: await newDirectory() } }),
    });
    const sums = async () => {
      const found: Record<string, number> = {};
      const scope = { accountId: '000000000000', region: 'us-east-1' };
      const dimensions = [
        { name: 'DelegatedOperation', value: 'PutRecord' },
        { name: 'TableName', value: TableName },
      ];
      for (const metric of await db.observation.list(scope, { namespace: 'AWS/DynamoDB', dimensions })) {
        const points = await db.observation.read(metric, 0, Number.MAX_SAFE_INTEGER);
        found[metric.name] = points.reduce((sum, { sum: more }) => sum + more, 0);
      }
      return found;
    };
    const text = (length: number) => ({ S: 'x'.repeat(length) });
    // A unit is a KB of the larger image, old or new: 3 units, 3 again, and 1 for another item.
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, text: text(2_500) } });
    await put(db, 'a', 1);
    await put(db, 'b', 1);
    await db.settled();
    expect(await sums()).toMatchObject({
      AgeOfOldestUnreplicatedRecord: 0,
      ConsumedChangeDataCaptureUnits: 7,
    });

    // The stream is too busy for one record of a request, then for all of it, and then fails for another reason.
    const manners: Manner[] = [
      { kind: 'takes', isTaken: (i) => i > 0 },
      { kind: 'refuses', status: 400, type: 'ProvisionedThroughputExceededException' },
      { kind: 'refuses', status: 500, type: 'InternalFailure' },
    ];
    const asked = fake.requests.length;
    fake.manner = () => manners.shift() ?? takesAll;
    await put(db, 'c', 1);
    // In memory the next attempt comes when the clock has moved on; otherwise it comes by itself.
    while (fake.requests.length < asked + 4) {
      clock.advanceMs(1_000);
      await db.settled();
    }
    // The answer to the last request is on its way.
    while ((await followerReports(db.engine))[0]!.kinesis!.trouble !== undefined)
      await new Promise(setImmediate);
    await db.settled();
    expect(await sums()).toMatchObject({ ConsumedChangeDataCaptureUnits: 8, ThrottledPutRecordCount: 2 });
    expect(await followerReports(db.engine)).toMatchObject([
      { recordsBehind: 0, kinesis: { delivered: 4, throttled: 2 } },
    ]);

    // Two images in JSON are too large, which fails for good and takes no unit.
    const bytes = { B: new Uint8Array(400_000) };
    for (const v of ['1', '2']) await db.putItem({ TableName, Item: { pk: { S: 'd' }, bytes, v: { N: v } } });
    await db.settled();
    expect(await sums()).toMatchObject({
      ConsumedChangeDataCaptureUnits: 8 + 391,
      FailedToReplicateRecordCount: 1,
    });

    // Nobody listens any more: the oldest record grows older.
    await fake.close();
    await put(db, 'e', 1);
    clock.advanceMs(hourMs);
    await db.settled();
    expect((await sums()).AgeOfOldestUnreplicatedRecord).toBeGreaterThanOrEqual(hourMs);
    await fake.open();
  });
});

describe('a destination', () => {
  it.each([
    ['nowhere', 'us-east-1', 'User does not have a permission to use kinesis stream'],
    ['making', 'us-east-1', 'User does not have a permission to use kinesis stream'],
    [
      'orders',
      'eu-west-1',
      'The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region',
    ],
  ])(
    'that is not there (%s in %s) fails to be enabled, and costs writers nothing',
    async (stream, region, why) => {
      const fake = await startFake();
      fake.streams.set('making', 'CREATING');
      const db = await open({ kinesis: { endpoint: fake.url } });
      await createTable(db);
      const { DestinationStatus } = await db.enableKinesisStreamingDestination({
        TableName,
        StreamArn: fake.arn(stream, region),
      });
      expect(DestinationStatus).toBe('ENABLING');
      expect(await statusOf(db)).toEqual([`ENABLE_FAILED: ${why}`]);
      const record = await db.engine.catalogue.record(
        { account: '000000000000', region: 'us-east-1' },
        TableName,
      );
      expect(record!.followers).toBeUndefined();
      // Another one may be enabled beside it.
      await db.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
      expect(await statusOf(db)).toEqual(['ACTIVE', `ENABLE_FAILED: ${why}`]);
      await put(db, 'a', 1);
      await db.settled();
      expect(fake.taken).toHaveLength(1);
      expect(await db.check()).toMatchObject({ clean: true });
    },
  );

  it('stays ENABLING while nobody answers at its endpoint, and tells nothing wrong', async () => {
    const fake = await startFake();
    await fake.close();
    const lines: string[] = [];
    const db = await open({ kinesis: { endpoint: fake.url }, log: (line) => lines.push(line) });
    await createTable(db);
    await db.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
    expect(await statusOf(db)).toEqual(['ENABLING']);
    await put(db, 'a', 1);
    await fake.open();
    await fake.until(() => fake.taken.length === 1);
    expect(await statusOf(db)).toEqual(['ACTIVE']);
    expect(lines[0]).toContain('cannot be delivered to and is tried again and again: ');
  });

  it('that cannot be reached for a week fails to be enabled, and keeps nothing any more', async () => {
    const fake = await startFake();
    await fake.close();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await open({ kinesis: { endpoint: fake.url }, clock });
    await createTable(db);
    await db.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
    await put(db, 'a', 1);
    expect(await statusOf(db)).toEqual(['ENABLING']);
    const delivery = db.engine.destinations.find((await followerReports(db.engine))[0]!.name)!;
    await db.settled();
    clock.advanceMs(168 * hourMs + 1);
    await db.settled();
    clock.advanceMs(1_000);
    await delivery.ended();
    expect(await statusOf(db)).toEqual(['ENABLE_FAILED: It could not be reached for 168 hours.']);
    db.engine.changeLog.keeper.start();
    await db.settled();
    expect(await followerReports(db.engine)).toEqual([]);
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('stays through changes of its table and is there beside its stream', async () => {
    const fake = await startFake();
    const db = await openDelivering(fake);
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } as const;
    await db.updateTable({ TableName, StreamSpecification });
    await put(db, 'a', 1);
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await put(db, 'a', 2);
    await db.settled();
    expect(await statusOf(db)).toEqual(['ACTIVE']);
    expect(fake.taken).toHaveLength(2);
  });

  it('that dies blocks no writer, shows how far behind it is, and gets everything when it is back', async () => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, { clock });
    const { url } = await db.listen({ port: 0 });
    await put(db, 'a', 0);
    await db.settled();
    await fake.close();
    for (let v = 1; v <= 30; v++) await put(db, v % 2 === 0 ? 'a' : 'b', v);
    clock.advanceMs(5 * hourMs);
    await db.settled();
    const answer = await (await fetch(`${url}/_stator/followers`)).json();
    expect(answer).toEqual({
      followers: [
        {
          ...{ account: '000000000000', region: 'us-east-1', table: TableName },
          name: expect.stringMatching(/^kinesis-/) as string,
          recordsBehind: 30,
          behindMs: 5 * hourMs,
          seenAt: Date.UTC(2026, 10, 15),
          kinesis: {
            ...{ streamArn: fake.arn(), status: 'ACTIVE', deliversHere: true, delivered: 1, refused: 0 },
            throttled: 0,
            trouble: expect.any(String) as string,
          },
        },
      ],
    });
    await fake.open();
    clock.advanceMs(30_000);
    await fake.until(() => fake.taken.length === 31);
    expect(contentAfter(fake.taken)).toEqual(
      new Map([
        ['{"pk":{"S":"a"}}', '{"pk":{"S":"a"},"v":{"N":"30"}}'],
        ['{"pk":{"S":"b"}}', '{"pk":{"S":"b"},"v":{"N":"29"}}'],
      ]),
    );
    await db.settled();
    expect(await followerReports(db.engine)).toMatchObject([{ recordsBehind: 0, behindMs: 0 }]);
  });

  it('that is slow blocks no writer', async () => {
    const fake = await startFake();
    const db = await openDelivering(fake);
    const answer = deferred<void>();
    fake.manner = () => ({ kind: 'waits', until: answer.promise });
    await put(db, 'a', 0);
    await fake.until(() => fake.taken.length === 1);
    for (let v = 1; v <= 10; v++) await put(db, 'a', v);
    expect(fake.taken).toHaveLength(1);
    fake.manner = () => takesAll;
    answer.resolve();
    await db.settled();
    expect(fake.taken.map(({ data }) => data.dynamodb.NewImage!.v)).toEqual(
      Array.from({ length: 11 }, (_, v) => ({ N: String(v) })),
    );
    // Two changes of an item never travel together.
    for (const keys of fake.requests) expect(new Set(keys).size).toBe(keys.length);
  });

  it('that takes nothing for a week is given up', async () => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, { clock });
    fake.manner = () => ({ kind: 'refuses', status: 400, type: 'KMSDisabledException' });
    await put(db, 'a', 1);
    await db.settled();
    const asked = fake.requests.length;
    clock.advanceMs(168 * hourMs);
    await db.settled();
    expect(fake.requests.length).toBe(asked + 1);
    expect(await statusOf(db)).toEqual(['ACTIVE']);
    const delivery = db.engine.destinations.find((await followerReports(db.engine))[0]!.name)!;
    clock.advanceMs(1_000);
    await delivery.ended();
    expect(await statusOf(db)).toEqual(['DISABLED: Records have waited for more than 168 hours.']);
    fake.manner = () => takesAll;
    await db.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
    await put(db, 'a', 2);
    await db.settled();
    expect(fake.taken.map(({ data }) => data.dynamodb.NewImage!.v)).toEqual([{ N: '2' }]);
    db.engine.changeLog.keeper.start();
    await db.settled();
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('that nothing is written to for a year stays as it is', async () => {
    const fake = await startFake();
    const clock = new VirtualClock(Date.UTC(2026, 10, 15));
    const db = await openDelivering(fake, { clock });
    clock.advanceMs(365 * 24 * hourMs);
    db.engine.changeLog.keeper.start();
    await db.settled();
    await put(db, 'a', 1);
    await db.settled();
    expect(fake.taken).toHaveLength(1);
  });

  it('gets what was written before it is disabled, and nothing later', async () => {
    const fake = await startFake();
    const db = await openDelivering(fake);
    for (let v = 0; v < 20; v++) await put(db, `k${v % 3}`, v);
    await db.disableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
    expect(fake.taken).toHaveLength(20);
    await put(db, 'later', 1);
    await db.settled();
    expect(fake.taken).toHaveLength(20);
    expect(await statusOf(db)).toEqual(['DISABLED']);
    db.engine.changeLog.keeper.start();
    await db.settled();
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('ends with its table', async () => {
    const fake = await startFake();
    const db = await openDelivering(fake);
    await put(db, 'a', 1);
    await db.settled();
    await db.deleteTable({ TableName });
    await db.settled();
    await createTable(db);
    await put(db, 'a', 2);
    await db.settled();
    expect(await statusOf(db)).toEqual([]);
    expect(fake.taken).toHaveLength(1);
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('of a fork gets the changes of the fork', async () => {
    const db = await open({});
    await createTable(db);
    const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
    await db.enableKinesisStreamingDestination({ TableName, StreamArn });
    await db.settled();
    await using fork = db.fork();
    await put(fork, 'fork', 1);
    await put(db, 'base', 1);
    await Promise.all([fork.settled(), db.settled()]);
    const keys = (of: Stator) =>
      of
        .kinesisRecords(StreamArn)
        .map(({ data }) => (JSON.parse(data) as { dynamodb: { Keys: object } }).dynamodb.Keys);
    expect(keys(fork)).toEqual([{ pk: { S: 'fork' } }]);
    expect(keys(db)).toEqual([{ pk: { S: 'base' } }]);
  });
});

describe('without an endpoint', () => {
  it('records go to a file in the data directory, and half a line does not spoil it', async () => {
    const directory = await newDirectory();
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
    const file = join(directory, 'kinesis', 'us-east-1.000000000000.orders.jsonl');
    const before = await Stator.open({ store: { directory } });
    await createTable(before);
    await before.enableKinesisStreamingDestination({ TableName, StreamArn });
    await put(before, 'a', 1);
    await before.settled();
    await before.close();
    await writeFile(file, `${await readFile(file, 'utf8')}{"awsRegion":"us-`);
    const after = await open({ store: { directory } });
    await put(after, 'a', 2);
    await after.settled();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const images = lines.map(
      (line) => (JSON.parse(line) as { dynamodb: { NewImage: object } }).dynamodb.NewImage,
    );
    expect(images).toEqual([
      { pk: { S: 'a' }, v: { N: '1' } },
      { pk: { S: 'a' }, v: { N: '2' } },
    ]);
  });

  it('a database with no place for records does not say that it delivers them', async () => {
    const db = await open({ store: await openTestStore() });
    await createTable(db);
    const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
    await db.enableKinesisStreamingDestination({ TableName, StreamArn });
    expect(await statusOf(db)).toEqual([
      'ENABLE_FAILED: This database has no place for the records: give it a Kinesis endpoint, or a directory to write them to.',
    ]);
    expect(() => db.kinesisRecords(StreamArn)).toThrow('Only a database in memory');
  });
});

describe('processes that share a store', () => {
  it('deliver each record once, and take over from one that ends', async () => {
    const fake = await startFake();
    const schema = freshSchema();
    const openOne = async () =>
      Stator.open({ store: await openTestStore({ schema }), kinesis: { endpoint: fake.url } });
    const [first, second] = [await openOne(), await openOne()];
    cleanups.push(() => second.close());
    await createTable(first);
    await first.enableKinesisStreamingDestination({ TableName, StreamArn: fake.arn() });
    // The other one learns of it, as it would after a while.
    second.engine.destinations.start();
    await second.settled();
    for (let v = 0; v < 20; v++) await put(v % 2 === 0 ? first : second, `k${v % 4}`, v);
    await fake.until(() => fake.taken.length >= 20);
    await first.settled();
    await second.settled();
    expect(fake.taken).toHaveLength(20);
    const reports = await Promise.all([first, second].map((db) => followerReports(db.engine)));
    expect(reports.map(([report]) => report!.kinesis!.deliversHere).sort()).toEqual([false, true]);
    await first.close();
    for (let v = 20; v < 40; v++) await put(second, `k${v % 4}`, v);
    await fake.until(() => fake.taken.length >= 40);
    await second.settled();
    expect(contentAfter(fake.taken)).toEqual(await tableContent(second, TableName));
    expect(fake.taken).toHaveLength(40);
  });
});
