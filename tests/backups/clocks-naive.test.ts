import { afterEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import {
  ClockEngines,
  createTable,
  dayMs,
  type Engine,
  exported,
  inBackup,
  inRestore,
  put,
  recover,
  type StoreKind,
  startMs,
  storeKinds,
  TableName,
  valuesIn,
} from './clock-engines.ts';

const all: ClockEngines[] = [];
afterEach(async () => {
  for (const engines of all.splice(0)) await engines.close();
});

async function engines(kind: StoreKind): Promise<ClockEngines> {
  const made = await ClockEngines.on(kind);
  all.push(made);
  return made;
}

/** The table as one map, in the order of acknowledgements. */
class Naive {
  readonly items = new Map<string, string>();
  #written = 0;
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get now(): Record<string, string> {
    return Object.fromEntries([...this.items].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A put, a delete or a transaction. */
  async write({ db }: Engine): Promise<void> {
    const random = this.#random;
    const keys = [...new Set(Array.from({ length: 1 + random.below(3) }, () => `k${random.below(12)}`))];
    const values = keys.map(() => (random.chance(0.25) ? undefined : `${++this.#written}`));
    const [key, value] = [keys[0]!, values[0]];
    if (keys.length > 1)
      await db.transactWriteItems({
        TransactItems: keys.map((pk, i) =>
          values[i] === undefined
            ? { Delete: { TableName, Key: { pk: { S: pk } } } }
            : { Put: { TableName, Item: { pk: { S: pk }, v: { S: values[i]! } } } },
        ),
      });
    else if (value === undefined) await db.deleteItem({ TableName, Key: { pk: { S: key } } });
    else await put(db, key, value);
    for (const [i, pk] of keys.entries())
      if (values[i] === undefined) this.items.delete(pk);
      else this.items.set(pk, values[i]!);
  }
}

describe.each(storeKinds)('engines with clocks of their own on %s', (kind) => {
  const steps = { memory: 120, lmdb: 60, postgres: 30 }[kind];

  it.each(testSeeds(`moments under any clock on ${kind}`))(
    'have in every moment what was acknowledged before, and nothing later, %i',
    async (seed) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds(1); round++) {
        const shared = await engines(kind);
        const several: Engine[] = [];
        for (const skewMs of [0, random.pick([200, -200, 5_000, -5_000]), random.pick([dayMs, -dayMs])])
          several.push(await shared.open(skewMs));
        const any = () => random.pick(several);
        await createTable(several[0]!.db);
        await recover(any().db);
        const naive = new Naive(random);
        const backups: [arn: string, held: Record<string, string>][] = [];
        for (let step = 0; step < steps; step++) {
          const { clock } = any();
          if (random.chance(0.4))
            clock.advanceMs(
              random.pick([0, 1, 500, 60_000, dayMs, 3650 * dayMs, -1, -500, -3_600_000, -dayMs]),
            );
          if (random.chance(0.05)) clock.setMs(startMs + random.below(dayMs));
          await naive.write(any());
          if (!random.chance(8 / steps)) continue;
          const held = naive.now;
          // Some writes are under way when the moment is taken, and some begin when it is acknowledged.
          const meanwhile = Array.from({ length: 3 }, (_, i) => put(any().db, `c${step} ${i}`, 'meanwhile'));
          const { db } = any();
          const kindOfMoment = random.pick(['backup', 'restore', 'export']);
          if (kindOfMoment === 'backup') {
            const { BackupArn } = (await db.createBackup({ TableName, BackupName: 'backup' })).BackupDetails;
            backups.push([BackupArn, held]);
            for (let i = 0; i < 3; i++) await naive.write(any());
            await db.settled();
          } else if (kindOfMoment === 'restore') expect(settledKeys(await inRestore(db))).toEqual(held);
          else expect(settledKeys(await inExport(db, shared.buckets))).toEqual(held);
          await Promise.all(meanwhile);
          for (let i = 0; i < 3; i++) await db.deleteItem({ TableName, Key: { pk: { S: `c${step} ${i}` } } });
        }
        for (const [arn, held] of backups)
          expect(settledKeys(await inBackup(several[0]!.db, arn)), arn).toEqual(held);
        expect(await valuesIn(several[1]!.db)).toEqual(naive.now);
        expect(await several[0]!.db.check()).toMatchObject({ clean: true, findings: [] });
      }
    },
  );

  it.each(testSeeds(`times in the past under any clock on ${kind}`))(
    'mean by a time in the past the later pass of the clock, %i',
    async (seed) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds(1); round++) {
        const shared = await engines(kind);
        let { db, clock } = await shared.open();
        await createTable(db);
        await recover(db);
        const naive = new Naive(random);
        const states: { readonly ms: number; readonly after: Record<string, string> }[] = [];
        /** The steps back: how many writes there were before, and the time after it. */
        const stepsBack: { readonly writes: number; readonly ms: number }[] = [];
        const write = async () => {
          await naive.write({ db, clock });
          states.push({ ms: clock.nowMs(), after: naive.now });
        };
        const at = (ms: number) => {
          const last = stepsBack.findLast((each) => each.ms <= ms)?.writes ?? 0;
          return states.findLast((state, i) => i < last || state.ms <= ms)?.after ?? {};
        };
        for (let step = 0; step < steps; step++) {
          if (random.chance(4 / steps)) {
            const back = random.pick([2_000, 60_000, 3_600_000, dayMs]);
            stepsBack.push({ writes: states.length, ms: clock.nowMs() - back });
            if (random.chance(0.3) && kind !== 'memory') {
              const ms = clock.nowMs() - back - startMs;
              await db.close();
              ({ db, clock } = await shared.open(ms));
            } else clock.advanceMs(-back);
          }
          await write();
          clock.advanceMs(random.pick([0, 1, 500, 2_000, 60_000, 1_800_000, 3 * 3_600_000]));
          if (random.chance(3 / steps)) await db.createBackup({ TableName, BackupName: 'backup' });
        }
        const earliest = Math.min(startMs, ...stepsBack.map(({ ms }) => ms));
        for (let look = 0; look < 12; look++) {
          const ms = random.pick(states).ms + random.pick([0, 0, -1, 1, 700]);
          if (ms < earliest || ms > clock.nowMs()) continue;
          expect(await valuesIn(db.at(ms)), `${look}: ${new Date(ms).toISOString()}`).toEqual(at(ms));
          if (look < 3) expect(await inRestore(db, ms)).toEqual(at(ms));
        }
        expect(await db.check()).toMatchObject({ clean: true, findings: [] });
      }
    },
  );
});

/** The items of an export of this moment. */
async function inExport(db: Stator, buckets: string): Promise<Record<string, string>> {
  const { lines } = await exported(db, buckets);
  const items = lines.map(({ Item }) => [Item!.pk!.S, Item!.v!.S] as const);
  return Object.fromEntries(items.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without the items whose writes were under way when a moment was taken. */
function settledKeys(items: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(items).filter(([pk]) => pk.startsWith('k')));
}
