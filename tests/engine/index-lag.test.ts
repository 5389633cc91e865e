import { describe, expect, it } from 'vitest';
import { setTableModes } from '../../src/engine/capacity/table-modes.ts';
import { type LagSpread, type PhysicsOptions, Stator, VirtualClock } from '../../src/index.ts';
import { scope } from '../physics/load.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';

const TableName = 'lagging';
const IndexName = 'by-owner';

/** Longer than any change takes to show. */
const longMs = 1_000;

async function open(physics: 'shadow' | 'enforce' | PhysicsOptions, seed = 1) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 15));
  const db = Stator.inMemory({ physics, clock, seed });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'owner', AttributeType: 'S' },
      { AttributeName: 'at', AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName,
        KeySchema: [
          { AttributeName: 'owner', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['v'] },
      },
    ],
  });
  clock.advanceMs(60_000);
  return { db, clock };
}

const put = (db: Stator, pk: string, at: number, v = 0) =>
  db.putItem({
    TableName,
    Item: { pk: { S: pk }, owner: { S: 'o' }, at: { N: `${at}` }, v: { N: `${v}` } },
  });

/** All pages of the index, of random sizes, as `pk@at=v`. */
async function owned(db: Stator, random?: SeededRandom, ScanIndexForward = true): Promise<string[]> {
  const found: string[] = [];
  let last: Record<string, object> | undefined;
  do {
    const page = await db.query({
      TableName,
      IndexName,
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 'o' } },
      ScanIndexForward,
      ...(random && { Limit: 1 + random.below(4) }),
      ...(last && { ExclusiveStartKey: last as never }),
    });
    found.push(...page.Items!.map(({ pk, at, v }) => `${pk!.S}@${at!.N}=${v!.N}`));
    last = page.LastEvaluatedKey;
  } while (last !== undefined);
  return found;
}

describe('a global index in enforce physics', () => {
  it('shows a new, a changed, a moved and a deleted item a moment later than the table', async () => {
    const { db, clock } = await open('enforce');
    const steps: [() => Promise<unknown>, string[]][] = [
      [() => put(db, 'a', 1), ['a@1=0']],
      [() => put(db, 'a', 1, 7), ['a@1=7']],
      [() => put(db, 'a', 2, 7), ['a@2=7']],
      [() => db.deleteItem({ TableName, Key: { pk: { S: 'a' } } }), []],
      [
        () =>
          db.batchWriteItem({
            RequestItems: {
              [TableName]: [
                {
                  PutRequest: { Item: { pk: { S: 'b' }, owner: { S: 'o' }, at: { N: '5' }, v: { N: '1' } } },
                },
              ],
            },
          }),
        ['b@5=1'],
      ],
    ];
    let before: string[] = [];
    for (const [write, after] of steps) {
      await write();
      expect(await owned(db)).toEqual(before);
      clock.advanceMs(longMs);
      expect(await owned(db)).toEqual(after);
      before = after;
    }
  });

  it('is never behind in shadow physics', async () => {
    const { db } = await open('shadow');
    await put(db, 'a', 1);
    expect(await owned(db)).toEqual(['a@1=0']);
  });

  it('lags as far as its table says, and another table as far as the server', async () => {
    const { db, clock } = await open({
      mode: 'enforce',
      effects: { staleReads: false },
      indexLagMs: 5,
      tables: { [TableName]: { indexLagMs: 60_000 } },
    });
    await put(db, 'a', 1);
    clock.advanceMs(59_999);
    expect(await owned(db)).toEqual([]);
    clock.advanceMs(1);
    expect(await owned(db)).toEqual(['a@1=0']);
    // A table's own setting changes while the server runs; an earlier change is not overtaken.
    const lag = (indexLagMs: LagSpread) => setTableModes(db.engine, scope, TableName, { indexLagMs });
    await lag(1_000);
    await put(db, 'a', 1, 1);
    await lag({ min: 0, p50: 20, max: 200 });
    await put(db, 'a', 1, 2);
    clock.advanceMs(999);
    expect(await owned(db)).toEqual(['a@1=0']);
    clock.advanceMs(1);
    expect(await owned(db)).toEqual(['a@1=2']);
    await setTableModes(db.engine, scope, TableName, { effects: { indexLag: false } });
    await put(db, 'a', 1, 3);
    expect(await owned(db)).toEqual(['a@1=3']);
    await setTableModes(db.engine, scope, TableName, undefined);
    expect(db.engine.capacity.modes.lagOf(scope, TableName)).toBe(60_000);
  });

  const seeds = testSeeds('index lag');
  it.each(seeds)('shows states each item had, never an older one than before, %i', async (seed) => {
    for (let round = 0; round < rounds(20); round++) {
      const random = seededRandom(seed + round);
      const { db, clock } = await open('enforce', seed + round);
      /** Each item's states, oldest first; undefined where it was not there. */
      const history = new Map<string, (string | undefined)[]>();
      const seen = new Map<string, number>();
      for (let step = 0; step < 60; step++) {
        const pk = `i${random.below(12)}`;
        const states = history.get(pk) ?? [undefined];
        history.set(pk, states);
        if (random.chance(0.25)) {
          await db.deleteItem({ TableName, Key: { pk: { S: pk } } });
          states.push(undefined);
        } else {
          const at = random.below(3);
          await put(db, pk, at, step);
          states.push(`${pk}@${at}=${step}`);
        }
        clock.advanceMs(random.below(80));
        const isForward = random.chance(0.5);
        const found = await owned(db, random, isForward);
        const ats = found.map((text) => Number(/@(\d+)/.exec(text)![1]));
        expect(ats).toEqual(ats.toSorted((a, b) => (isForward ? a - b : b - a)));
        for (const [name, states] of history) {
          const shown = found.filter((text) => text.startsWith(`${name}@`));
          expect(shown.length).toBeLessThanOrEqual(1);
          const state = states.indexOf(shown[0], seen.get(name) ?? 0);
          expect(state).toBeGreaterThanOrEqual(0);
          seen.set(name, state);
        }
      }
      clock.advanceMs(longMs);
      const last = [...history.values()].flatMap((states) => states.at(-1) ?? []);
      expect((await owned(db)).toSorted()).toEqual(last.toSorted());
    }
  });
});
