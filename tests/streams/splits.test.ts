import { afterEach, describe, expect, it } from 'vitest';
import { LogSplits } from '../../src/engine/change-log/log-splits.ts';
import type { Streams } from '../../src/engine/change-log/streams.ts';
import { type Shard, Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { freshSchema, openTestStore } from '../postgres/test-store.ts';
import { applyRecord, contentOf, iteratorAt, readOn, StreamConsumer, shardsOf } from './read-stream.ts';
import { equalStarts, positionOfItem, splitLog } from './split-log.ts';

const TableName = 'orders';
const scope = { account: '000000000000', region: 'us-east-1' };
const hourMs = 3_600_000;
const clean = { clean: true, findings: [], unjudged: [] };
const items = Array.from({ length: 40 }, (_, i) => `item${i}`);

const open: Stator[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

interface Opened {
  readonly db: Stator;
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly arn: string;
}

/** A table of one partition with a stream. */
async function newDatabase(physics: 'off' | 'shadow' | 'enforce' = 'shadow'): Promise<Opened> {
  const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
  const store = new MemoryStore();
  const db = await Stator.open({ store, clock, physics, seed: 7 });
  open.push(db);
  const arn = await createTable(db);
  clock.advanceMs(60_000);
  return { db, clock, store, arn };
}

async function createTable(db: Stator): Promise<string> {
  const { TableDescription } = await db.createTable({
    TableName,
    ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 900 },
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  return TableDescription.LatestStreamArn!;
}

async function put(db: Stator, pk: string, v: number, sk = 0): Promise<void> {
  await db.putItem({ TableName, Item: { pk: { S: pk }, sk: { N: `${sk}` }, v: { N: `${v}` } } });
}

async function putAll(db: Stator, v: number): Promise<void> {
  for (const pk of items) await put(db, pk, v);
}

const isClosed = ({ SequenceNumberRange: range }: Shard) => range.EndingSequenceNumber !== undefined;

/** The lines of shards hold every change once, and those of each item in order, the content of the table at the end. */
async function expectWhole(db: Stator, arn: string): Promise<void> {
  const consumer = new StreamConsumer(arn, 9);
  await consumer.poll(db);
  const content = new Map<string, string>();
  for (const record of consumer.records) applyRecord(content, record);
  expect(content).toEqual(await contentOf(db, TableName, ['pk', 'sk']));
  expect(new Set(consumer.records.map(({ eventID }) => eventID)).size).toBe(consumer.records.length);
  expect(await db.check()).toMatchObject(clean);
}

async function expectSplit(db: Stator, arn: string, parent: Shard, children: number): Promise<void> {
  const shards = await shardsOf(db, arn);
  const after = shards.find(({ ShardId }) => ShardId === parent.ShardId)!;
  expect(isClosed(after)).toBe(true);
  const { StreamDescription } = await db.describeStream({
    StreamArn: arn,
    ShardFilter: { Type: 'CHILD_SHARDS', ShardId: parent.ShardId },
  });
  expect(StreamDescription.Shards).toHaveLength(children);
  const end = BigInt(after.SequenceNumberRange.EndingSequenceNumber!);
  for (const child of StreamDescription.Shards) {
    expect(child.ParentShardId).toBe(parent.ShardId);
    expect(BigInt(child.SequenceNumberRange.StartingSequenceNumber)).toBeGreaterThan(end);
    expect(shards.findIndex(({ ShardId }) => ShardId === child.ShardId)).toBeGreaterThan(
      shards.indexOf(after),
    );
    const { records } = await readOn(db, await iteratorAt(db, arn, child.ShardId));
    for (const { dynamodb } of records) expect(BigInt(dynamodb.SequenceNumber)).toBeGreaterThan(end);
  }
  const ofParent = await readOn(db, await iteratorAt(db, arn, parent.ShardId), 7);
  expect(ofParent.next).toBeUndefined();
  for (const { dynamodb } of ofParent.records)
    expect(BigInt(dynamodb.SequenceNumber)).toBeLessThanOrEqual(end);
}

describe.each(['shadow', 'enforce'] as const)('a partition that is cut, in %s', (physics) => {
  it('for more throughput ends its shard, and opens a child for each part', async () => {
    const { db, clock, arn } = await newDatabase(physics);
    const [parent] = (await shardsOf(db, arn)) as [Shard];
    await putAll(db, 1);
    const iterator = await iteratorAt(db, arn, parent.ShardId, 'LATEST');
    await put(db, 'item3', 2);
    await db.updateTable({
      TableName,
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 1_900 },
    });
    await db.engine.settled();
    clock.advanceMs(60_000);
    await putAll(db, 3);
    await expectSplit(db, arn, parent, 2);
    // Who was in the middle of the parent gets the rest of it, and its end.
    const { records, next } = await readOn(db, iterator);
    expect(records.map(({ dynamodb }) => dynamodb.NewImage!.v)).toEqual([{ N: '2' }]);
    expect(next).toBeUndefined();
    await expectWhole(db, arn);
  });

  it('for heat does so too', async () => {
    const { db, clock, arn } = await newDatabase(physics);
    const [parent] = (await shardsOf(db, arn)) as [Shard];
    await putAll(db, 1);
    // Near the ceiling of a partition for half an hour; only the model is told of most of it.
    const { model } = db.engine.capacity;
    const { main } = db.engine.capacity.find(scope, TableName)!;
    for (let minute = 0; minute < 30; minute++) {
      for (const pk of items) {
        const { place, sort } = positionOfItem({ S: pk }, { N: '0' });
        model.charge(main, 'write', place, sort, 0, (950 * 60) / items.length, clock.nowMs());
      }
      clock.advanceMs(60_000);
    }
    clock.advanceMs(600_000);
    await putAll(db, 2);
    await db.engine.settled();
    await putAll(db, 3);
    expect(main.map.count).toBeGreaterThan(1);
    await expectSplit(db, arn, parent, main.map.count);
    await expectWhole(db, arn);
  });
});

it('a table whose partitions nobody models keeps its shards', async () => {
  const { db, arn } = await newDatabase('off');
  const before = await shardsOf(db, arn);
  await db.updateTable({
    TableName,
    ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 1_900 },
  });
  await putAll(db, 1);
  await db.engine.settled();
  expect(await shardsOf(db, arn)).toEqual(before);
  await expectWhole(db, arn);
});

it('where several processes share a store, the map that is in the store counts', async () => {
  const schema = freshSchema();
  const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
  const dbs = await Promise.all(
    [1, 2].map(async () => Stator.open({ store: await openTestStore({ schema }), clock })),
  );
  open.push(...dbs);
  const [one, other] = dbs as [Stator, Stator];
  const arn = await createTable(one);
  await Promise.all(items.map((pk, i) => put(i % 2 === 0 ? one : other, pk, 1)));
  const [parent] = (await shardsOf(other, arn)) as [Shard];
  const ProvisionedThroughput = { ReadCapacityUnits: 10, WriteCapacityUnits: 1_900 };
  await one.updateTable({ TableName, ProvisionedThroughput });
  await Promise.all(items.map((pk, i) => put(i % 2 === 0 ? other : one, pk, 2)));
  // The process with the lease writes its map, and the log follows.
  for (const db of dbs) await db.engine.settled();
  await Promise.all(items.map((pk, i) => put(i % 2 === 0 ? one : other, pk, 3)));
  await expectSplit(other, arn, parent, 2);
  await expectWhole(other, arn);
});

it('a split follows the partition map inside a collection', async () => {
  const { db, arn } = await newDatabase();
  for (let sk = 0; sk < 20; sk++) await put(db, 'busy', 1, sk);
  const [parent] = (await shardsOf(db, arn)) as [Shard];
  expect(await splitLog(db, TableName, [positionOfItem({ S: 'busy' }, { N: '10' })])).toBe(true);
  for (let sk = 0; sk < 20; sk++) await put(db, 'busy', 2, sk);
  await expectSplit(db, arn, parent, 2);
  const found: number[][] = [];
  for (const { ShardId } of (await shardsOf(db, arn)).filter((shard) => !isClosed(shard))) {
    const { records } = await readOn(db, await iteratorAt(db, arn, ShardId));
    found.push(records.map(({ dynamodb }) => Number(dynamodb.Keys.sk!.N)));
  }
  const [low, high] = [Array.from({ length: 10 }, (_, i) => i), Array.from({ length: 10 }, (_, i) => 10 + i)];
  expect(found.sort((a, b) => a[0]! - b[0]!)).toEqual([low, high]);
  await expectWhole(db, arn);
});

it('splits follow splits and rollovers, and all are forgotten a day later', async () => {
  const { db, clock, arn } = await newDatabase();
  for (const count of [2, 4, 8]) {
    await putAll(db, count);
    expect(await splitLog(db, TableName, equalStarts(count))).toBe(true);
    expect(await splitLog(db, TableName, equalStarts(count))).toBe(false);
    clock.advanceMs(3 * hourMs);
    await putAll(db, count + 1);
    await expectWhole(db, arn);
  }
  clock.advanceMs(hourMs);
  await expectWhole(db, arn);
  const lines = new Map(
    (await shardsOf(db, arn)).map(({ ShardId, ParentShardId }) => [ShardId, ParentShardId]),
  );
  for (let id = (await shardsOf(db, arn)).at(-1)!.ShardId, steps = 0; ; steps++) {
    const parent = lines.get(id);
    if (parent === undefined) {
      expect(steps).toBeGreaterThan(2);
      break;
    }
    id = parent;
  }
  clock.advanceMs(25 * hourMs);
  for (const { StreamArn } of (await db.listStreams({ TableName })).Streams) await shardsOf(db, StreamArn);
  db.engine.changeLog.keeper.start();
  await db.engine.settled();
  expect((await shardsOf(db, arn)).filter((shard) => !isClosed(shard))).toHaveLength(8);
  await putAll(db, 99);
  expect(await db.check()).toMatchObject(clean);
});

it('what nobody looked at before the end of the stream is in its shards all the same', async () => {
  for (const end of ['stream', 'table'] as const) {
    const { db, arn } = await newDatabase();
    await putAll(db, 1);
    const record = (await db.engine.catalogue.record(scope, TableName))!;
    // As after a kill: the split is committed, and the shards know nothing of it.
    const blind = new LogSplits(
      {
        catalogue: db.engine.catalogue,
        streams: { find: async () => undefined } as unknown as Streams,
        partitionStarts: () => equalStarts(2),
        changed: () => {},
      },
      {
        clock: db.clock,
        pause: async () => {},
        stopwatchMs: () => 0,
        signal: new AbortController().signal,
        log: () => {},
      },
    );
    expect(await blind.splitAt(scope, TableName, record.storageId, equalStarts(4))).toBe(true);
    await putAll(db, 2);
    const expected = await contentOf(db, TableName, ['pk', 'sk']);
    if (end === 'table') await db.deleteTable({ TableName });
    else await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    const consumer = new StreamConsumer(arn);
    await consumer.poll(db);
    const content = new Map<string, string>();
    for (const each of consumer.records) applyRecord(content, each);
    expect(content).toEqual(expected);
    const shards = await shardsOf(db, arn);
    expect(shards).toHaveLength(5);
    expect(shards.every(isClosed)).toBe(true);
    expect(await db.check()).toMatchObject(clean);
  }
});

describe('a follower of a table whose log is split', () => {
  it('reads a parent to its end before the children, also after it was away', async () => {
    const { db } = await newDatabase();
    const seen = new Map<string, number[]>();
    const numbers = new Map<string, bigint>();
    const read = async (count: number, from: 'now' | 'oldest', write: () => Promise<void>) => {
      const changes = db.follow(TableName, { from });
      await changes.ready;
      await write();
      for (let i = 0; i < count; i++) {
        const { value } = await changes.next();
        if (value === undefined) throw new Error('the feed has ended');
        const pk = value.keys.pk!.S!;
        seen.set(pk, [...(seen.get(pk) ?? []), Number(value.after!.v!.N)]);
        expect(BigInt(value.sequenceNumber)).toBeGreaterThan(numbers.get(pk) ?? 0n);
        numbers.set(pk, BigInt(value.sequenceNumber));
      }
      await changes.return();
    };
    await read(160, 'now', async () => {
      for (const count of [1, 2, 4, 8]) {
        await splitLog(db, TableName, equalStarts(count));
        await putAll(db, count);
      }
    });
    expect([...seen.values()]).toEqual(items.map(() => [1, 2, 4, 8]));
    seen.clear();
    numbers.clear();
    await read(160, 'oldest', async () => {});
    expect([...seen.values()]).toEqual(items.map(() => [1, 2, 4, 8]));
    await db.engine.settled();
    expect(await db.check()).toMatchObject(clean);
  });

  it('delivers to Kinesis in order', async () => {
    const { db } = await newDatabase();
    const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
    await db.enableKinesisStreamingDestination({ TableName, StreamArn });
    for (const count of [1, 2, 4]) {
      await splitLog(db, TableName, equalStarts(count));
      await putAll(db, count);
    }
    await db.settled();
    const seen = new Map<string, string[]>();
    for (const { data } of db.kinesisRecords(StreamArn)) {
      const { dynamodb } = JSON.parse(Buffer.from(data).toString()) as {
        dynamodb: { Keys: { pk: { S: string } }; NewImage: { v: { N: string } } };
      };
      const pk = dynamodb.Keys.pk.S;
      seen.set(pk, [...(seen.get(pk) ?? []), dynamodb.NewImage.v.N]);
    }
    expect([...seen.keys()].sort()).toEqual([...items].sort());
    for (const values of seen.values()) expect(values).toEqual(['1', '2', '4']);
    expect(await db.check()).toMatchObject(clean);
  });
});
