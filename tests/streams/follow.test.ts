import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { FollowOptions } from '../../src/engine/change-log/change-log.ts';
import type { FollowedChange } from '../../src/engine/change-log/follow.ts';
import { layoutOf } from '../../src/engine/change-log/log-layout.ts';
import { Streams } from '../../src/engine/change-log/streams.ts';
import { newHash16 } from '../../src/hash16.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { DynamoError } from '../../src/model/errors.ts';
import { decodeItem } from '../../src/model/stored/stored-item.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { freshSchema, openTestStore } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';
import { deferred } from '../wire/deferred.ts';
import { StreamConsumer, shardsOf } from './read-stream.ts';

const TableName = 'followed';
const scope = { account: '000000000000', region: 'us-east-1' };
const hourMs = 3_600_000;

const open: Stator[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

async function newTable(db: Stator, isStreamed = false): Promise<string | undefined> {
  open.push(db);
  const { TableDescription } = await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    ...(isStreamed && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const } }),
  });
  return TableDescription.LatestStreamArn;
}

const put = (db: Stator, pk: string) => db.putItem({ TableName, Item: { pk: { S: pk } } });

const pkOf = ({ change }: FollowedChange) => {
  const { pk } = Object.fromEntries(decodeItem((change.after ?? change.before)!));
  return (pk as { S: string }).S;
};

describe('a follower in the process', () => {
  it('is given the changes as they come, until it stops, and leaves nothing behind', async () => {
    const store = new MemoryStore();
    const db = await Stator.open({ store });
    await newTable(db);
    await put(db, 'before');
    const changes = await follow(db);
    const first = changes.next();
    await put(db, 'a');
    expect(pkOf((await first).value as FollowedChange)).toBe('a');
    const second = changes.next();
    await Promise.all(['b', 'c', 'd'].map((pk) => put(db, pk)));
    const found = [await second, await changes.next(), await changes.next()];
    expect(found.map(({ value }) => pkOf(value as FollowedChange)).sort()).toEqual(['b', 'c', 'd']);
    await changes.return(undefined);
    expect((await db.engine.catalogue.record(scope, TableName))!.followers).toBeUndefined();
    await put(db, 'after');
    db.engine.changeLog.keeper.start();
    await db.engine.settled();
    expect(store.range({ from: Uint8Array.of(9), to: Uint8Array.of(10), limit: 1 }).entries).toEqual([]);
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('is given what the log has kept for others, if it asks for the oldest', async () => {
    const db = await Stator.open();
    await newTable(db, true);
    for (const pk of ['a', 'b', 'c']) await put(db, pk);
    const controller = new AbortController();
    const found: string[] = [];
    const options = { from: 'oldest', signal: controller.signal } as const;
    for await (const change of await follow(db, options)) {
      found.push(pkOf(change));
      if (found.length === 3) controller.abort();
    }
    expect(found.sort()).toEqual(['a', 'b', 'c']);
  });

  it('ends with its table, and when the database is closed', async () => {
    const db = await Stator.open();
    await newTable(db);
    const endOf = async (changes: AsyncGenerator<unknown>) => {
      const found: unknown[] = [];
      for await (const change of changes) found.push(change);
      return found;
    };
    const first = endOf(await follow(db));
    await db.deleteTable({ TableName });
    expect(await first).toEqual([]);
    await newTable(db);
    const second = endOf(await follow(db));
    await db.close();
    expect(await second).toEqual([]);
  });

  it('is dismissed with the database, also in the middle of a change', async () => {
    const directory = await newDirectory();
    const store = { directory, durability: 'relaxed' } as const;
    const db = await Stator.open({ store });
    await newTable(db);
    const changes = await follow(db);
    const first = changes.next();
    await put(db, 'a');
    await first;
    await db.close();
    const again = await Stator.open({ store });
    open.push(again);
    expect((await again.engine.catalogue.record(scope, TableName))!.followers).toBeUndefined();
    await again.engine.settled();
    expect(await again.check()).toMatchObject({ clean: true });
    await again.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('hears of what other processes write', async () => {
    const schema = freshSchema();
    const [own, other] = await Promise.all(
      [1, 2].map(async () => Stator.open({ store: await openTestStore({ schema }) })),
    );
    await newTable(own!);
    open.push(other!);
    const changes = await follow(own!);
    const first = changes.next();
    await put(other!, 'a');
    expect(pkOf((await first).value as FollowedChange)).toBe('a');
    await changes.return(undefined);
  });

  it('that does not come back is dismissed, and what was kept for it is trimmed', async () => {
    const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
    const store = new MemoryStore();
    const db = await Stator.open({ store, clock });
    await newTable(db);
    const { changeLog } = db.engine;
    const place = await changeLog.readers.enroll(scope, TableName, 'lazy', 48 * hourMs);
    if (!('storageId' in place)) throw new Error('not enrolled');
    for (const pk of ['a', 'b', 'c', 'd', 'e']) await put(db, pk);
    const keep = async () => {
      changeLog.keeper.start();
      await db.engine.settled();
      const { positions } = place;
      const left = positions.map((_, bucket) =>
        store.readLog(Buffer.concat([Buffer.from(place.storageId, 'hex'), Buffer.of(bucket)]), 0, 100),
      );
      return left.flat().length;
    };
    clock.advanceMs(47 * hourMs);
    expect(await keep()).toBe(5);
    const layout = async () => layoutOf((await db.engine.catalogue.record(scope, TableName))!);
    const ends = await changeLog.streams.logEnds(place.storageId, await layout());
    expect(
      await changeLog.readers.advance({ ...place, positions: ends.map((end) => Math.min(end, 1)) }),
    ).toBe(true);
    expect(await keep()).toBe(5 - ends.filter((end) => end > 0).length);
    clock.advanceMs(48 * hourMs);
    expect(await keep()).toBe(0);
    expect(await changeLog.readers.advance({ ...place, positions: ends })).toBe(false);
    expect((await db.engine.catalogue.record(scope, TableName))!.followers).toBeUndefined();
    expect(await db.check()).toMatchObject({ clean: true });
  });
});

describe('a page of a shard that ends while it is read', () => {
  it('does not end before what was written in between', async () => {
    const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
    const store = new MemoryStore();
    const db = await Stator.open({ store, clock });
    const arn = (await newTable(db, true))!;
    const [stream] = await db.engine.changeLog.streams.list(scope, TableName, undefined, 1);
    const keys = Array.from({ length: 40 }, (_, i) => `item${i}`);
    // The log is found empty; before the shards are looked at, it gets records, and they are closed behind them.
    const late = new LateReads(store, async () => {
      for (const pk of keys) await put(db, pk);
      clock.advanceMs(5 * hourMs);
      expect(await shardsOf(db, arn)).toHaveLength(8);
    });
    const reading = new Streams({ store: late, clock, h16: newHash16() });
    let found = 0;
    for (let shard = 0; shard < 4; shard++) {
      let place = { after: 0, fromHorizon: true };
      for (let isOver = false; !isOver; ) {
        const page = await reading.read(stream!, shard, place, 7, () => true);
        if (typeof page !== 'object') throw new Error('no page');
        found += page.records.length;
        place = page.next;
        isOver = page.isOver;
      }
    }
    expect(found).toBe(keys.length);
  });
});

describe('a rollover that is held up between its two steps', () => {
  it('repeats nothing that was read meanwhile', async () => {
    const clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
    const store = new MemoryStore();
    const db = await Stator.open({ store, clock });
    const arn = (await newTable(db, true))!;
    await put(db, 'a');
    const consumer = new StreamConsumer(arn);
    // Another process, whose clock is ahead, has looked up where the shards are to end, and stops in its tracks.
    const ahead = new VirtualClock(clock.nowMicros() / 1000 + 5 * hourMs);
    const gate = deferred<void>();
    const held = new HeldEnds(store, gate.promise);
    const [stream] = await db.engine.changeLog.streams.list(scope, TableName, undefined, 1);
    const other = new Streams({ store: held, clock: ahead, h16: newHash16() });
    const rolling = other.shards(stream!);
    await held.reached;
    // Enough that every bucket gets some.
    const keys = Array.from({ length: 40 }, (_, i) => `item${i}`);
    for (const pk of keys) await put(db, pk);
    await consumer.poll(db);
    gate.resolve();
    await rolling;
    await consumer.poll(db);
    const told = consumer.records.map(({ dynamodb }) => dynamodb.Keys.pk!.S!);
    expect(told.sort()).toEqual(['a', ...keys].sort());
    expect((await shardsOf(db, arn)).length).toBeGreaterThanOrEqual(8);
    expect(await db.check()).toMatchObject({ clean: true });
  });
});

/** Lets something happen after the first look into the log, and before its answer. */
class LateReads extends InterceptedStore {
  #meanwhile: (() => Promise<void>) | undefined;

  constructor(inner: MemoryStore, meanwhile: () => Promise<void>) {
    super(inner);
    this.#meanwhile = meanwhile;
  }

  protected override async intercept<T>(call: Call, run: () => T | Promise<T>): Promise<T> {
    const answer = await run();
    if (call.method !== 'readLog') return answer;
    const meanwhile = this.#meanwhile;
    this.#meanwhile = undefined;
    await meanwhile?.();
    return answer;
  }
}

/** Answers the ends of buckets late. */
class HeldEnds extends InterceptedStore {
  readonly reached: Promise<void>;
  readonly #gate: Promise<void>;
  #reach = () => {};

  constructor(inner: MemoryStore, gate: Promise<void>) {
    super(inner);
    this.#gate = gate;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  protected override intercept<T>(call: Call, run: () => T | Promise<T>): T | Promise<T> {
    if (call.method !== 'logEnd') return run();
    const end = run();
    this.#reach();
    return this.#gate.then(() => end);
  }
}

async function follow(db: Stator, options?: FollowOptions): Promise<AsyncGenerator<FollowedChange, void>> {
  const changes = await db.engine.changeLog.follow(scope, TableName, options);
  if (changes instanceof DynamoError) throw new Error(changes.message);
  return changes;
}
