import { afterEach, describe, expect, it } from 'vitest';
import { type LogLayout, unnotedLayout } from '../../src/engine/change-log/log-layout.ts';
import { decodeShards, encodeShards } from '../../src/engine/change-log/shards.ts';
import { decodeStream, encodeStream } from '../../src/engine/change-log/stream-note.ts';
import { recordKey, shardsKey, streamKey } from '../../src/engine/store-keys.ts';
import { decodeRecord, encodeRecord, type TableRecord } from '../../src/engine/tables/table-record.ts';
import { type CreateTableInput, Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { applyRecord, contentOf, iteratorAt, readOn, StreamConsumer, shardsOf } from './read-stream.ts';

const TableName = 'orders';
const scope = { account: '000000000000', region: 'us-east-1' };
const hourMs = 3_600_000;
const clean = { clean: true, findings: [], unjudged: [] };

const open: Stator[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

interface Opened {
  readonly db: Stator;
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
}

async function newDatabase(store = new MemoryStore(), physics: 'off' | 'shadow' = 'shadow'): Promise<Opened> {
  const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
  const db = await Stator.open({ store, clock, physics });
  open.push(db);
  return { db, store, clock };
}

const streamed = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;

function tableOf(settings: Partial<CreateTableInput>): CreateTableInput {
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    StreamSpecification: streamed,
    ...settings,
  };
}

async function create(db: Stator, settings: Partial<CreateTableInput> = {}): Promise<string> {
  return (await db.createTable(tableOf(settings))).TableDescription.LatestStreamArn!;
}

const provisioned = (ReadCapacityUnits: number, WriteCapacityUnits: number) => ({
  BillingMode: 'PROVISIONED' as const,
  ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits },
});

const put = (db: Stator, pk: string, v = 0) =>
  db.putItem({ TableName, Item: { pk: { S: pk }, v: { N: String(v) } } });

describe('a stream has an open shard for each partition that the table has in the model', () => {
  it.each<[string, number, Partial<CreateTableInput>]>([
    ['a small provisioned table', 1, provisioned(5, 5)],
    ['a provisioned table of one partition', 1, provisioned(1_500, 500)],
    ['a provisioned table of 3,000 write units', 3, provisioned(10, 2_990)],
    ['a table on demand', 4, {}],
    ['a warm table', 12, { WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 12_000 } }],
  ])('%s: %i', async (_, count, settings) => {
    for (const physics of ['shadow', 'off'] as const) {
      const { db } = await newDatabase(undefined, physics);
      const arn = await create(db, settings);
      expect(await shardsOf(db, arn)).toHaveLength(count);
      for (let i = 0; i < 40; i++) await put(db, `item${i}`, i);
      const consumer = new StreamConsumer(arn);
      await consumer.poll(db);
      expect(consumer.records).toHaveLength(40);
      expect(await db.check()).toMatchObject(clean);
    }
  });

  it('also where the stream is switched on later, or on again after the table grew', async () => {
    const { db, clock } = await newDatabase();
    await db.createTable({ ...tableOf(provisioned(5, 5)), StreamSpecification: { StreamEnabled: false } });
    await put(db, 'a');
    const switched = async (StreamEnabled: boolean) => {
      const StreamSpecification = StreamEnabled ? streamed : { StreamEnabled };
      return (await db.updateTable({ TableName, StreamSpecification })).TableDescription.LatestStreamArn!;
    };
    const first = await switched(true);
    expect(await shardsOf(db, first)).toHaveLength(1);
    await put(db, 'b');
    await switched(false);
    await put(db, 'c');
    const ProvisionedThroughput = { ReadCapacityUnits: 10, WriteCapacityUnits: 2_990 };
    await db.updateTable({ TableName, ProvisionedThroughput });
    clock.advanceMs(1_000);
    const second = await switched(true);
    expect((await shardsOf(db, second)).length).toBeGreaterThan(2);
    await put(db, 'd');
    for (const [arn, expected] of [
      [first, 'b'],
      [second, 'd'],
    ] as const) {
      const consumer = new StreamConsumer(arn);
      await consumer.poll(db);
      expect(consumer.records.map(({ dynamodb }) => dynamodb.Keys.pk!.S)).toEqual([expected]);
    }
    expect(await db.check()).toMatchObject(clean);
    // The streams of a dropped table can be read for a day, and leave nothing behind.
    await db.deleteTable({ TableName });
    const consumer = new StreamConsumer(second);
    await consumer.poll(db);
    expect(consumer.records).toHaveLength(1);
    expect(await db.check()).toMatchObject(clean);
    clock.advanceMs(25 * hourMs);
    db.engine.changeLog.keeper.start();
    await db.engine.settled();
    for (const kind of [0x07, 0x08, 0x1a])
      expect(
        (await db.engine.store.range({ from: Uint8Array.of(kind), to: Uint8Array.of(kind + 1), limit: 1 }))
          .entries,
      ).toEqual([]);
    expect(await db.check()).toMatchObject(clean);
  });

  it('and a follower from the oldest change on reads the buckets of before first', async () => {
    const { db } = await newDatabase();
    await db.createTable({ ...tableOf(provisioned(5, 5)), StreamSpecification: streamed });
    for (let v = 0; v < 40; v++) await put(db, 'a', v);
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    const ProvisionedThroughput = { ReadCapacityUnits: 10, WriteCapacityUnits: 2_990 };
    await db.updateTable({ TableName, ProvisionedThroughput });
    await db.updateTable({ TableName, StreamSpecification: streamed });
    for (let v = 40; v < 80; v++) await put(db, 'a', v);
    const numbers: bigint[] = [];
    for await (const { sequenceNumber } of db.follow(TableName, { from: 'oldest' }))
      if (numbers.push(BigInt(sequenceNumber)) === 80) break;
    expect(numbers).toEqual(numbers.toSorted((a, b) => Number(a - b)));
  });

  it('so that a program which reads only the first shard of a small table sees everything, in order', async () => {
    const { db } = await newDatabase();
    const arn = await create(db, provisioned(5, 5));
    const { StreamDescription } = await db.describeStream({ StreamArn: arn });
    const iterator = await iteratorAt(db, arn, StreamDescription.Shards[0]!.ShardId);
    for (let i = 0; i < 60; i++) await put(db, `item${i % 25}`, i);
    const { records } = await readOn(db, iterator, 7);
    expect(records.map(({ dynamodb }) => Number(dynamodb.NewImage!.v!.N))).toEqual(
      Array.from({ length: 60 }, (_, i) => i),
    );
  });
});

describe('a store of before buckets were data', () => {
  it('goes on with its four buckets, its shards and its cursors', async () => {
    const { db, store, clock } = await olderDatabase();
    const arn = await streamArnOf(db);
    const before = await shardsOf(db, arn);
    expect(before).toHaveLength(4);
    const consumer = new StreamConsumer(arn);
    await consumer.poll(db);
    const content = new Map<string, string>();
    let applied = 0;
    const compare = async () => {
      for (; applied < consumer.records.length; applied++) applyRecord(content, consumer.records[applied]!);
      expect(content).toEqual(await contentOf(db, TableName, ['pk']));
    };
    await compare();
    expect(applied).toBe(30);
    for (let i = 0; i < 30; i++) await put(db, `item${i % 20}`, 100 + i);
    await consumer.poll(db);
    await compare();
    clock.advanceMs(4 * hourMs);
    const after = await shardsOf(db, arn);
    expect(after).toHaveLength(8);
    expect(after.slice(0, 4).map(({ ShardId }) => ShardId)).toEqual(before.map(({ ShardId }) => ShardId));
    await put(db, 'item3', 999);
    const fresh = new StreamConsumer(arn);
    await fresh.poll(db);
    expect(fresh.records).toHaveLength(61);
    expect(await db.check()).toMatchObject(clean);
    // Somebody else who begins to follow the table goes by the same buckets.
    const signal = new AbortController();
    const feed = db.follow(TableName, { from: 'oldest', signal: signal.signal });
    const seen: string[] = [];
    for await (const { keys } of feed) {
      seen.push(keys.pk!.S!);
      if (seen.length === 61) break;
    }
    expect(await db.check()).toMatchObject(clean);
    expect(recordIn(store).log).toEqual(unnotedLayout);
  });

  it('keeps the sequence numbers that its readers have noted', async () => {
    const { db } = await olderDatabase();
    const arn = await streamArnOf(db);
    const consumer = new StreamConsumer(arn);
    await consumer.poll(db);
    for (const { dynamodb } of consumer.records) expect(dynamodb.SequenceNumber).toMatch(/^1\d{15,}$/);
    for (const { dynamodb } of consumer.records) expect(dynamodb.SequenceNumber).toHaveLength(26);
  });

  it('gets one shard for its one partition when the stream is switched on again', async () => {
    const { db } = await olderDatabase();
    const old = await streamArnOf(db);
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await db.updateTable({ TableName, StreamSpecification: streamed });
    const arn = await streamArnOf(db);
    expect(await shardsOf(db, arn)).toHaveLength(1);
    await put(db, 'new', 1);
    for (const [stream, length] of [
      [old, 30],
      [arn, 1],
    ] as const) {
      const consumer = new StreamConsumer(stream);
      await consumer.poll(db);
      expect(consumer.records).toHaveLength(length);
    }
    expect(await db.check()).toMatchObject(clean);
  });
});

/** A small provisioned table with 30 changes, in the form in which stores kept it before: four buckets, and no note of them. */
async function olderDatabase(): Promise<Opened> {
  const made = await newDatabase();
  await create(made.db, provisioned(5, 5));
  const { store } = made;
  const record = recordIn(store);
  const { label } = record.description.stream!;
  const [noteKey, ofShards] = [streamKey(scope, TableName, label), shardsKey(record.storageId, label)];
  const older = <T extends { readonly log?: LogLayout }>({ log: _, ...rest }: T) => rest;
  const { shards, ...note } = decodeShards(store.get(ofShards)!, ofShards);
  const [{ turn: _, ...shard }] = shards as [(typeof shards)[0]];
  const four = [0, 1, 2, 3].map((number) => ({
    ...shard,
    id: shard.id.replace(/..$/, `0${number}`),
    ...{ number, bucket: number },
  }));
  const values: [Uint8Array, Uint8Array][] = [
    [recordKey(scope, TableName), encodeRecord(older(record) as TableRecord)],
    [
      noteKey,
      encodeStream(older(decodeStream(store.get(noteKey)!, noteKey)) as ReturnType<typeof decodeStream>),
    ],
    [ofShards, encodeShards({ ...note, nextNumber: 4, shards: four })],
  ];
  store.transact({
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: values.map(([key, value]) => ({ kind: 'put' as const, key, value })),
    }),
  });
  const again = await newDatabase(store);
  for (let i = 0; i < 30; i++) await put(again.db, `item${i % 20}`, i);
  return again;
}

function recordIn(store: MemoryStore): TableRecord {
  return decodeRecord(store.get(recordKey(scope, TableName))!);
}

async function streamArnOf(db: Stator): Promise<string> {
  return (await db.describeTable({ TableName })).Table!.LatestStreamArn!;
}
