import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { nextDecreaseMs } from './change-budgets.ts';
import { explainVerdict, throttlingErrorOf } from './explain-verdict.ts';
import {
  equalPartsRecord,
  onDemand,
  PhysicsBench,
  placeOfText,
  provisioned,
  startMs,
} from './load.fixture.ts';
import { noSortKey, partPlace, placesEnd } from './place.ts';

const random = seededRandom(23);
/** Places spread as evenly as can be. */
const spread = (n: number) => Math.floor(((n * 0.618033988749895) % 1) * placesEnd);

describe('provisioned throughput', () => {
  it('lends unused throughput to a busy partition (the documented example of adaptive capacity)', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(100, 400), { record: equalPartsRecord(4) });
    const at = (partition: number) => (n: number) => partPlace(partition, 4) + (n % 500) * 1_000;
    const loads = [50, 50, 50, 150].map((perSecond, i) => ({ resource: table, perSecond, key: at(i) }));
    const results = bench.run(900, ...loads);
    expect(results.map(({ refused }) => refused)).toEqual([0, 0, 0, 0]);
    expect(bench.physics.verdicts()).toEqual([]);
  });

  it('gives a single partition all of the table, up to its ceiling', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(100, 2_000), { record: equalPartsRecord(4) });
    const [result] = bench.run(60, { resource: table, perSecond: 2_000, key: (n) => n % 700 });
    expect(result!.grantedUnits).toBeGreaterThanOrEqual(60_000);
    expect(result!.grantedUnits).toBeLessThanOrEqual(60_000 + 1_000 + 1);
    expect(bench.physics.verdicts()[0]).toMatchObject({
      reason: 'TableWriteKeyRangeThroughputExceeded',
      exception: 'ProvisionedThroughputExceededException',
      allowed: 1_000,
    });
  });

  it('bursts 300 seconds of unused capacity, then gives its rate', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(10, 100), { record: equalPartsRecord(8) });
    const [result] = bench.run(120, { resource: table, perSecond: 1_000, key: spread });
    // 30,000 saved units; 1,000 a second are taken and 100 come in: the burst lasts 33.3 seconds.
    expect((result!.firstRefusalMs! - startMs) / 1000).toBeCloseTo(33.3, 0);
    expect(result!.grantedUnits).toBeGreaterThan(30_000 + 120 * 100 - 10);
    expect(result!.grantedUnits).toBeLessThan(30_000 + 120 * 100 + 10);
    expect(bench.physics.verdicts()[0]).toMatchObject({
      reason: 'TableWriteProvisionedThroughputExceeded',
      exception: 'ProvisionedThroughputExceededException',
      allowed: 100,
    });
    // Five minutes of rest bring the whole burst back, and no more.
    bench.nowMs += 3_600_000;
    const [again] = bench.run(60, { resource: table, perSecond: 1_000, key: spread });
    expect(again!.grantedUnits).toBeGreaterThan(30_000 + 60 * 100 - 10);
    expect(again!.grantedUnits).toBeLessThan(30_000 + 60 * 100 + 10);
  });

  it('limits reads and writes independently', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 10_000));
    for (let i = 0; i < 400; i++) bench.ask(table, 'read', 'A');
    expect(bench.ask(table, 'read', 'A')).toBe(false);
    expect(bench.ask(table, 'write', 'A')).toBe(true);
  });

  it('goes into debt by one request and waits it out', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 1));
    expect(bench.ask(table, 'write', 'A', '', 400)).toBe(true);
    expect(bench.ask(table, 'write', 'A')).toBe(false);
    expect(bench.physics.verdicts()[0]!.waitMs).toBe(100_001);
    bench.nowMs += 100_000;
    expect(bench.ask(table, 'write', 'A')).toBe(false);
    bench.nowMs += 1;
    expect(bench.ask(table, 'write', 'A')).toBe(true);
  });

  it('adds partitions when throughput is raised and keeps them when it is lowered', () => {
    const bench = new PhysicsBench();
    const table = bench.table(provisioned(1, 3_200));
    expect(table.map.count).toBe(4);
    bench.physics.update(table, provisioned(1, 6_000), bench.nowMs);
    expect(table.map.count).toBe(8);
    bench.physics.update(table, provisioned(1, 10), bench.nowMs);
    expect(table.map.count).toBe(8);
    expect(bench.physics.describe(table, bench.nowMs).warm).toEqual({ read: 1, write: 6_000 });
  });
});

describe('on demand', () => {
  it('gives a new table 4,000 writes and 12,000 reads a second at once', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    const [writes, reads] = bench.run(
      20,
      { resource: table, perSecond: 400, units: 10, key: spread },
      { resource: table, kind: 'read', perSecond: 1_200, units: 10, key: spread },
    );
    expect([writes!.refused, reads!.refused]).toEqual([0, 0]);
    const [more] = bench.run(20, { resource: table, perSecond: 800, units: 10, key: spread });
    expect(more!.grantedUnits).toBeLessThanOrEqual(4_000 * 20 + 4_000 + 40);
    expect(more!.refused).toBeGreaterThan(7_000);
    expect(bench.physics.verdicts()[0]).toMatchObject({
      reason: 'TableWriteKeyRangeThroughputExceeded',
      exception: 'ThrottlingException',
    });
  });

  it('serves double the previous peak once 30 minutes have passed', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce', effects: { accountQuotas: false } } });
    const table = bench.table(onDemand);
    const load = (perSecond: number) => ({
      resource: table,
      perSecond: perSecond / 10,
      units: 10,
      key: spread,
    });
    expect(bench.run(120, load(4_000))[0]!.refused).toBe(0);
    expect(table.map.count).toBe(4);
    // Twice that within the half hour: refused.
    expect(bench.run(30, load(8_000))[0]!.refused).toBeGreaterThan(0);
    bench.run(31 * 60, load(400));
    expect(table.map.count).toBe(8);
    expect(bench.run(60, load(8_000))[0]!.refused).toBe(0);
    expect(bench.physics.describe(table, bench.nowMs).warm.write).toBe(8_000);
  });

  it.each([
    ['8,000 and 24,000 stay', 24_000, 8_000, 8],
    ['once 10,000 each, now 10', 10_000, 10_000, 10],
    ['a small table gets what a new one has', 10, 10, 4],
  ])('after a switch from provisioned: %s', (_what, read, write, partitions) => {
    const bench = new PhysicsBench();
    const table = bench.table(provisioned(read, write));
    bench.physics.update(table, provisioned(10, 10), bench.nowMs);
    bench.physics.update(table, onDemand, bench.nowMs);
    expect(table.map.count).toBeGreaterThanOrEqual(partitions);
    expect(table.map.fits(Math.max(12_000, read), Math.max(4_000, write), false)).toBe(true);
    expect(bench.physics.describe(table, bench.nowMs).warm).toEqual({
      read: Math.max(12_000, read),
      write: Math.max(4_000, write),
    });
  });

  it('stops at a configured maximum, after its burst', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table({ ...onDemand, maxWrite: 10 });
    const [result] = bench.run(60, { resource: table, perSecond: 100, key: spread });
    expect(result!.granted).toBeGreaterThan(3_590);
    expect(result!.granted).toBeLessThan(3_610);
    expect(bench.physics.verdicts()[0]).toMatchObject({
      reason: 'TableWriteMaxOnDemandThroughputExceeded',
      exception: 'ThrottlingException',
      message: 'Throughput exceeds the maximum OnDemandThroughput configured on table or index',
    });
  });

  it('stops at the quota of a table', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table({ ...onDemand, warmWrite: 100_000 });
    const [result] = bench.run(6, { resource: table, perSecond: 5_000, units: 10, key: spread });
    expect(result!.grantedUnits).toBeLessThanOrEqual(6 * 40_000 + 40_000 + 10);
    expect(bench.physics.verdicts()[0]).toMatchObject({
      reason: 'TableWriteAccountLimitExceeded',
      exception: 'RequestLimitExceeded',
      allowed: 40_000,
    });
  });

  it('shares a quota of the account', () => {
    const bench = new PhysicsBench({
      settings: { mode: 'enforce' },
      accountQuota: { read: 100, write: 100 },
    });
    const [one, two] = [bench.table(onDemand), bench.table(onDemand, { name: 'Other' })];
    const results = bench.run(
      5,
      { resource: one, perSecond: 100, key: spread },
      { resource: two, perSecond: 100, key: spread },
    );
    expect(results[0]!.granted + results[1]!.granted).toBeLessThanOrEqual(5 * 100 + 100 + 1);
    expect(bench.physics.verdicts()[0]).toMatchObject({ cause: 'AccountLimitExceeded', allowed: 100 });
  });

  it('is warm 6.5 minutes after warm throughput was asked for, and never colder again', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    bench.physics.update(table, { ...onDemand, warmRead: 12_000, warmWrite: 16_000 }, bench.nowMs);
    expect(table.map.count).toBe(4);
    bench.nowMs += 6 * 60_000;
    bench.physics.describe(table, bench.nowMs);
    expect(table.map.count).toBe(4);
    bench.nowMs += 60_000;
    expect(bench.physics.describe(table, bench.nowMs).warm).toEqual({ read: 12_000, write: 16_000 });
    expect(table.map.count).toBe(16);
    bench.physics.update(table, onDemand, bench.nowMs);
    expect(table.map.count).toBe(16);
    const born = bench.table({ ...onDemand, warmWrite: 6_000 }, { name: 'Born' });
    expect(born.map.count).toBe(6);
  });
});

describe('global indexes', () => {
  const writeBoth = (mode: 'shadow' | 'enforce') => {
    const bench = new PhysicsBench({ settings: { mode } });
    const [table, index] = [bench.table(provisioned(10, 1_000)), bench.index(provisioned(10, 10))];
    let refused = 0;
    for (let i = 0; i < 20_000; i++) {
      bench.nowMs += 5;
      const [at, entryAt] = [placeOfText(`ITEM#${i}`), placeOfText(`STATUS#${i % 100}`)];
      const position = (place: number) => ({ place, key: noSortKey, sortAt: 0 });
      const arms = [
        { resource: table, position: position(at), units: 1, isIndex: false },
        { resource: index, position: position(entryAt), units: 1, isIndex: true },
      ];
      if (bench.physics.admit(table, 'write', at, noSortKey, 0, bench.nowMs) !== undefined)
        throw new Error('table');
      // What `decide` does in enforce, and `settle` in shadow.
      const code =
        mode === 'enforce' ? bench.physics.check(index, 'write', entryAt, noSortKey, 0, bench.nowMs) : 0;
      if (code !== 0) {
        bench.physics.refuse(index, 'write', entryAt, noSortKey, 0, code, bench.nowMs);
        refused++;
      } else if (bench.physics.settle(arms, bench.nowMs) !== undefined) refused++;
    }
    return { bench, table, index, refused };
  };

  it('throttle writes to their table when they lack throughput, in both modes alike', () => {
    const [enforce, shadow] = [writeBoth('enforce'), writeBoth('shadow')];
    // 3,000 units of burst and 10 a second during 100 seconds; 200 writes a second were asked for.
    expect(20_000 - enforce.refused).toBeGreaterThan(3_990);
    expect(20_000 - enforce.refused).toBeLessThan(4_010);
    expect(shadow.refused).toBe(enforce.refused);
    const verdict = enforce.bench.physics.verdicts()[0]!;
    expect(verdict).toMatchObject({
      tableName: 'Shipments',
      indexName: 'byStatus',
      reason: 'IndexWriteProvisionedThroughputExceeded',
      exception: 'ProvisionedThroughputExceededException',
      arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments/index/byStatus',
    });
    expect(throttlingErrorOf(verdict).message).toContain('one or more global secondary indexes');
    expect(explainVerdict(verdict)).toContain('Writes to the table wait for their indexes');
    // What was refused consumed nothing of the table either.
    const spent = enforce.bench.physics.describe(enforce.table, enforce.bench.nowMs).lastHour;
    expect(spent.reduce((sum, { writeUnits }) => sum + writeUnits, 0)).toBe(20_000 - enforce.refused);
  });

  it('do not hold up writes when back-pressure is switched off', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce', effects: { indexBackPressure: false } } });
    const index = bench.index(provisioned(1, 1));
    const [writes, reads] = bench.run(
      10,
      { resource: index, perSecond: 500, key: spread },
      { resource: index, kind: 'read', perSecond: 100, key: spread },
    );
    expect(writes!.refused).toBe(0);
    expect(reads!.refused).toBeGreaterThan(0);
  });

  it('have hot keys of their own although the table is well spread', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const index = bench.index(onDemand);
    bench.run(5, { resource: index, perSecond: 1_500, key: () => 'STATUS#OPEN' });
    const verdict = bench.physics.verdicts()[0]!;
    expect(verdict).toMatchObject({
      reason: 'IndexWriteKeyRangeThroughputExceeded',
      exception: 'ThrottlingException',
    });
    expect(explainVerdict(verdict)).toContain('STATUS#OPEN took 1,');
    expect(explainVerdict(verdict)).toContain('of the index byStatus');
  });
});

describe('modes', () => {
  it('off models nothing', () => {
    const bench = new PhysicsBench({ settings: { mode: 'off' } });
    const table = bench.table(provisioned(1, 1));
    expect(bench.run(2, { resource: table, perSecond: 5_000, key: () => 'A' })[0]!.refused).toBe(0);
    expect(bench.physics.describe(table, bench.nowMs).lastHour).toEqual([]);
  });

  it('change while running, for the server and for one table with its indexes', () => {
    const bench = new PhysicsBench();
    const [table, other, index] = [
      bench.table(onDemand),
      bench.table(onDemand, { name: 'Other' }),
      bench.index(onDemand),
    ];
    expect([table, other, index].map(({ settings }) => settings.mode)).toEqual([
      'shadow',
      'shadow',
      'shadow',
    ]);
    bench.physics.setTableSettings(table.identity.arn, { mode: 'enforce' });
    expect([table, other, index].map(({ settings }) => settings.mode)).toEqual([
      'enforce',
      'shadow',
      'enforce',
    ]);
    bench.physics.setSettings({ mode: 'off' });
    expect([table, other, index].map(({ settings }) => settings.mode)).toEqual(['enforce', 'off', 'enforce']);
    bench.physics.setTableSettings(table.identity.arn, undefined);
    expect([table, other, index].map(({ settings }) => settings.mode)).toEqual(['off', 'off', 'off']);
  });

  it('one hot second in shadow does not condemn the next', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    bench.run(1, { resource: table, perSecond: 50_000, key: () => 'A' });
    const [after] = bench.run(5, { resource: table, perSecond: 900, key: () => 'A' });
    expect(after!.refused).toBeLessThan(20);
  });
});

describe('verdicts', () => {
  it('are counted up while refusals follow each other closely', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 1));
    bench.ask(table, 'write', 'A', '', 900);
    for (const afterMs of [0, 5_000, 5_000, 20_000, 100]) {
      bench.nowMs += afterMs;
      bench.ask(table, 'write', 'A');
    }
    expect(bench.physics.verdicts().map(({ count }) => count)).toEqual([3, 2]);
    for (let i = 0; i < 100; i++) {
      bench.nowMs += 1_000;
      bench.ask(table, 'write', 'A');
    }
    // None spans more than a minute.
    expect(bench.physics.verdicts().map(({ count }) => count)).toEqual([3, 61, 41]);
    expect(bench.physics.verdicts('Shipments')).toHaveLength(3);
    expect(bench.physics.verdicts('Other')).toEqual([]);
  });

  it('name the key that asked for most', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    // All in the first partition: fifty keys of 6 a second, and one of 900.
    const [rare, busy] = bench.run(
      20,
      { resource: table, perSecond: 300, key: (n) => n % 50 },
      { resource: table, perSecond: 900, key: () => 1_000 },
    );
    expect(rare!.refused + busy!.refused).toBeGreaterThan(2_000);
    expect(bench.physics.verdicts()).toHaveLength(1);
    expect(bench.physics.verdicts()[0]).toMatchObject({ place: 1_000, key: '1000', partitionId: 1 });
    expect(explainVerdict(bench.physics.verdicts()[0]!)).toContain(
      'Several keys share the load, of which 1000 with',
    );
  });
});

describe('the record', () => {
  it('is handed out when it has changed, and opens the same map again', async () => {
    const { decodePartitionRecord } = await import('./partition-record.ts');
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    expect(bench.physics.takeChangedRecords()).toHaveLength(1);
    expect(bench.physics.takeChangedRecords()).toEqual([]);
    bench.run(30, { resource: table, perSecond: 100, key: spread });
    expect(bench.physics.takeChangedRecords()).toEqual([]);
    bench.run(10 * 60, { resource: table, perSecond: 150, units: 10, key: () => random.below(2 ** 51) });
    expect(bench.physics.hasChangedRecords).toBe(true);
    bench.physics.giveBack(bench.physics.takeChangedRecords());
    const [taken] = bench.physics.takeChangedRecords();
    expect(bench.physics.hasChangedRecords).toBe(false);
    const again = new PhysicsBench().table(onDemand, { record: decodePartitionRecord(taken!.bytes) });
    expect(again.map.count).toBe(table.map.count);
    expect(again.record()).toEqual(table.record());
    expect(again.isDirty).toBe(false);
  });

  it('keeps the budget of decreases', () => {
    const bench = new PhysicsBench();
    const table = bench.table(provisioned(100, 100));
    for (const units of [90, 80, 110, 70, 60]) {
      bench.nowMs += 1_000;
      bench.physics.update(table, provisioned(units, 100), bench.nowMs);
    }
    const again = new PhysicsBench().table(provisioned(60, 100), { record: table.record() });
    expect(again.decreases).toEqual({ decreasedAt: startMs + 5_000, decreasesThatDay: 4 });
    expect(nextDecreaseMs(again.decreases, startMs + 6_000)).toBe(startMs + 5_000 + 3_600_000);
  });

  it('keeps growth that is under way', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    bench.run(120, { resource: table, perSecond: 380, units: 10, key: spread });
    const record = table.record();
    expect(record.growths).toHaveLength(1);
    const later = new PhysicsBench();
    const again = later.table(onDemand, { record });
    later.nowMs += 40 * 60_000;
    later.physics.describe(again, later.nowMs);
    expect(again.map.count).toBe(8);
    // A clock that was set back does not put it off for a year.
    const back = new PhysicsBench();
    const table2 = back.table(onDemand, { record });
    back.nowMs -= 365 * 86_400_000;
    back.physics.describe(table2, back.nowMs);
    back.nowMs += 31 * 60_000;
    back.physics.describe(table2, back.nowMs);
    expect(table2.map.count).toBe(8);
  });
});
