import { describe, expect, it } from 'vitest';
import { fillingSlot } from '../../src/engine/tables/parts/index-phase.ts';
import { Stator } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { FaultyStore } from '../storage/faulty-store.ts';
import { runSeed, type Scheduler } from '../storage/scheduled-store.ts';

const TableName = 'filled';
const IndexName = 'by-owner';
const scope = { account: '000000000000', region: 'us-east-1' };

/** A memory that several databases share, as processes share a store. */
class SharedMemory extends MemoryStore {
  override readonly exclusive = false as boolean as true;
}

describe('an index that is filled while others write', () => {
  /**
   * Two databases on one store: one adds an index while both write, the other one may do steps of the filling too, and
   * sometimes the index or the table is dropped in the middle.
   */
  const seeds = testSeeds('filling an index');
  it.each(seeds)('has exactly the entries of the items in the end, in any order, %i', async (seed) => {
    for (let round = 0; round < rounds(25); round++)
      await runSeed((scheduler) => fillUnderWriters(scheduler, seededRandom(seed + round)), seed + round);
  });

  it('goes on by itself after trouble with the store', async () => {
    const memory = new MemoryStore();
    const before = await Stator.open({ store: memory });
    await prepare(before, 1_200);
    const store = new FaultyStore(memory, [
      { method: 'transactMany', nth: 11, effect: { kind: 'refuse', trouble: 'unavailable' } },
      { method: 'transactMany', nth: 12, effect: { kind: 'lose-answer' } },
    ]);
    const lines: string[] = [];
    const db = await Stator.open({ store, log: (line) => lines.push(line) });
    await createIndex(db);
    await db.engine.settled();
    expect(lines.filter((line) => line.startsWith('Filling an index was interrupted'))).toHaveLength(1);
    expect(await indexed(db)).toHaveLength(1_200);
    await expectWhole(db);
  });

  it('goes on in the next process when one was stopped in the middle, from where that was', async () => {
    const store = new MemoryStore();
    const first = await Stator.open({ store });
    await prepare(first, 1_200);
    await createIndex(first);
    // Its work in the background has been asked for but had no turn yet.
    await first.engine.close();
    expect(await first.engine.indexFiller.underway()).toMatchObject([
      { tableName: TableName, indexName: IndexName, itemsSeen: 1_000, items: 1_200 },
    ]);
    await expect(indexed(first)).rejects.toThrow('Cannot read from backfilling global secondary index');
    await expectWhole(first);
    const second = await Stator.open({ store });
    await second.engine.settled();
    expect(await second.engine.indexFiller.underway()).toEqual([]);
    expect(await indexed(second)).toHaveLength(1_200);
    await expectWhole(second);
  });

  it('counts the items that it must leave out', async () => {
    const lines: string[] = [];
    const db = Stator.inMemory({ log: (line) => lines.push(line) });
    await prepare(db, 10);
    for (const owner of [{ N: '1' }, { S: '' }])
      await db.putItem({ TableName, Item: { pk: { S: JSON.stringify(owner) }, owner } });
    await db.putItem({ TableName, Item: { pk: { S: 'no owner' } } });
    await createIndex(db);
    expect(await db.engine.catalogue.record(scope, TableName)).toMatchObject({
      indexPhase: { filled: true, itemsLeftOut: 2 },
    });
    expect(lines).toEqual([
      'Index by-owner of table filled is filled without 2 items, whose key attributes are of another type, empty or too long.',
    ]);
    expect(await indexed(db)).toHaveLength(10);
    await expectWhole(db);
  });
});

async function fillUnderWriters(scheduler: Scheduler, random: SeededRandom): Promise<void> {
  const memory = new SharedMemory();
  const open = () => Stator.open({ store: scheduler.store(memory) as Store });
  const [left, right] = [await open(), await open()];
  const count = 20 + random.below(230);
  await prepare(left, count);
  const end = random.pick(['keep', 'keep', 'drop index', 'drop table'] as const);
  const write = (db: Stator) => async () => {
    for (let i = 0; i < 8; i++) await ignoringDrops(randomWrite(db, random, count));
  };
  await scheduler.run({
    create: async () => {
      await ignoringDrops(createIndex(left));
    },
    left: write(left),
    right: write(right),
    fill: async () => {
      for (let i = 0; i < 3; i++) {
        const record = await right.engine.catalogue.record(scope, TableName);
        if (record !== undefined && fillingSlot(record) !== undefined)
          await right.engine.indexFiller.begin(record);
      }
    },
    end: async () => {
      for (let i = random.below(8); i > 0; i--) await right.describeTable({ TableName });
      const updates = [{ Delete: { IndexName } }];
      if (end === 'drop table') await right.deleteTable({ TableName });
      if (end === 'drop index')
        await ignoringDrops(right.updateTable({ TableName, GlobalSecondaryIndexUpdates: updates }));
    },
  });
  await Promise.all([left.engine.settled(), right.engine.settled()]);
  await expectWhole(left);
  expect(await right.engine.indexFiller.underway()).toEqual([]);
  const record = await right.engine.catalogue.record(scope, TableName);
  if (record?.description.gsis.length !== 1) return;
  const { Items } = await right.scan({ TableName });
  const expected = Items!.filter(({ owner }) => owner !== undefined).map(({ pk }) => pk!.S);
  expect((await indexed(right)).toSorted()).toEqual(expected.toSorted());
}

async function prepare(db: Stator, count: number): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  for (let i = 0; i < count; i++)
    await db.putItem({ TableName, Item: { pk: { S: `${i}` }, owner: { S: `${i % 7}` }, at: { N: '0' } } });
}

function createIndex(db: Stator) {
  return db.updateTable({
    TableName,
    AttributeDefinitions: [{ AttributeName: 'owner', AttributeType: 'S' }],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName,
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['at'] },
        },
      },
    ],
  });
}

/** Writes to few of the items, so that one is met more than once, and sometimes to several in one batch. */
function randomWrite(db: Stator, random: SeededRandom, count: number): Promise<unknown> {
  const pk = () => ({ S: `${random.below(count + 5)}` });
  const item = () => ({
    pk: pk(),
    ...(random.chance(0.8) && { owner: { S: `${random.below(7)}` } }),
    at: { N: `${random.below(3)}` },
  });
  switch (random.below(4)) {
    case 0:
      return db.putItem({ TableName, Item: item() });
    case 1:
      return db.deleteItem({ TableName, Key: { pk: pk() } });
    case 2: {
      const isRemoval = random.chance(0.3);
      return db.updateItem({
        TableName,
        Key: { pk: pk() },
        UpdateExpression: isRemoval ? 'REMOVE #owner SET #at = :at' : 'SET #owner = :owner, #at = :at',
        ExpressionAttributeNames: { '#owner': 'owner', '#at': 'at' },
        ExpressionAttributeValues: {
          ':at': { N: `${random.below(3)}` },
          ...(!isRemoval && { ':owner': { S: `${random.below(7)}` } }),
        },
      });
    }
    default: {
      const puts = new Map(Array.from({ length: 5 }, item).map((each) => [each.pk.S, each]));
      return db.batchWriteItem({
        RequestItems: { [TableName]: [...puts.values()].map((Item) => ({ PutRequest: { Item } })) },
      });
    }
  }
}

async function indexed(db: Stator): Promise<string[]> {
  const found: string[] = [];
  let ExclusiveStartKey: Record<string, { S: string }> | undefined;
  do {
    const page = await db.scan({ TableName, IndexName, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
    found.push(...page.Items!.map(({ pk }) => pk!.S!));
    ExclusiveStartKey = page.LastEvaluatedKey as typeof ExclusiveStartKey;
  } while (ExclusiveStartKey !== undefined);
  return found;
}

async function expectWhole(db: Stator): Promise<void> {
  const { findings, clean } = await db.check();
  expect(findings).toEqual([]);
  expect(clean).toBe(true);
}

/** What another client has dropped is not there any more, and what it is still dropping is in use. */
async function ignoringDrops(call: Promise<unknown>): Promise<void> {
  await call.catch((error: Error) => {
    if (!['ResourceNotFoundException', 'ResourceInUseException'].includes(error.name)) throw error;
  });
}
