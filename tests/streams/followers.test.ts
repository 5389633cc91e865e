import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { FollowedChange } from '../../src/engine/change-log/follow.ts';
import { type AttributeMap, Stator, VirtualClock } from '../../src/index.ts';
import { DynamoError } from '../../src/model/errors.ts';
import { itemJson } from '../../src/model/stored/stored-item.ts';
import { decodeUtf8 } from '../../src/model/values/utf8.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { freshSchema, openTestStore } from '../postgres/test-store.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { applyRecord, contentOf, StreamConsumer, shardsOf, sorted } from './read-stream.ts';
import { positionOfItem, splitLog } from './split-log.ts';

const TableName = 'mirrored';
const scope = { account: '000000000000', region: 'us-east-1' };
const reader = 'mirror';
const hourMs = 3_600_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Databases on one store, as several processes would have them, and how they are opened again after a restart. */
interface Place {
  open(clock: VirtualClock): Promise<Stator[]>;
}

async function inMemory(): Promise<Place> {
  let db: Stator | undefined;
  return {
    async open(clock) {
      db = db === undefined ? await Stator.open({ store: new MemoryStore(), clock }) : db.fork({ clock });
      return [db];
    },
  };
}

async function onLmdb(): Promise<Place> {
  const directory = await newDirectory();
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return {
    open: async (clock) => [await Stator.open({ store: { directory, durability: 'relaxed' }, clock })],
  };
}

async function onPostgres(): Promise<Place> {
  const schema = freshSchema();
  return {
    open: async (clock) =>
      Promise.all([1, 2].map(async () => Stator.open({ store: await openTestStore({ schema }), clock }))),
  };
}

describe('a follower that applies every record to an empty map ends with the content of the table', () => {
  for (const seed of testSeeds('followers'))
    it.each([
      ['in memory', inMemory, 14],
      ['on lmdb', onLmdb, 6],
      ['on postgres, with two databases on one store', onPostgres, 3],
    ] as const)(`%s, ${seed}`, async (_, newPlace, times) => {
      for (let round = 0; round < rounds(times, 10); round++)
        await new Mirror(seededRandom(seed + round), await newPlace()).run();
      expect(splits).toBeGreaterThan(0);
    });
});

type Key = Readonly<Record<'pk', { S: string }> & Record<'sk', { N: string }>>;

/** The positions that are known, by bucket: one that is left out is 0. */
function withoutZeros(positions: readonly number[]): [bucket: number, position: number][] {
  return Array.from(positions, (position = 0) => position)
    .map((position, bucket): [number, number] => [bucket, position])
    .filter(([, position]) => position > 0);
}

let splits = 0;

/** Random work on a table whose changes are followed in two ways, and compared with it again and again. */
class Mirror {
  readonly #random: SeededRandom;
  readonly #place: Place;
  readonly #clock = new VirtualClock(Date.parse('2026-11-15T00:00:00Z'));
  #dbs: Stator[] = [];
  #consumer: StreamConsumer | undefined;
  /** What the records of the stream make of the table, and how many of them were applied. */
  #streamed = new Map<string, string>();
  #applied = 0;
  readonly #followed = new Map<string, string>();
  /** By the number of the bucket. */
  readonly #positions: number[] = [];

  constructor(random: SeededRandom, place: Place) {
    this.#random = random;
    this.#place = place;
  }

  async run(): Promise<void> {
    const random = this.#random;
    this.#dbs = await this.#place.open(this.#clock);
    await this.#create();
    for (let step = 0; step < 40; step++) {
      await Promise.all([
        ...Array.from({ length: 1 + random.below(6) }, () => this.#write()),
        ...(random.chance(0.5) ? [this.#poll()] : []),
        // Whoever looks rolls over what is due.
        ...(random.chance(0.3) ? [this.#look()] : []),
        ...(random.chance(0.1) ? [this.#check()] : []),
        ...(random.chance(0.15) ? [this.#split()] : []),
      ]);
      if (random.chance(0.3)) this.#clock.advanceMs(random.below(3 * hourMs));
      if (random.chance(0.2)) await this.#compare();
      if (random.chance(0.1)) await this.#restart();
      if (random.chance(0.1)) await this.#switchStream();
    }
    await this.#compare();
    for (const db of this.#dbs) await db.engine.settled();
    await this.#check();
    await Promise.all(this.#dbs.map((db) => db.close()));
  }

  #db(): Stator {
    return this.#random.pick(this.#dbs);
  }

  async #create(): Promise<void> {
    const { TableDescription } = await this.#db().createTable({
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
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    this.#consumer = new StreamConsumer(TableDescription.LatestStreamArn!, 1 + this.#random.below(20));
    const place = await this.#db().engine.changeLog.readers.enroll(scope, TableName, reader, 30 * hourMs);
    expect(place).not.toBeInstanceOf(DynamoError);
  }

  /** Partitions are cut between collections and inside of them, while others write and read. */
  async #split(): Promise<void> {
    const { pk, sk } = this.#key();
    const start = positionOfItem(pk, this.#random.chance(0.5) ? sk : undefined);
    if (await splitLog(this.#db(), TableName, [start])) splits++;
  }

  #key(): Key {
    return { pk: { S: `p${this.#random.below(8)}` }, sk: { N: String(this.#random.below(3)) } };
  }

  /** Values are few, so that many writes change nothing. */
  #item(): AttributeMap {
    return { ...this.#key(), v: { N: String(this.#random.below(4)) } };
  }

  #keys(count: number): Key[] {
    const keys = Array.from({ length: count }, () => this.#key());
    return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
  }

  async #write(): Promise<void> {
    const random = this.#random;
    const db = this.#db();
    const v = { N: String(random.below(4)) };
    switch (random.below(5)) {
      case 0:
        return void (await db.putItem({ TableName, Item: this.#item() }));
      case 1:
        return void (await db.deleteItem({ TableName, Key: this.#key() }));
      case 2:
        return void (await db.updateItem({
          TableName,
          Key: this.#key(),
          UpdateExpression: random.chance(0.5) ? 'SET v = :v' : 'ADD v :v',
          ExpressionAttributeValues: { ':v': v },
        }));
      case 3: {
        const requests = this.#keys(6).map((Key) =>
          random.chance(0.6) ? { PutRequest: { Item: { ...Key, v } } } : { DeleteRequest: { Key } },
        );
        return void (await db.batchWriteItem({ RequestItems: { [TableName]: requests } }));
      }
      default: {
        const actions = this.#keys(4).map((Key) =>
          random.chance(0.6)
            ? { Put: { TableName, Item: { ...Key, v } } }
            : { Delete: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } },
        );
        await db.transactWriteItems({ TransactItems: actions }).catch((error: Error) => {
          expect(error.name).toBe('TransactionCanceledException');
        });
      }
    }
  }

  async #poll(): Promise<void> {
    await this.#consumer?.poll(...this.#dbs);
  }

  /** Whatever is going on, all that is there fits together. */
  async #check(): Promise<void> {
    expect(await this.#db().check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
  }

  async #look(): Promise<void> {
    for (const { StreamArn } of (await this.#db().listStreams({ TableName })).Streams)
      await shardsOf(this.#db(), StreamArn);
  }

  async #compare(): Promise<void> {
    await this.#poll();
    await this.#follow();
    const expected = await contentOf(this.#db(), TableName, ['pk', 'sk']);
    expect(this.#followed).toEqual(expected);
    if (this.#consumer === undefined) return;
    const { records } = this.#consumer;
    for (; this.#applied < records.length; this.#applied++)
      applyRecord(this.#streamed, records[this.#applied]!);
    expect(this.#streamed).toEqual(expected);
  }

  /** Goes on from the cursor that the store keeps, as a process does that was started again. */
  async #follow(): Promise<void> {
    const { changeLog } = this.#db().engine;
    const place = await changeLog.readers.enroll(scope, TableName, reader, 30 * hourMs);
    if (place instanceof DynamoError) throw new Error(place.message);
    expect(withoutZeros(place.positions)).toEqual(withoutZeros(this.#positions));
    for await (const change of changeLog.resume(scope, TableName, place, undefined, async () => false)) {
      this.#apply(change);
      expect(change.position).toBeGreaterThan(this.#positions[change.bucket] ?? 0);
      this.#positions[change.bucket] = change.position;
    }
    expect(await changeLog.readers.advance({ ...place, positions: this.#positions })).toBe(true);
  }

  #apply({ change: { before, after } }: FollowedChange): void {
    const imageOf = (stored: Uint8Array | undefined) =>
      stored && (JSON.parse(decodeUtf8(itemJson(stored))) as AttributeMap);
    const [old, next] = [imageOf(before), imageOf(after)];
    const { pk, sk } = (next ?? old)!;
    const key = JSON.stringify({ pk, sk });
    expect(this.#followed.get(key), key).toBe(old && JSON.stringify(sorted(old)));
    if (next === undefined) this.#followed.delete(key);
    else this.#followed.set(key, JSON.stringify(sorted(next)));
  }

  async #restart(): Promise<void> {
    const before = this.#dbs;
    // A database in memory lives on in its copy.
    if (before[0]!.isForkable) this.#dbs = await this.#place.open(this.#clock);
    await Promise.all(before.map((db) => db.close()));
    if (!before[0]!.isForkable) this.#dbs = await this.#place.open(this.#clock);
  }

  /** What is written while the stream is off is not told by it; its successor begins with the table as it is. */
  async #switchStream(): Promise<void> {
    await this.#compare();
    if (this.#consumer !== undefined) {
      await this.#db().updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
      await this.#write();
      const { records } = this.#consumer;
      await this.#poll();
      expect(records, 'an ended stream tells nothing more').toHaveLength(this.#applied);
      this.#consumer = undefined;
      return;
    }
    const { TableDescription } = await this.#db().updateTable({
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    this.#consumer = new StreamConsumer(TableDescription.LatestStreamArn!, 1 + this.#random.below(20));
    this.#applied = 0;
    this.#streamed = await contentOf(this.#db(), TableName, ['pk', 'sk']);
  }
}
