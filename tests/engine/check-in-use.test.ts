import { describe, expect, it } from 'vitest';
import { checkDatabase } from '../../src/engine/check/check-database.ts';
import type { CheckReport, FindingKind } from '../../src/engine/check/check-report.ts';
import { collectionCounter } from '../../src/engine/store-keys.ts';
import { newHash16 } from '../../src/hash16.ts';
import { Stator } from '../../src/index.ts';
import type { Store } from '../../src/storage/store.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { Scheduler } from '../storage/scheduled-store.ts';

import {
  checked,
  definition,
  itemOf,
  type Patient,
  patient,
  place,
  removeEntry,
  TableName,
} from './check-patient.ts';

const arnOf = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`;

describe('a database in use', () => {
  /** Every step in a state of its own, and few entries in a step. */
  const hurried = (store: Store, standsStill: boolean) => {
    let now = 0;
    return checkDatabase(store, newHash16(), {
      nowMs: () => {
        now += 60_000;
        return now;
      },
      pause: async () => {},
      standsStill,
      entriesPerStep: 2,
    });
  };

  it('is clean over many states when nobody writes', async () => {
    const { store } = await patient();
    const report = await hurried(store, false);
    expect(report).toMatchObject({ clean: true, unjudged: [], items: 7, indexEntries: 24 });
    expect(report.states).toBeGreaterThan(10);
  });

  it('gets counters judged over many states only when nobody can write', async () => {
    const { store, add, table } = await patient();
    add(table.counters.count, 1);
    expect((await hurried(store, true)).counts).toEqual({ 'item-count': 1 });
    const unsure = await hurried(store, false);
    expect(unsure.findings).toEqual([]);
    expect(unsure.unjudged).toEqual([
      {
        ...place,
        what: 'the number of entries',
        why: 'the table is written to, and too large to be counted in one moment',
      },
    ]);
  });

  it('has counters summed up again in one state where the first sum was of several', async () => {
    const { store, add, table, item } = await patient();
    add(table.counters.bytes, 1);
    add(collectionCounter(table.prefix, item('y', 1).key.subarray(11, 27)), 5);
    // Old after every third look at the clock, so that a sum made anew has the time it needs.
    let looks = 0;
    const report = await checkDatabase(store, newHash16(), {
      nowMs: () => Math.floor(looks++ / 12) * 60_000,
      pause: async () => {},
      standsStill: false,
      entriesPerStep: 4,
    });
    expect(report.states).toBeGreaterThan(1);
    expect(report.counts).toEqual({ 'size-bytes': 1, 'collection-bytes': 1 });
    expect(report.unjudged).toEqual([]);
  });

  const seeds = testSeeds('check under writers');
  it.each(seeds)('never has a false finding, whatever writers do meanwhile, %i', async (seed) => {
    let states = 0;
    for (let round = 0; round < rounds(25); round++) states += await checkUnderWriters(seed + round);
    // The point is lost when the writers never got in between.
    expect(states).toBeGreaterThan(rounds(25) * 2);
  });

  const damageSeeds = testSeeds('check of damage under writers');
  it.each(damageSeeds)('still has the damage found that is there, %i', async (seed) => {
    for (let round = 0; round < rounds(10); round++)
      await checkUnderWriters(seed + round, (ill) => removeEntry(ill, 'some', 'y', 1), {
        'entry-missing': 1,
      });
  });
});

/** Writers of items and tables, and a check between their calls, in an order that the seed decides. */
async function checkUnderWriters(
  seed: number,
  harm: (p: Patient) => void = () => {},
  counts: Partial<Record<FindingKind, number>> = {},
): Promise<number> {
  const random = seededRandom(seed);
  const ill = await patient();
  harm(ill);
  const scheduler = new Scheduler((count) => random.below(count));
  const db = await Stator.open({ store: scheduler.store(ill.store), seed });
  await db.createTable({ ...definition, TableName: 'Passing' });
  for (let sk = 10; sk < 14; sk++) await db.putItem({ TableName: 'Passing', Item: itemOf('q', sk) });
  const kinds = ['k0', 'k1', 'k2'];
  const write = async () => {
    for (let i = 0; i < 12; i++) {
      const [pk, sk] = ['x', random.below(6)];
      const Key = { pk: { S: pk }, sk: { N: String(sk) } };
      if (random.chance(0.3)) await db.deleteItem({ TableName, Key });
      else await db.putItem({ TableName, Item: itemOf(pk, sk, { kind: { S: random.pick(kinds) } }) });
    }
  };
  const makeTables = async () => {
    for (let i = 0; i < 3; i++) {
      if (i > 0) await db.createTable({ ...definition, TableName: 'Passing' });
      await db.putItem({ TableName: 'Passing', Item: itemOf('p', i) });
      if (random.chance(0.5))
        await db.tagResource({ ResourceArn: arnOf('Passing'), Tags: [{ Key: 'a', Value: 'b' }] });
      await db.deleteTable({ TableName: 'Passing' });
    }
  };
  const changeIndexes = async () => {
    const { IndexName, KeySchema, Projection } = definition.GlobalSecondaryIndexes[0]!;
    // A table that is changed again and again is left out, and then its damage is not found.
    const times = Object.keys(counts).length === 0 ? 2 : 1;
    for (let i = 0; i < times; i++) {
      await db.updateTable({ TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] });
      const Create = { IndexName, KeySchema, Projection };
      const { AttributeDefinitions } = definition;
      await db.updateTable({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] });
    }
  };
  let now = 0;
  const check = () =>
    checkDatabase(scheduler.store(ill.store), newHash16(), {
      nowMs: () => {
        now += random.chance(0.4) ? 60_000 : 1;
        return now;
      },
      pause: async () => {},
      standsStill: false,
      entriesPerStep: 1 + random.below(4),
    });
  const [report] = await scheduler.run<CheckReport | undefined>({
    check,
    ...{ first: async () => void (await write()), second: async () => void (await write()) },
    tables: async () => void (await makeTables()),
    indexes: async () => void (await changeIndexes()),
  });
  expect(report!.findings.filter(({ kind }) => counts[kind] === undefined)).toEqual([]);
  for (const [kind, count] of Object.entries(counts)) expect(report!.counts).toMatchObject({ [kind]: count });
  await db.engine.settled();
  // Once all is quiet, the counters of what the writers have left are exact.
  if (Object.keys(counts).length === 0) expect(await checked(ill.store)).toMatchObject({ clean: true });
  await db.close();
  return report!.states;
}
