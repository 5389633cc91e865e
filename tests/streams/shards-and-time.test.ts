import { afterEach, describe, expect, it } from 'vitest';
import { openRoad } from '../../src/engine/road.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { iteratorAt, readOn, StreamConsumer, shardsOf } from './read-stream.ts';

const TableName = 'orders';
const hourMs = 3_600_000;
const day = 24 * hourMs;
const start = Date.parse('2026-11-15T07:33:00.123Z');

const open: Stator[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

async function newDatabase(): Promise<{ db: Stator; clock: VirtualClock; store: MemoryStore; arn: string }> {
  const clock = new VirtualClock(start);
  const store = new MemoryStore();
  const db = await Stator.open({ store, clock, seed: 1 });
  open.push(db);
  const { TableDescription } = await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  return { db, clock, store, arn: TableDescription.LatestStreamArn! };
}

async function put(db: Stator, pk: string, v = 0): Promise<void> {
  await db.putItem({ TableName, Item: { pk: { S: pk }, v: { N: String(v) } } });
}

const letters = [...'abcdefghijklmnop'];
const clean = { clean: true, findings: [], unjudged: [] };

describe('the shards of a stream', () => {
  it('roll over every four hours, parents ending where their children begin', async () => {
    const { db, clock, arn } = await newDatabase();
    for (const letter of letters) await put(db, letter, 1);
    const first = await shardsOf(db, arn);
    expect(first).toHaveLength(4);
    clock.advanceMs(4 * hourMs - 1);
    expect(await shardsOf(db, arn)).toEqual(first);
    clock.advanceMs(1);
    const second = await shardsOf(db, arn);
    expect(second).toHaveLength(8);
    for (const letter of letters) await put(db, letter, 2);
    const children = second.filter(({ ParentShardId }) => ParentShardId !== undefined);
    expect(children.map(({ ParentShardId }) => ParentShardId).sort()).toEqual(
      first.map(({ ShardId }) => ShardId).sort(),
    );
    for (const child of children) {
      const parent = second.find(({ ShardId }) => ShardId === child.ParentShardId)!;
      expect(second.indexOf(parent)).toBeLessThan(second.indexOf(child));
      const { StartingSequenceNumber, EndingSequenceNumber } = parent.SequenceNumberRange;
      expect(BigInt(EndingSequenceNumber!)).toBeGreaterThanOrEqual(BigInt(StartingSequenceNumber));
      expect(BigInt(child.SequenceNumberRange.StartingSequenceNumber)).toBeGreaterThan(
        BigInt(EndingSequenceNumber!),
      );
      const ofParent = await readOn(db, await iteratorAt(db, arn, parent.ShardId));
      expect(ofParent.next).toBeUndefined();
      for (const { dynamodb } of ofParent.records) {
        expect(dynamodb.NewImage!.v).toEqual({ N: '1' });
        expect(BigInt(dynamodb.SequenceNumber)).toBeGreaterThan(BigInt(StartingSequenceNumber));
        expect(BigInt(dynamodb.SequenceNumber)).toBeLessThanOrEqual(BigInt(EndingSequenceNumber!));
      }
      const ofChild = await readOn(db, await iteratorAt(db, arn, child.ShardId));
      expect(ofChild.next).toBeDefined();
      for (const { dynamodb } of ofChild.records) expect(dynamodb.NewImage!.v).toEqual({ N: '2' });
      const { StreamDescription } = await db.describeStream({
        StreamArn: arn,
        ShardFilter: { Type: 'CHILD_SHARDS', ShardId: parent.ShardId },
      });
      expect(StreamDescription.Shards).toEqual([child]);
    }
    const consumer = new StreamConsumer(arn);
    await consumer.poll(db);
    expect(consumer.records).toHaveLength(2 * letters.length);
    expect(await db.check()).toMatchObject(clean);
  });

  it('go on where an iterator was when they rolled over', async () => {
    const { db, clock, arn } = await newDatabase();
    for (const letter of letters) await put(db, letter, 1);
    const consumer = new StreamConsumer(arn, 2);
    await consumer.poll(db);
    expect(consumer.records).toHaveLength(16);
    clock.advanceMs(4 * hourMs - 60_000);
    await consumer
      .poll(db)
      .catch((error) => expect(error).toMatchObject({ name: 'ExpiredIteratorException' }));
    const fresh = new StreamConsumer(arn, 2);
    await fresh.poll(db);
    for (const letter of letters) await put(db, letter, 2);
    clock.advanceMs(60_000);
    for (const letter of letters) await put(db, letter, 3);
    await fresh.poll(db);
    const seen = new Map<string, string[]>();
    for (const { dynamodb } of fresh.records) {
      const pk = dynamodb.Keys.pk!.S!;
      seen.set(pk, [...(seen.get(pk) ?? []), dynamodb.NewImage!.v!.N!]);
    }
    expect([...seen.keys()].sort()).toEqual(letters);
    expect([...seen.values()]).toEqual(letters.map(() => ['1', '2', '3']));
  });

  it('are forgotten a day after they were closed, and idle ones roll over too', async () => {
    const { db, clock, arn } = await newDatabase();
    for (let hour = 0; hour < 60; hour++) {
      clock.advanceMs(hourMs);
      const shards = await shardsOf(db, arn);
      expect(shards.length).toBeLessThanOrEqual(4 * 8);
      expect(
        shards.filter((shard) => shard.SequenceNumberRange.EndingSequenceNumber === undefined),
      ).toHaveLength(4);
    }
    expect(await db.check()).toMatchObject(clean);
  });
});

describe('time', () => {
  it('ends an iterator after a quarter of an hour', async () => {
    const { db, clock, arn } = await newDatabase();
    const [shard] = await shardsOf(db, arn);
    const ShardIterator = await iteratorAt(db, arn, shard!.ShardId);
    clock.advanceMs(15 * 60_000);
    const { NextShardIterator } = await db.getRecords({ ShardIterator });
    clock.advanceMs(1);
    await expect(db.getRecords({ ShardIterator })).rejects.toMatchObject({
      name: 'ExpiredIteratorException',
    });
    await db.getRecords({ ShardIterator: NextShardIterator! });
  });

  it('trims records after a day', async () => {
    const { db, clock, store, arn } = await newDatabase();
    await put(db, 'a', 1);
    const [old] = (await allRecords(db, arn)) as [Found];
    clock.advanceMs(12 * hourMs);
    await put(db, 'a', 2);
    clock.advanceMs(12 * hourMs - 1);
    expect((await allRecords(db, arn)).map(({ v }) => v)).toEqual(['1', '2']);
    const at = {
      StreamArn: arn,
      ShardId: old.ShardId,
      ShardIteratorType: 'AT_SEQUENCE_NUMBER',
      SequenceNumber: old.SequenceNumber,
    } as const;
    const { ShardIterator } = await db.getShardIterator(at);
    clock.advanceMs(1);
    expect((await allRecords(db, arn)).map(({ v }) => v)).toEqual(['2']);
    const gone = {
      name: 'TrimmedDataAccessException',
      message: 'The data you are trying to access has been trimmed',
    };
    await expect(db.getRecords({ ShardIterator })).rejects.toMatchObject(gone);
    await expect(db.getShardIterator(at)).rejects.toMatchObject(gone);
    await db.engine.settled();
    expect(await logLength(store)).toBe(1);
    await expect(db.getRecords({ ShardIterator })).rejects.toMatchObject(gone);
    await expect(db.getShardIterator(at)).rejects.toMatchObject(gone);
    expect((await allRecords(db, arn)).map(({ v }) => v)).toEqual(['2']);
    expect(await db.check()).toMatchObject(clean);
  });

  it('trims a long log in steps, when a store is opened', async () => {
    const { db, clock, store, arn } = await newDatabase();
    for (let i = 0; i < 300; i++) await put(db, letters[i % 16]!, i);
    expect(await logLength(store)).toBe(300);
    const later = store.fork();
    // Writes to one item are told apart by microseconds where the clock stands still.
    clock.advanceMs(day + 1);
    const again = await Stator.open({ store: later, clock });
    open.push(again);
    await again.engine.settled();
    expect(await logLength(later)).toBe(0);
    expect(await allRecords(again, arn)).toEqual([]);
    expect(await again.check()).toMatchObject(clean);
  });

  it('ends a stream a day after it was switched off, with everything it has left', async () => {
    const { db, clock, store, arn } = await newDatabase();
    await put(db, 'a', 1);
    clock.advanceMs(hourMs);
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await put(db, 'a', 2);
    clock.advanceMs(day - 1);
    await db.engine.settled();
    expect((await db.describeStream({ StreamArn: arn })).StreamDescription.StreamStatus).toBe('DISABLED');
    clock.advanceMs(1);
    const gone = { name: 'ResourceNotFoundException' };
    await expect(db.describeStream({ StreamArn: arn })).rejects.toMatchObject(gone);
    expect((await db.listStreams({ TableName })).Streams).toEqual([]);
    db.engine.changeLog.keeper.start();
    await db.engine.settled();
    expect(await logLength(store)).toBe(0);
    for (const kind of [7, 8])
      expect(
        store.range({ from: Uint8Array.of(kind), to: Uint8Array.of(kind + 1), limit: 1 }).entries,
      ).toEqual([]);
    expect(await db.check()).toMatchObject(clean);
  });

  it('keeps the stream of a deleted table for a day, beside that of its successor', async () => {
    const { db, clock, arn } = await newDatabase();
    await put(db, 'a', 1);
    await db.deleteTable({ TableName });
    expect((await allRecords(db, arn)).map(({ v }) => v)).toEqual(['1']);
    // In the same millisecond: labels stay apart all the same.
    const { TableDescription } = await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    const next = TableDescription.LatestStreamArn!;
    expect(next).not.toBe(arn);
    await put(db, 'a', 2);
    expect((await allRecords(db, next)).map(({ v }) => v)).toEqual(['2']);
    expect((await allRecords(db, arn)).map(({ v }) => v)).toEqual(['1']);
    clock.advanceMs(day);
    await expect(allRecords(db, arn)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await db.engine.settled();
    expect(await db.check()).toMatchObject(clean);
  });

  it('is told in enforce by ENABLING and DISABLING', async () => {
    const clock = new VirtualClock(start);
    const db = await Stator.open({ clock, physics: 'enforce', seed: 1 });
    open.push(db);
    const { TableDescription } = await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    const status = async () =>
      (await db.describeStream({ StreamArn: TableDescription.LatestStreamArn! })).StreamDescription
        .StreamStatus;
    expect(await status()).toBe('ENABLING');
    clock.advanceMs(60_000);
    expect(await status()).toBe('ENABLED');
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    expect(await status()).toBe('DISABLING');
    clock.advanceMs(60_000);
    expect(await status()).toBe('DISABLED');
  });
});

describe('who has changed an item', () => {
  it('is told of what Time to Live deletes', async () => {
    const { db, arn } = await newDatabase();
    await put(db, 'a', 1);
    const scope = { account: '000000000000', region: 'us-east-1' };
    await db.engine.writeItem(openRoad, { scope, tableName: TableName }, () => ({
      key: new Map([['pk', { S: 'a' }]]),
      by: 'ttl',
      next: () => ({ item: undefined }),
    }));
    const consumer = new StreamConsumer(arn);
    await consumer.poll(db);
    expect(consumer.records.map(({ eventName, userIdentity }) => [eventName, userIdentity])).toEqual([
      ['INSERT', undefined],
      ['REMOVE', { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' }],
    ]);
  });
});

describe('a table that nobody follows', () => {
  it('pays nothing', async () => {
    const store = new MemoryStore();
    const db = await Stator.open({ store });
    open.push(db);
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    await put(db, 'a', 1);
    expect(await logLength(store)).toBe(0);
  });
});

interface Found {
  readonly ShardId: string;
  readonly SequenceNumber: string;
  readonly v: string | undefined;
}

async function allRecords(db: Stator, arn: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const { ShardId } of await shardsOf(db, arn)) {
    const { records } = await readOn(db, await iteratorAt(db, arn, ShardId));
    for (const { dynamodb } of records)
      found.push({ ShardId, SequenceNumber: dynamodb.SequenceNumber, v: dynamodb.NewImage?.v?.N });
  }
  return found;
}

/** How many records lie in the logs of all tables that have a record. */
async function logLength(store: MemoryStore): Promise<number> {
  const { entries } = store.range({ from: Uint8Array.of(1), to: Uint8Array.of(2), limit: 100 });
  let length = 0;
  for (const { value } of entries) {
    const { storageId } = JSON.parse(Buffer.from(value).toString()) as { storageId: string };
    for (let bucket = 0; bucket < 4; bucket++)
      length += store.readLog(
        Buffer.concat([Buffer.from(storageId, 'hex'), Buffer.of(bucket)]),
        0,
        10_000,
      ).length;
  }
  return length;
}
