import { afterEach, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { openRoad } from '../../src/engine/road.ts';
import { newHash16 } from '../../src/hash16.ts';
import { type AttributeMap, Stator, type StatorOptions } from '../../src/index.ts';
import { seededChance } from '../../src/runtime/chance.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { realRuntime } from '../../src/runtime/machine/runtime-of.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { CountingStore } from '../benchmarks/counting-store.ts';
import { runChild } from '../run-child.ts';
import { FaultyStore } from '../storage/faulty-store.ts';
import { StreamConsumer } from '../streams/read-stream.ts';
import {
  changesOf,
  createExpiring,
  dayMs,
  definition,
  keysIn,
  newClock,
  scope,
  session,
  setTtl,
  startMs,
  TableName,
} from './expiring-table.ts';

const databases: Stator[] = [];
afterEach(async () => {
  for (const db of databases) expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await Promise.all(databases.splice(0).map((db) => db.close()));
});

async function open(options: StatorOptions = {}): Promise<Stator> {
  const db = await Stator.open(options);
  databases.push(db);
  return db;
}

describe('items whose time to live is over', () => {
  it('are there until their second has come, and gone once it has', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db);
    await db.putItem({ TableName, Item: session('a', 10) });
    await db.putItem({ TableName, Item: session('b', 20) });
    clock.advanceMs(9_999);
    await db.settled();
    expect(await keysIn(db)).toEqual(['a', 'b']);
    clock.advanceMs(1);
    // Nothing was awaited since the clock moved: what has expired can be read until it is deleted.
    expect(await keysIn(db)).toContain('b');
    await db.settled();
    expect(await keysIn(db)).toEqual(['b']);
    clock.setMs(startMs + 30_000);
    await db.settled();
    expect(await keysIn(db)).toEqual([]);
  });

  it('go at once when they are written too late, and stay when they are written anew in time', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db);
    const { Attributes } = await db.putItem({
      TableName,
      Item: session('late', -1),
      ReturnValues: 'ALL_OLD',
    });
    expect(Attributes).toBeUndefined();
    await db.settled();
    expect(await keysIn(db)).toEqual([]);
    for (const pk of ['put', 'updated', 'transacted', 'without', 'deleted'])
      await db.putItem({ TableName, Item: session(pk, 10) });
    await db.putItem({ TableName, Item: session('put', 100) });
    await db.updateItem({
      TableName,
      Key: { pk: { S: 'updated' } },
      UpdateExpression: 'SET expires = expires + :more',
      ExpressionAttributeValues: { ':more': { N: '90' } },
    });
    await db.transactWriteItems({
      TransactItems: [
        { Put: { TableName, Item: session('transacted', 100) } },
        {
          Update: { TableName, Key: { pk: { S: 'without' } }, UpdateExpression: 'REMOVE expires' },
        },
        { Delete: { TableName, Key: { pk: { S: 'deleted' } } } },
      ],
    });
    clock.advanceMs(10_000);
    await db.settled();
    expect(await keysIn(db)).toEqual(['put', 'transacted', 'updated', 'without']);
    clock.advanceMs(90_000);
    await db.settled();
    expect(await keysIn(db)).toEqual(['without']);
  });

  const second = startMs / 1000;
  it.each<[what: string, value: AttributeMap[string], isDeleted: boolean]>([
    ['a second in the past', { N: `${second - 60}` }, true],
    ['the present second', { N: `${second}` }, true],
    ['the next second', { N: `${second + 1}` }, false],
    ['a fraction, which is dropped', { N: `${second}.9999999999999999999999999999` }, true],
    ['an exponent', { N: `${second / 10}e1` }, true],
    ['milliseconds, which lie in the far future', { N: `${startMs - 60_000}` }, false],
    ['a text', { S: `${second - 60}` }, false],
    ['a set', { NS: [`${second - 60}`] }, false],
    ['a list', { L: [{ N: `${second - 60}` }] }, false],
    ['almost five years in the past', { N: `${second - 5 * 365 * 86_400}` }, true],
    ['more than five years in the past', { N: `${second - 5 * 366 * 86_400}` }, false],
    ['the year 1970', { N: '0' }, false],
    ['before 1970', { N: '-1' }, false],
    ['the largest number there is', { N: '9.9999999999999999999999999999999999999e125' }, false],
    ['the smallest', { N: '1e-130' }, false],
  ])('tell it by a number of seconds: %s', async (_, value, isDeleted) => {
    const db = await open({ clock: newClock() });
    await createExpiring(db);
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, expires: value } });
    await db.settled();
    expect(await keysIn(db)).toEqual(isDeleted ? [] : ['a']);
  });

  it('tell it at the top level, in the attribute of that very name', async () => {
    const db = await open({ clock: newClock() });
    await createExpiring(db);
    const expired = session('x', -60).expires!;
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, Expires: expired } });
    await db.putItem({ TableName, Item: { pk: { S: 'b' }, in: { M: { expires: expired } } } });
    await db.settled();
    expect(await keysIn(db)).toEqual(['a', 'b']);
  });

  it('may tell it by their key', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await db.createTable({
      ...definition,
      AttributeDefinitions: [
        ...definition.AttributeDefinitions,
        { AttributeName: 'expires', AttributeType: 'N' },
      ],
      KeySchema: [...definition.KeySchema, { AttributeName: 'expires', KeyType: 'RANGE' }],
    });
    await setTtl(db, true);
    await db.putItem({ TableName, Item: session('a', 10) });
    await db.putItem({ TableName, Item: session('a', 20) });
    clock.advanceMs(15_000);
    await db.settled();
    const { Items } = await db.scan({ TableName });
    expect(Items).toEqual([session('a', 20)]);
  });

  it('leave the indexes and the counters too, and the log tells whose doing it was', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db, {
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'local',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'owner', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-owner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    const item = (pk: string, seconds: number) => ({
      ...session(pk, seconds),
      sk: { S: 's' },
      owner: { S: 'o' },
    });
    await db.putItem({ TableName, Item: item('a', 10) });
    await db.putItem({ TableName, Item: item('b', 20) });
    await db.putItem({ TableName, Item: item('c', 30) });
    await db.deleteItem({ TableName, Key: { pk: { S: 'b' }, sk: { S: 's' } } });
    clock.advanceMs(20_000);
    await db.settled();
    for (const index of [undefined, 'by-owner', 'local']) expect(await keysIn(db, index)).toEqual(['c']);
    expect((await db.describeTable({ TableName })).Table).toMatchObject({
      ItemCount: 1,
      GlobalSecondaryIndexes: [{ ItemCount: 1 }],
    });
    const removals = (await changesOf(db)).filter(({ after }) => after === undefined);
    expect(removals.map(({ pk, by }) => [pk, by]).toSorted()).toEqual([
      ['a', 'ttl'],
      ['b', 'user'],
    ]);
  });

  it('are told of by the stream as the service’s doing', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db, {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
    });
    await db.putItem({ TableName, Item: session('a', 10) });
    await db.putItem({ TableName, Item: session('b', 100) });
    await db.deleteItem({ TableName, Key: { pk: { S: 'b' } } });
    clock.advanceMs(10_000);
    await db.settled();
    const { Table } = await db.describeTable({ TableName });
    const consumer = new StreamConsumer(Table!.LatestStreamArn!);
    await consumer.poll(db);
    const removals = consumer.records.filter(({ eventName }) => eventName === 'REMOVE');
    const told = new Map(removals.map(({ dynamodb, userIdentity }) => [dynamodb.Keys!.pk!.S, userIdentity]));
    expect(told).toEqual(
      new Map([
        ['a', { Type: 'Service', PrincipalId: 'dynamodb.amazonaws.com' }],
        ['b', undefined],
      ]),
    );
    expect(removals.map(({ dynamodb }) => dynamodb.OldImage)).toContainEqual(session('a', 10));
  });

  it('stay once the setting is off, and go by the new attribute once it is on again', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db);
    const times = { expires: session('', 10).expires!, other: session('', 30).expires! };
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, ...times } });
    await setTtl(db, false);
    clock.advanceMs(20_000);
    await db.settled();
    expect(await keysIn(db)).toEqual(['a']);
    await setTtl(db, true, 'other');
    await db.settled();
    expect(await keysIn(db)).toEqual(['a']);
    clock.advanceMs(10_000);
    await db.settled();
    expect(await keysIn(db)).toEqual([]);
  });

  it('that were there before the setting go too, however many there are', async () => {
    const db = await open({ clock: newClock() });
    await db.createTable(definition);
    const count = 1_300;
    for (let i = 0; i < count; i++)
      await db.putItem({ TableName, Item: session(String(i), i % 2 === 0 ? -60 : 60) });
    await setTtl(db, true);
    expect((await db.describeTimeToLive({ TableName })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'ENABLING',
      AttributeName: 'expires',
    });
    expect(await db.engine.indexFiller.underway()).toMatchObject([
      { tableName: TableName, attributeName: 'expires', itemsSeen: 1_000 },
    ]);
    await db.settled();
    expect(await keysIn(db)).toHaveLength(count / 2);
    expect((await db.describeTimeToLive({ TableName })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: 'ENABLED',
      AttributeName: 'expires',
    });
  });

  it('are deleted by whoever opens the store, and trouble is told and overcome', async () => {
    const store = new MemoryStore();
    const clock = newClock();
    const first = await Stator.open({ store, clock });
    await createExpiring(first);
    for (let i = 0; i < 60; i++) await first.putItem({ TableName, Item: session(String(i), 10) });
    await first.engine.close();
    clock.advanceMs(10_000);
    const lines: string[] = [];
    const faulty = new FaultyStore(store, [
      { method: 'transactMany', nth: 1, effect: { kind: 'lose-answer' } },
      { method: 'transactMany', nth: 2, effect: { kind: 'refuse', trouble: 'unavailable' } },
    ]);
    const db = await open({ store: faulty, clock, log: (line) => lines.push(line) });
    await db.settled();
    expect(await keysIn(db)).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^Deleting expired items was interrupted/)]);
  });

  it('of a fork follow its own clock, and a restored database is as late as what it was restored from', async () => {
    const clock = newClock();
    const db = await open({ clock });
    await createExpiring(db);
    await db.putItem({ TableName, Item: session('a', 10) });
    const fork = db.fork();
    databases.push(fork);
    (fork.clock as typeof clock).advanceMs(10_000);
    await fork.settled();
    await db.settled();
    expect([await keysIn(fork), await keysIn(db)]).toEqual([[], ['a']]);
    fork.restore(db);
    await fork.settled();
    expect(await keysIn(fork)).toEqual(['a']);
    (fork.clock as typeof clock).advanceMs(10_000);
    await fork.settled();
    expect([await keysIn(fork), await keysIn(db)]).toEqual([[], ['a']]);
  });
});

describe('in enforce, deletion', () => {
  const day = startMs + dayMs;
  async function seeded(seed: number, more: object = {}) {
    const clock = newClock();
    const db = await open({ clock, seed, physics: 'enforce' });
    await db.createTable({ ...definition, ...more });
    clock.setMs(day - 40 * 60_000);
    await setTtl(db, true);
    for (let i = 0; i < 200; i++) await db.putItem({ TableName, Item: session(String(i), dayMs / 1000) });
    return { clock, db };
  }

  it('takes minutes, for a few items up to two days, and follows from the seed', async () => {
    const { clock, db } = await seeded(7);
    const left: number[] = [];
    for (const minutes of [0, 5, 10, 20, 24 * 60, 48 * 60]) {
      clock.setMs(day + minutes * 60_000);
      await db.settled();
      left.push((await keysIn(db)).length);
    }
    expect(left[0]).toBe(200);
    expect(left[1]).toBeGreaterThan(left[2]!);
    expect(left[2]).toBeGreaterThan(60);
    expect(left[2]).toBeLessThan(140);
    expect(left[3]).toBeGreaterThan(0);
    expect(left[3]).toBeLessThan(30);
    expect(left[4]).toBeLessThan(left[3]!);
    expect(left[5]).toBe(0);
    const again = await seeded(7);
    again.clock.setMs(day + 10 * 60_000);
    await again.db.settled();
    expect(await keysIn(again.db)).toHaveLength(left[2]!);
  });

  it('takes longer where there are indexes', async () => {
    const { clock, db } = await seeded(7, {
      AttributeDefinitions: [
        ...definition.AttributeDefinitions,
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-owner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
    clock.setMs(day + 20 * 60_000);
    await db.settled();
    expect((await keysIn(db)).length).toBeGreaterThan(100);
  });

  it('spares an item that is renewed while it waits', async () => {
    const { clock, db } = await seeded(7);
    clock.setMs(day + 60_000);
    await db.settled();
    const waiting = (await keysIn(db))[0]!;
    await db.updateItem({
      TableName,
      Key: { pk: { S: waiting } },
      UpdateExpression: 'SET expires = :later',
      ExpressionAttributeValues: { ':later': { N: String(startMs / 1000 + 10 * 86_400) } },
    });
    clock.setMs(day + 2 * dayMs);
    await db.settled();
    expect(await keysIn(db)).toEqual([waiting]);
  });
});

describe('what time to live asks of the store', () => {
  const noMutations = { put: 0, delete: 0, append: 0, add: 0 };
  async function counted() {
    const clock = newClock();
    const counting = new CountingStore(new MemoryStore());
    const db = await open({ clock, store: counting.store });
    return { clock, counting, db };
  }

  it('is nothing when there is no such table, or nothing due by what is known', async () => {
    const { clock, counting, db } = await counted();
    await db.createTable(definition);
    await db.settled();
    counting.take();
    clock.advanceMs(1_000);
    await db.settled();
    expect(counting.take().calls).toEqual({});
    await setTtl(db, true);
    await db.putItem({ TableName, Item: session('a', 100) });
    await db.settled();
    counting.take();
    clock.advanceMs(1_000);
    await db.settled();
    expect(counting.take().calls).toEqual({});
  });

  it('is one range read for a sweep that finds nothing', async () => {
    const { clock, counting, db } = await counted();
    await createExpiring(db);
    await db.settled();
    await db.putItem({ TableName, Item: session('a', 100) });
    await db.putItem({ TableName, Item: session('a', 200) });
    await db.settled();
    counting.take();
    clock.advanceMs(100_000);
    await db.settled();
    expect(counting.take()).toEqual({ calls: { range: 1 }, unitReads: 0, mutations: noMutations });
  });

  it('is in proportion to what has expired', async () => {
    const { clock, counting, db } = await counted();
    await createExpiring(db);
    for (let i = 0; i < 500; i++)
      await db.putItem({ TableName, Item: session(String(i), i < 50 ? 10 : 100) });
    await db.settled();
    counting.take();
    clock.advanceMs(10_000);
    await db.settled();
    // Each item with its expiry goes, and the counters of the table's items and bytes with it.
    expect(counting.take()).toEqual({
      calls: { range: 6, getMany: 5, transactMany: 5 },
      unitReads: 100,
      mutations: { ...noMutations, delete: 100, add: 100 },
    });
  });

  it('is one more entry with a write, none when the time stays, and none in tables without', async () => {
    const { counting, db } = await counted();
    await createExpiring(db);
    await db.settled();
    await db.getItem({ TableName, Key: { pk: { S: 'a' } } });
    const puts = async (item: AttributeMap) => {
      counting.take();
      await db.putItem({ TableName, Item: item });
      const { calls, unitReads, mutations } = counting.take();
      expect([calls, unitReads]).toEqual([{ transact: 1 }, 1]);
      return [mutations.put, mutations.delete];
    };
    expect(await puts(session('a', 100))).toEqual([2, 0]);
    expect(await puts({ ...session('a', 100), more: { S: 'x' } })).toEqual([1, 0]);
    expect(await puts(session('a', 200))).toEqual([2, 1]);
    expect(await puts({ pk: { S: 'a' } })).toEqual([1, 1]);
    await setTtl(db, false);
    await db.settled();
    await db.putItem({ TableName, Item: { pk: { S: 'a' } } });
    expect(await puts(session('a', 100))).toEqual([1, 0]);
  });
});

/** A clock like the system's, which tells nobody of its moves, and an engine whose waits are looked at. */
describe('on a clock that goes by itself', () => {
  async function started(stopwatchMs: () => number = () => 0) {
    let now = startMs;
    const clock: Clock = { nowMicros: () => now * 1000 };
    const waits: { ms: number; signal: AbortSignal; ring: () => void }[] = [];
    const store = new MemoryStore();
    const db = await open({ store, clock });
    await db.engine.close();
    const engine = new Engine({
      store,
      runtime: {
        ...realRuntime(clock, seededChance(1)),
        pause: (ms, signal) =>
          ms === 0
            ? new Promise(setImmediate)
            : new Promise((ring) => {
                waits.push({ ms, signal, ring });
              }),
        stopwatchMs,
      },
      h16: newHash16(),
      physics: 'shadow',
      log: () => {},
    });
    const armed = () => waits.filter(({ signal }) => !signal.aborted);
    const put = (item: AttributeMap) =>
      engine.writeItem(openRoad, { scope, tableName: TableName }, () => ({
        key: new Map([['pk', { S: item.pk!.S! }]]),
        next: () => ({ item: new Map(Object.entries(item)) as never }),
      }));
    return {
      engine,
      armed,
      put,
      advance: (ms: number) => {
        now += ms;
      },
      db,
    };
  }

  it('one timer waits for the next item to expire, and none when nothing will', async () => {
    const { engine, armed, put, advance, db } = await started();
    await createExpiring(db);
    engine.resume();
    await engine.settled();
    expect(armed()).toEqual([]);
    await put({ pk: { S: 'never' } });
    expect(armed()).toEqual([]);
    await put(session('far', 10 * 86_400));
    // It looks now and then whether the clock was set.
    expect(armed().map(({ ms }) => ms)).toEqual([30_000]);
    await put(session('near', 20));
    await put(session('nearer', 10));
    await put(session('later', 25));
    expect(armed().map(({ ms }) => ms)).toEqual([10_000]);
    advance(10_000);
    armed()[0]!.ring();
    await new Promise(setImmediate);
    await engine.settled();
    expect(await keysIn(db)).toEqual(['far', 'later', 'near', 'never']);
    expect(armed().map(({ ms }) => ms)).toEqual([10_000]);
    await engine.close();
    expect(armed()).toEqual([]);
  });

  it('items go soon after the clock was set a day ahead, and go on going after it was set back', async () => {
    const { engine, armed, put, advance, db } = await started();
    await createExpiring(db);
    engine.resume();
    await engine.settled();
    await put(session('within the day', 3_600));
    advance(86_400_000);
    expect(armed().map(({ ms }) => ms)).toEqual([30_000]);
    armed()[0]!.ring();
    await new Promise(setImmediate);
    await engine.settled();
    expect(await keysIn(db)).toEqual([]);
    await put(session('on the day after', 86_400 + 20));
    advance(-86_400_000);
    await put(session('today', 20));
    expect(armed().map(({ ms }) => ms)).toEqual([20_000]);
    advance(20_000);
    armed()[0]!.ring();
    await new Promise(setImmediate);
    await engine.settled();
    expect(await keysIn(db)).toEqual(['on the day after']);
    await engine.close();
  });

  it.each([
    // Every look at the stopwatch is 20 ms after the one before: one step takes 20 ms, and so does an empty turn.
    ['is busy, leaves three times as long as a step took', 20, [60]],
    ['has nothing else to do, goes on at once', 0, []],
  ])('a sweep in a process that %s', async (_, lookMs, waits) => {
    let elapsedMs = 0;
    const { engine, armed, put, advance, db } = await started(() => (elapsedMs += lookMs));
    await createExpiring(db);
    engine.resume();
    await engine.settled();
    // A step deletes ten of them.
    for (let i = 0; i < 15; i++) await put(session(`item ${i}`, 60));
    advance(60_000);
    const alarm = armed()[0]!;
    alarm.ring();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    const asked = armed().filter((each) => each !== alarm);
    expect(asked.map(({ ms }) => ms)).toEqual(waits);
    for (const { ring } of asked) ring();
    await engine.settled();
    expect(await keysIn(db)).toEqual([]);
    await engine.close();
  });

  it('a process stays until its expired items are gone, and then ends although others will expire', async () => {
    const child = runChild(new URL('./children/expiring.ts', import.meta.url), []);
    expect(await child.ended).toMatchObject({ code: 0, errors: '' });
    expect(child.lines).toEqual(['1 item']);
  });
});
