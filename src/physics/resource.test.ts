import { describe, expect, it } from 'vitest';
import { partStart } from '../model/keys/hash-segments.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import { equalPartsRecord, onDemand, PhysicsBench, provisioned, startMs } from './load.fixture.ts';
import { noSortKey, partPlace } from './place.ts';
import { pageReadUnits } from './units.ts';

const GB = 1024 ** 3;
const at = (place: number, sort = '') => ({ place, key: encodeUtf8(sort), sortAt: 0 });

describe('a page', () => {
  it('is charged to the partitions between its ends, evenly', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    bench.physics.chargePage(table, 'read', at(partPlace(1, 4)), at(partPlace(3, 4) + 5), 300, bench.nowMs);
    const loads = bench.physics
      .describe(table, bench.nowMs)
      .partitions.map(({ readBalance }) => 3_000 - readBalance);
    expect(loads).toEqual([0, 100, 100, 100]);
    // Backwards as well.
    bench.physics.chargePage(table, 'read', at(5, 'z'), at(5, 'a'), 128, bench.nowMs);
    expect(bench.physics.describe(table, bench.nowMs).partitions[0]!.readBalance).toBe(3_000 - 128);
    expect(bench.physics.describe(table, bench.nowMs).lastHour[0]!.readUnits).toBe(428);
  });

  it('of one collection counts for its key', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    bench.physics.chargePage(table, 'read', at(5, 'a'), at(5, 'b'), 100, bench.nowMs);
    bench.physics.chargePage(table, 'read', at(5, 'a'), at(6, 'b'), 100, bench.nowMs);
    expect(bench.physics.hotKeys(table, 5, bench.nowMs)).toMatchObject([{ place: 5, readUnits: 100 }]);
  });

  it('of a Scan costs at least the least of every partition of the map', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    const scan = () => table.map.countVisited(partStart(0, 1)!, { before: undefined });
    expect(pageReadUnits(60, 'eventual', scan())).toBe(2);
    expect(pageReadUnits(60, 'strong', scan())).toBe(4);
    bench.physics.update(table, provisioned(1, 8_000), bench.nowMs);
    expect(pageReadUnits(60, 'eventual', scan())).toBe(8);
    const small = bench.table(provisioned(5, 5), { name: 'Small' });
    expect(small.map.countVisited(partStart(0, 1)!, { before: undefined })).toBe(1);
  });
});

describe('stored bytes', () => {
  it('cut a partition of more than 10 GB', () => {
    const bench = new PhysicsBench();
    const table = bench.table(provisioned(5, 5));
    for (let i = 0; i < 10; i++) bench.physics.addBytes(table, i * 2 ** 49, noSortKey, 0, GB);
    expect(table.map.count).toBe(1);
    bench.physics.addBytes(table, 0, noSortKey, 0, 1);
    expect(table.map.count).toBe(2);
    expect(table.events.at(-1)!.what).toBe('1 partition added, now 2: more than 10 GB in a partition');
  });

  it('of an old table give it its partitions when it is opened', () => {
    const bench = new PhysicsBench();
    expect(bench.table(onDemand, { name: 'Big', bytes: 1_000 * GB }).map.count).toBe(128);
    expect(bench.table(onDemand, { name: 'Tiny', bytes: 1_000 }).map.count).toBe(4);
    const again = bench.table(onDemand, { name: 'Known', record: equalPartsRecord(4), bytes: 100 * GB });
    expect(again.map.count).toBe(16);
  });

  it('never fall below nothing and never are no number', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand, { bytes: 4_000 });
    for (const delta of [-1e12, Number.NaN, Number.POSITIVE_INFINITY, 7])
      bench.physics.addBytes(table, 0, noSortKey, 0, delta);
    expect(table.map.entry(0).bytes).toBe(7);
  });
});

describe('a description', () => {
  it('tells the load of the last hour by minute and partition', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(onDemand);
    bench.run(150, { resource: table, perSecond: 120, units: 10, key: () => 'SHIPMENT#881' });
    const { lastHour, partitions, hotKeys, arn, mode } = bench.physics.describe(table, bench.nowMs);
    expect([arn, mode]).toEqual(['arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments', 'enforce']);
    expect(lastHour.map(({ minute }) => minute * 60_000 - startMs)).toEqual([0, 60_000, 120_000]);
    expect(lastHour[1]).toMatchObject({ readUnits: 0, refusedReads: 0 });
    expect(lastHour[1]!.writeUnits).toBeCloseTo(60_000, -2);
    expect(lastHour[1]!.refusedWrites).toBeCloseTo(1_200, -2);
    const busy = partitions.filter((partition) => partition.lastHour.length > 0);
    expect(busy).toHaveLength(1);
    expect(busy[0]!.lastHour).toEqual(lastHour);
    expect(busy[0]!.writeAsked).toBeGreaterThan(1_000);
    expect(hotKeys[0]).toMatchObject({ name: 'SHIPMENT#881' });
    // An hour later nothing of it is left.
    bench.nowMs += 3_700_000;
    const later = bench.physics.describe(table, bench.nowMs);
    expect(later.lastHour).toEqual([]);
    expect(later.partitions.every((partition) => partition.lastHour.length === 0)).toBe(true);
    expect(later.hotKeys).toEqual([]);
  });

  it('shows balances where something is limited', () => {
    const bench = new PhysicsBench();
    const table = bench.table(provisioned(10, 20));
    expect(bench.physics.describe(table, bench.nowMs).balances).toEqual({
      read: { units: 3_000, unitsMax: 3_000, unitsPerSecond: 10 },
      write: { units: 6_000, unitsMax: 6_000, unitsPerSecond: 20 },
    });
    expect(bench.physics.describe(bench.index(onDemand), bench.nowMs).balances).toEqual({});
  });
});

describe('a table that is opened again', () => {
  it('keeps its state while it is known, and starts full when it is not', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 1));
    bench.ask(table, 'write', 'A', '', 400);
    expect(bench.ask(bench.table(provisioned(1, 1)), 'write', 'A')).toBe(false);
    bench.physics.close(table);
    expect(bench.ask(bench.table(provisioned(1, 1)), 'write', 'A')).toBe(true);
  });
});
