import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { explainVerdict } from '../../src/physics/explain-verdict.ts';
import { opened, putAtRates, resourceOf, tableWith } from './load.ts';

/**
 * The incident of the parcel tracker: on a table on demand that could take 8,000 write units a second, one shipment gets
 * 1,900 of them. Requests are throttled while the table is at about 40 % of what it can do, and no setting of the table
 * helps. Sharding the keys of large shipments does.
 */
const table = tableWith({ WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 } });
const others = { rate: 2_100, keyOf: (i: number) => `SHIPMENT#${1_000 + (i % 200)}` };
const hot = { rate: 1_900, keyOf: () => 'SHIPMENT#881' };
const sharded = { rate: 1_900, keyOf: (i: number) => `SHIPMENT#881#${i % 10}` };
const seconds = 2;

describe('one key that is asked for 1,900 write units a second', () => {
  it('throttles in enforce, while the table has more than half to give', async () => {
    const { db, clock, client } = await opened(table, { physics: 'enforce' });
    const { refused } = await putAtRates({ client, clock }, seconds, [hot, others]);
    const errors = refused.get('SHIPMENT#881')!;
    // A partition gives 1,000 a second, and the first second's worth at once; some shipments share it.
    expect(errors.length).toBeGreaterThan(800);
    expect(errors.length).toBeLessThan(1_300);
    for (const error of errors) {
      expect(error).toBeInstanceOf(ThrottlingException);
      expect(error).toMatchObject({
        throttlingReasons: [
          {
            reason: 'TableWriteKeyRangeThroughputExceeded',
            resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/Tracking',
          },
        ],
      });
    }
    // Whoever shares the partition with the hot key suffers too, and nobody else.
    const map = resourceOf(db).map;
    expect(map.count).toBe(8);
    expect(refused.size).toBeLessThan(60);
    const verdict = db.engine.capacity.model.verdicts('Tracking').at(-1)!;
    expect(verdict).toMatchObject({ key: 'SHIPMENT#881', enforced: true, allowed: 1_000, capacity: 8_000 });
    expect(verdict.granted / verdict.capacity).toBeGreaterThan(0.3);
    expect(verdict.granted / verdict.capacity).toBeLessThan(0.5);
    expect(explainVerdict(verdict)).toMatch(
      /^SHIPMENT#881 took 1,9\d\d write units a second; a partition gives 1,000; no table setting helps a single key; shard it into 2 or more\./,
    );
    await db.close();
  });

  it('has the same verdicts in shadow, and nothing is refused', async () => {
    const verdicts = [];
    for (const physics of ['enforce', 'shadow'] as const) {
      const { db, clock, client } = await opened(table, { physics });
      const { refused } = await putAtRates({ client, clock }, seconds, [hot, others]);
      if (physics === 'shadow') expect(refused.size).toBe(0);
      verdicts.push(
        db.engine.capacity.model.verdicts().map(({ key, count, reason, partitionId, firstMs, lastMs }) => ({
          ...{ key, count, reason, partitionId, firstMs, lastMs },
        })),
      );
      await db.close();
    }
    expect(verdicts[0]!.length).toBeGreaterThan(0);
    expect(verdicts[1]).toEqual(verdicts[0]);
  });

  it('runs clean on ten shards', async () => {
    const { db, clock, client } = await opened(table, { physics: 'enforce' });
    const { done, refused } = await putAtRates({ client, clock }, seconds, [sharded, others]);
    expect([done, [...refused]]).toEqual([4_000 * seconds, []]);
    expect(db.engine.capacity.model.verdicts()).toEqual([]);
    await db.close();
  });
});
