import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type AttributeMap, Stator, type StatorOptions, type VirtualClock } from '../../src/index.ts';
import type { StoreChoice } from '../../src/open-store.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { runSeed, type Scheduler } from '../storage/scheduled-store.ts';
import {
  changesOf,
  createExpiring,
  dayMs,
  definition,
  keysIn,
  newClock,
  SharedMemory,
  setTtl,
  startMs,
  TableName,
} from './expiring-table.ts';

/** What processes cannot enforce that share a store. */
const ownEffects = [
  ...['tableThroughput', 'partitionCeilings', 'accountQuotas', 'indexBackPressure'],
  ...['staleReads', 'indexLag', 'transactionConflicts'],
];

const attributes = ['expires', 'other'] as const;
const fiveYears = 5 * 365.2425 * 86_400;

/** The items there ought to be, and which of them have expired: in a few lines, whatever that costs. */
class NaiveTable {
  readonly items = new Map<string, AttributeMap>();
  attribute: string | undefined;

  expired(nowMs: number): string[] {
    return [...this.items].filter(([, item]) => this.#isExpired(item, nowMs / 1000)).map(([pk]) => pk);
  }

  #isExpired(item: AttributeMap, now: number): boolean {
    const text = this.attribute === undefined ? undefined : item[this.attribute]?.N;
    if (text === undefined) return false;
    const second = Math.floor(Number(text));
    return second <= now && second >= 0 && second >= now - fiveYears;
  }
}

const directories: string[] = [];
const databases = new Set<Stator>();
afterEach(async () => {
  await Promise.all([...databases].map((db) => db.close()));
  databases.clear();
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

/** Each choice is one store, which every database that is opened on it shares. */
const stores: [name: string, rounds: number, choose: () => Promise<StoreChoice>][] = [
  ['memory', 20, async () => new MemoryStore()],
  [
    'lmdb',
    4,
    async () => {
      const directory = await newDirectory();
      directories.push(directory);
      return { directory, durability: 'relaxed' };
    },
  ],
  ['postgres', 2, async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
];

describe.each(stores)('on %s, a table with time to live', (_, count, choose) => {
  for (const seed of testSeeds('expiry')) {
    // Processes that share a store cannot enforce capacity; the delay of Time to Live lies in the store.
    it.each(['shadow', 'enforce'] as const)(
      `has the items that a naive one has, in %s, ${seed}`,
      async (physics) => {
        for (let round = 0; round < rounds(count); round++)
          await followModel(seededRandom(seed + round), await choose(), physics);
      },
    );
  }
});

async function followModel(
  random: SeededRandom,
  store: StoreChoice,
  physics: 'shadow' | 'enforce',
): Promise<void> {
  const clock = newClock();
  const effects = Object.fromEntries(ownEffects.map((effect) => [effect, false]));
  const options: StatorOptions = {
    ...{ store, clock, seed: random.below(1e9) },
    physics: { mode: physics, effects },
  };
  let db = await opened(options);
  await db.createTable(definition);
  clock.advanceMs(60_000);
  const model = new NaiveTable();
  for (let step = 0; step < 60; step++) {
    switch (random.below(10)) {
      case 0:
        await changeSetting(db, clock, model, random, physics);
        break;
      case 1:
      case 2:
        clock.advanceMs(random.pick([1, 999, 60_000, 600_000, 3_600_000, dayMs, 3 * dayMs]));
        break;
      case 3:
        // In enforce the table itself might not be there yet, then.
        if (physics === 'shadow' && random.chance(0.2)) clock.advanceMs(-random.below(dayMs));
        if (random.chance(0.1)) clock.advanceMs(365 * dayMs);
        if (random.chance(0.3)) db = await reopened(db, options);
        break;
      default:
        await write(db, model, random, clock);
    }
    await db.settled();
    await compare(db, model, clock, physics);
  }
  expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  // Nothing is left of what was deleted, or of a setting that is off.
  if (model.attribute !== undefined) await changeSetting(db, clock, model, random, physics);
  await db.settled();
  expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await db.close();
}

async function opened(options: StatorOptions): Promise<Stator> {
  const db = await Stator.open(options);
  databases.add(db);
  return db;
}

/** In memory the store stays and the engine goes. */
async function reopened(db: Stator, options: StatorOptions): Promise<Stator> {
  await (options.store instanceof MemoryStore ? db.engine.close() : db.close());
  return opened(options);
}

async function changeSetting(
  db: Stator,
  clock: VirtualClock,
  model: NaiveTable,
  random: SeededRandom,
  physics: string,
): Promise<void> {
  const before = model.attribute;
  // Past the cool-down, and then past whatever that has made due.
  if (physics === 'enforce') {
    clock.advanceMs(3_600_000);
    await db.settled();
    await compare(db, model, clock, physics);
  }
  model.attribute = before === undefined ? random.pick(attributes) : undefined;
  await setTtl(db, before === undefined, before ?? model.attribute!);
}

async function write(
  db: Stator,
  model: NaiveTable,
  random: SeededRandom,
  clock: VirtualClock,
): Promise<void> {
  const item = randomItem(random, clock.nowMicros() / 1e6);
  const pk = item.pk!.S!;
  const Key = { pk: item.pk! };
  switch (random.below(5)) {
    case 0:
      await db.deleteItem({ TableName, Key });
      model.items.delete(pk);
      return;
    case 1: {
      const [first] = Object.entries(item).filter(([attribute]) => attribute !== 'pk');
      if (first === undefined) return;
      const [attribute, value] = first;
      await db.updateItem({
        TableName,
        Key,
        UpdateExpression: 'SET #a = :v',
        ExpressionAttributeNames: { '#a': attribute },
        ExpressionAttributeValues: { ':v': value },
      });
      model.items.set(pk, { ...(model.items.get(pk) ?? Key), [attribute]: value });
      return;
    }
    case 2: {
      const others = Array.from({ length: 4 }, () => randomItem(random, clock.nowMicros() / 1e6));
      const items = [...new Map([item, ...others].map((each) => [each.pk!.S!, each])).values()];
      const puts = items.map((Item) => ({ PutRequest: { Item } }));
      await (random.chance(0.5)
        ? db.batchWriteItem({ RequestItems: { [TableName]: puts } })
        : db.transactWriteItems({ TransactItems: items.map((Item) => ({ Put: { TableName, Item } })) }));
      for (const each of items) model.items.set(each.pk!.S!, each);
      return;
    }
    default:
      await db.putItem({ TableName, Item: item });
      model.items.set(pk, item);
  }
}

function randomItem(random: SeededRandom, now: number): AttributeMap {
  const value = (): AttributeMap[string] => {
    const second = Math.floor(now) + random.pick([-1, 0, 1]) * random.below(random.pick([3, 5_000, 500_000]));
    switch (random.below(10)) {
      case 0:
        return { N: `${second}.${random.below(1_000)}` };
      case 1:
        return { S: `${second}` };
      case 2:
        return { N: random.pick(['-1', '0', '1e20', '0.5', `${second - 6 * 366 * 86_400}`, `${second}000`]) };
      default:
        return { N: `${second}` };
    }
  };
  return {
    pk: { S: `${random.below(12)}` },
    ...(random.chance(0.8) && { expires: value() }),
    ...(random.chance(0.5) && { other: value() }),
  };
}

/** In enforce an expired item may stay for two days; whichever are gone, are gone for the model too. */
async function compare(db: Stator, model: NaiveTable, clock: VirtualClock, physics: string): Promise<void> {
  const found = new Set(await keysIn(db));
  const now = clock.nowMicros() / 1000;
  for (const pk of model.expired(now)) if (physics === 'shadow' || !found.has(pk)) model.items.delete(pk);
  const overdue = model.expired(now - 2 * dayMs).filter((pk) => model.expired(now).includes(pk));
  if (physics === 'enforce') expect(overdue.filter((pk) => found.has(pk))).toEqual([]);
  expect([...found]).toEqual([...model.items.keys()].toSorted());
}

describe('two that sweep one store while both are written to', () => {
  const endingSeeds = testSeeds('ending under sweepers');
  it.each(endingSeeds)(
    'leave nothing over when TTL is switched off or the table dropped, %i',
    async (seed) => {
      for (let round = 0; round < rounds(15); round++)
        await runSeed((scheduler) => endUnderSweepers(scheduler, seededRandom(seed + round)), seed + round);
    },
  );

  const sweepingSeeds = testSeeds('sweeping under writers');
  it.each(sweepingSeeds)(
    'delete each expired item once, and no renewed one, in any order, %i',
    async (seed) => {
      for (let round = 0; round < rounds(15); round++)
        await runSeed((scheduler) => sweepUnderWriters(scheduler, seededRandom(seed + round)), seed + round);
    },
  );
});

async function endUnderSweepers(scheduler: Scheduler, random: SeededRandom): Promise<void> {
  const memory = new SharedMemory();
  const clocks = [newClock(), newClock()] as const;
  const [left, right] = await Promise.all(
    clocks.map((clock) => Stator.open({ clock, store: scheduler.store(memory) as Store })),
  );
  await left!.createTable(definition);
  const item = (pk: string) => ({ pk: { S: pk }, expires: { N: String(startMs / 1000 + random.below(20)) } });
  for (let i = 0; i < 150; i++) await left!.putItem({ TableName, Item: item(`${i}`) });
  const end = random.pick(['off', 'off and on again', 'drop'] as const);
  // What another client has dropped is not there, and what it has switched is on or off already, or on otherwise.
  const ignoringDrops = (call: Promise<unknown>) =>
    call.catch((error: Error) => {
      if (!/not found|already|active on a different/.test(error.message)) throw error;
    });
  await scheduler.run({
    on: async () => {
      await ignoringDrops(setTtl(left!, true));
      for (const clock of clocks) clock.advanceMs(10_000);
    },
    write: async () => {
      for (let i = 0; i < 10; i++)
        await ignoringDrops(right!.putItem({ TableName, Item: item(`${random.below(160)}`) }));
    },
    end: async () => {
      for (let i = random.below(12); i > 0; i--) await ignoringDrops(right!.describeTable({ TableName }));
      if (end === 'drop') await ignoringDrops(right!.deleteTable({ TableName }));
      else await ignoringDrops(setTtl(right!, false));
      if (end === 'off and on again') await ignoringDrops(setTtl(right!, true, 'other'));
    },
  });
  for (const db of [left!, right!, left!, right!]) await db.settled();
  expect(await left!.engine.indexFiller.underway()).toEqual([]);
  expect(await left!.check()).toMatchObject({ findings: [], unjudged: [] });
}

async function sweepUnderWriters(scheduler: Scheduler, random: SeededRandom): Promise<void> {
  const memory = new SharedMemory();
  const clocks = [newClock(), newClock()] as const;
  const [left, right] = await Promise.all(
    clocks.map((clock) => Stator.open({ clock, store: scheduler.store(memory) as Store })),
  );
  const populated = 20 + random.below(60);
  const item = (pk: string, seconds: number): AttributeMap => ({
    pk: { S: pk },
    expires: { N: String(startMs / 1000 + seconds) },
  });
  const isLater = random.chance(0.5);
  const stream = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };
  await (isLater ? left!.createTable({ ...definition, ...stream } as never) : createExpiring(left!, stream));
  for (let i = 0; i < populated; i++)
    await left!.putItem({ TableName, Item: item(`${i}`, random.pick([10, 1_000])) });
  // The last write of each of these gives it a time that does not come.
  const write = (db: Stator, own: string) => async () => {
    for (let i = 0; i < 8; i++) {
      await db.putItem({ TableName, Item: item(`${own}${i % 3}`, random.pick([-10, 10])) });
      if (random.chance(0.3)) await db.deleteItem({ TableName, Key: { pk: { S: `${own}${i % 3}` } } });
    }
    for (let i = 0; i < 3; i++) await db.putItem({ TableName, Item: item(`${own}${i}`, 1_000) });
  };
  await scheduler.run({
    left: write(left!, 'left'),
    right: write(right!, 'right'),
    time: async () => {
      if (isLater) await setTtl(left!, true);
      for (const clock of clocks) clock.advanceMs(10_000);
      await right!.describeTable({ TableName });
    },
  });
  for (const db of [left!, right!, left!, right!]) await db.settled();
  const { Items } = await left!.scan({ TableName });
  expect(Items!.filter(({ expires }) => Number(expires!.N) <= startMs / 1000 + 10)).toEqual([]);
  const kept = ['left', 'right'].flatMap((own) => [0, 1, 2].map((i) => `${own}${i}`));
  expect((await keysIn(right!)).filter((pk) => /^[lr]/.test(pk))).toEqual(kept);
  // The log tells of the deletion of an item that is there, and never of another one before it was put again.
  const there = new Set<string>();
  for (const { pk, before, after } of await changesOf(left!)) {
    expect([pk, before !== undefined]).toEqual([pk, there.has(pk)]);
    if (after === undefined) there.delete(pk);
    else there.add(pk);
  }
  expect([...there].toSorted()).toEqual(await keysIn(left!));
  expect(await left!.check()).toMatchObject({ findings: [], unjudged: [] });
}
