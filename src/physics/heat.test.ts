import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { explainVerdict, throttlingErrorOf } from './explain-verdict.ts';
import { onDemand, PhysicsBench, placeOfText } from './load.fixture.ts';
import { noSortKey } from './place.ts';

const random = seededRandom(23);

describe('split for heat', () => {
  const hotRange = () => random.below(2 ** 51);

  it('divides a hot partition after eight minutes, where the load is', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    const hot = { resource: table, perSecond: 300, units: 5, key: hotRange };
    expect(bench.run(7 * 60, hot)[0]!.refused).toBeGreaterThan(10_000);
    expect(table.map.count).toBe(4);
    bench.run(2 * 60, hot);
    expect(table.map.count).toBe(5);
    const cut = table.map.entry(1).place;
    expect(cut).toBeGreaterThan(2 ** 51 * 0.3);
    expect(cut).toBeLessThan(2 ** 51 * 0.7);
    expect(bench.run(60, hot)[0]!.refused).toBe(0);
    expect(table.events.at(-1)!.what).toBe('Partition 1 split for heat, now 5 partitions');
  });

  it('needs heat that lasts', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    const hot = { resource: table, perSecond: 300, units: 5, key: hotRange };
    for (let i = 0; i < 4; i++) {
      bench.run(5 * 60, hot);
      bench.run(2 * 60, { ...hot, perSecond: 10 });
    }
    // Minutes without any request end it as well.
    for (let i = 0; i < 4; i++) {
      bench.run(5 * 60, hot);
      bench.nowMs += 3 * 60_000;
    }
    expect(table.map.count).toBe(4);
  });

  it.each([
    ['one item', { sort: () => 'ONE' }, false, 'one item'],
    ['a moving front', { sort: (n: number) => String(n).padStart(9, '0') }, false, 'moving front'],
    ['a collection with local indexes', { sort: () => `${random.below(1_000)}` }, true, 'local indexes'],
  ])('is not done for %s', (_what, load, hasLocalIndexes, reason) => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand, { hasLocalIndexes });
    const [result] = bench.run(12 * 60, {
      resource: table,
      perSecond: 190,
      units: 10,
      key: () => 'SHIPMENT#881',
      ...load,
    });
    expect(table.map.count).toBe(4);
    expect(result!.grantedUnits).toBeLessThanOrEqual(12 * 60 * 1_000 + 1_000 + 10);
    expect(table.events.map(({ what }) => what).join()).toContain(`stays whole: ${reason}`);
  });

  it('cuts a hot collection without local indexes by its sort keys', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    const load = {
      resource: table,
      perSecond: 150,
      units: 10,
      key: () => 'CUSTOMER#1',
      sort: () => `ORDER#${random.below(9_000) + 1_000}`,
    };
    bench.run(10 * 60, load);
    expect(table.map.count).toBe(5);
    expect(bench.run(60, load)[0]!.refused).toBe(0);
    const inner = Array.from({ length: 5 }, (_, i) => table.map.entry(i)).find(
      ({ sort }) => sort.length > 0,
    )!;
    expect(inner.place).toBe(placeOfText('CUSTOMER#1'));
  });

  it('isolates a hot item at last: it gets a partition of its own', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    const hot = { resource: table, perSecond: 95, units: 10, key: () => 2 ** 50 };
    const others = { resource: table, perSecond: 60, units: 10, key: hotRange };
    bench.run(30 * 60, hot, others);
    const [item, rest] = bench.run(60, hot, others);
    expect([item!.refused, rest!.refused]).toEqual([0, 0]);
    const own = table.map.find(2 ** 50, noSortKey, 0);
    expect(table.map.share(own)).toBeLessThan(0.05);
  });

  it('can be switched off', () => {
    const bench = new PhysicsBench({ settings: { effects: { partitionSplits: false } } });
    const table = bench.table(onDemand);
    bench.run(12 * 60, { resource: table, perSecond: 150, units: 10, key: hotRange });
    expect(table.map.count).toBe(4);
  });
});

describe('the shipment incident', () => {
  // One shipment with tens of thousands of parcels, on a table that once served 8,000 writes a second.
  const incident = (mode: 'enforce' | 'shadow', hotKey: (n: number) => string) => {
    const bench = new PhysicsBench({ settings: { mode } });
    const table = bench.table({ ...onDemand, warmWrite: 8_000 });
    const sort = (n: number) => `EVENT#${String(n).padStart(12, '0')}`;
    const results = bench.run(
      30,
      { resource: table, perSecond: 1_900, key: hotKey, sort },
      { resource: table, perSecond: 1_300, key: (n) => `SHIPMENT#${n % 3_000}`, sort },
    );
    return { bench, table, results };
  };

  it('throttles one key of 1,900 writes a second while the table sits near 40 %', () => {
    const { bench, results } = incident('enforce', () => 'SHIPMENT#881-HOT');
    const [hot] = results;
    // The hot key shares its partition with an eighth of the others.
    expect(hot!.granted / 30).toBeLessThan(1_000 + 40);
    expect(hot!.refused / 30).toBeGreaterThan(850);
    const verdict = bench.physics.verdicts('Shipments')[0]!;
    expect(verdict).toMatchObject({
      enforced: true,
      exception: 'ThrottlingException',
      reason: 'TableWriteKeyRangeThroughputExceeded',
      arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments',
      key: 'SHIPMENT#881-HOT',
      allowed: 1_000,
      partitions: 8,
      capacity: 8_000,
    });
    expect(verdict.keyAsked).toBeGreaterThan(1_850);
    expect(verdict.keyAsked).toBeLessThan(1_950);
    expect(verdict.granted / verdict.capacity).toBeLessThan(0.4);
    expect(throttlingErrorOf(verdict).fields).toEqual({
      throttlingReasons: [
        {
          reason: 'TableWriteKeyRangeThroughputExceeded',
          resource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments',
        },
      ],
    });
    expect(explainVerdict(verdict)).toMatch(
      /^SHIPMENT#881-HOT took 1,9\d\d write units a second; a partition gives 1,000; no table setting helps a single key; shard it into 2 or more\. The table Shipments as a whole used [23]\d % of the 8,000 it could give\. [\d,]+ requests were refused within \d+ seconds with ThrottlingException/,
    );
  });

  it('is told in shadow by the same verdicts, and nothing is refused', () => {
    const figures = (mode: 'enforce' | 'shadow') => {
      const { bench, results } = incident(mode, () => 'SHIPMENT#881-HOT');
      const verdicts = bench.physics.verdicts();
      return {
        results,
        verdicts: verdicts.map((verdict) => ({ ...verdict, enforced: undefined })),
        raw: verdicts,
      };
    };
    const [shadow, enforce] = [figures('shadow'), figures('enforce')];
    expect(shadow.verdicts).toEqual(enforce.verdicts);
    expect(shadow.raw.every(({ enforced }) => !enforced)).toBe(true);
    expect(explainVerdict(shadow.raw[0]!)).toContain('On AWS');
  });

  it('runs clean with the key in ten shards, at 3,400 writes a second', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table({ ...onDemand, warmWrite: 8_000 });
    const results = bench.run(
      30,
      { resource: table, perSecond: 1_900, key: (n) => `SHIPMENT#881-HOT#${n % 10}` },
      { resource: table, perSecond: 1_500, key: (n) => `SHIPMENT#${n % 3_000}` },
    );
    expect(results.map(({ refused }) => refused)).toEqual([0, 0]);
    expect(bench.physics.verdicts()).toEqual([]);
  });
});
