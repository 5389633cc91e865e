import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { propertyRuns } from '../../tests/property-runs.ts';
import { rounds, seededRandom } from '../../tests/seeded-random.ts';
import { capacityLimits } from '../model/limits.ts';
import { chargeUnitsMax, debtSecondsMax, memoryBounds } from './constants.ts';
import { equalPartsRecord, onDemand, PhysicsBench, provisioned, startMs } from './load.fixture.ts';
import { NaivePhysics } from './naive-physics.fixture.ts';
import { createPhysics, type Physics } from './physics.ts';
import { noSortKey, placesEnd } from './place.ts';
import type { Resource } from './resource.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

const kind = fc.constantFrom('read' as const, 'write' as const);

/** Eighths of a second and halves of a unit, which doubles add up exactly in any order. */
const step = fc.record({
  afterMs: fc.oneof(
    fc.constant(0),
    fc.nat(40).map((n) => n * 125),
  ),
  kind,
  place: fc.constantFrom(0, 1, 2 ** 51, 2 ** 52, 2 ** 52 + 7, placesEnd - 1),
  sort: fc.uint8Array({ maxLength: 1, max: 3 }),
  units: fc.oneof(
    fc.constantFrom(0.5, 1, 2),
    fc.integer({ min: 1, max: 1_600 }).map((n) => n / 2),
  ),
  charge: fc.boolean(),
});

const throughput: fc.Arbitrary<ThroughputSettings> = fc.oneof(
  fc
    .record({ read: fc.integer({ min: 1, max: 8 }), write: fc.integer({ min: 1, max: 8 }) })
    .map(({ read, write }) => provisioned(read, write)),
  fc.constant(onDemand),
  fc
    .record({ maxRead: fc.integer({ min: 1, max: 8 }), maxWrite: fc.integer({ min: 1, max: 8 }) })
    .map((maxima) => ({ ...onDemand, ...maxima })),
);

describe('the model', () => {
  it('agrees with the naive one on every touch', () => {
    assertProperty(
      fc.property(
        throughput,
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 150 }),
        (settings, parts, steps) => {
          const bench = new PhysicsBench({
            settings: { mode: 'enforce', effects: { partitionSplits: false } },
          });
          const table = bench.table(settings, { record: equalPartsRecord(parts) });
          table.map.split(table.map.find(2 ** 51, Uint8Array.of(2), 0), {
            place: 2 ** 51,
            sort: Uint8Array.of(2),
          });
          const partitions = Array.from({ length: table.map.count }, (_, i) => table.map.entry(i));
          const naive = new NaivePhysics(settings, partitions, startMs);
          for (const { afterMs, kind, place, sort, units, charge } of steps) {
            bench.nowMs += afterMs;
            const isWrite = kind === 'write';
            const code = bench.physics.check(table, kind, place, sort, 0, bench.nowMs);
            expect(code).toBe(naive.check(isWrite, { place, sort }, bench.nowMs));
            if (!charge || code !== 0) continue;
            bench.physics.charge(table, kind, place, sort, 0, units, bench.nowMs);
            naive.charge(isWrite, { place, sort }, units, bench.nowMs);
          }
          const finite = (value: number) => (value === Number.POSITIVE_INFINITY ? 'none' : value);
          expect(finite(table.write.balance)).toBe(finite(naive.balance('table write', bench.nowMs)));
          expect(finite(table.read.balance)).toBe(finite(naive.balance('table read', bench.nowMs)));
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it('grants no partition more than its ceiling, its depth and one request of each concurrent caller', () => {
    assertProperty(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 400 }),
        (seed, callers, largest) => {
          const random = seededRandom(seed);
          const bench = new PhysicsBench({
            settings: { mode: 'enforce', effects: { partitionSplits: false } },
          });
          const table = bench.table(random.chance(0.5) ? onDemand : provisioned(20_000, 8_000));
          const places = Array.from({ length: 6 }, () => random.below(placesEnd));
          // Each caller asks, works for a while, and is charged when it is done.
          const working: ({ place: number; isWrite: boolean; doneMs: number } | undefined)[] =
            Array(callers).fill(undefined);
          const excess = new Map<string, { over: number; lowest: number; lastMs: number }>();
          const grant = (name: string, units: number, ceiling: number) => {
            const of = excess.get(name) ?? { over: 0, lowest: 0, lastMs: startMs };
            // Granted units minus what flowed in, over the interval in which this is largest.
            of.over -= (ceiling * (bench.nowMs - of.lastMs)) / 1000;
            of.lowest = Math.min(of.lowest, of.over);
            of.over += units;
            of.lastMs = bench.nowMs;
            excess.set(name, of);
            expect(of.over - of.lowest).toBeLessThanOrEqual(ceiling + callers * largest + 1e-6);
          };
          for (let turn = 0; turn < 2_000; turn++) {
            bench.nowMs += random.pick([0, 0, 1, 3, 20]);
            for (let caller = 0; caller < callers; caller++) {
              const work = working[caller];
              if (work === undefined) {
                const place = random.pick(places);
                const isWrite = random.chance(0.5);
                const verdict = bench.physics.admit(
                  table,
                  isWrite ? 'write' : 'read',
                  place,
                  noSortKey,
                  0,
                  bench.nowMs,
                );
                if (verdict === undefined)
                  working[caller] = { place, isWrite, doneMs: bench.nowMs + random.below(50) };
              } else if (work.doneMs <= bench.nowMs) {
                const units = 0.5 + random.next() * (largest - 0.5);
                bench.physics.charge(
                  table,
                  work.isWrite ? 'write' : 'read',
                  work.place,
                  noSortKey,
                  0,
                  units,
                  bench.nowMs,
                );
                const { partitionReadUnitsPerSecondMax: read, partitionWriteUnitsPerSecondMax: write } =
                  capacityLimits;
                const partition = table.map.find(work.place, noSortKey, 0);
                grant(`${partition} ${work.isWrite}`, units, work.isWrite ? write : read);
                working[caller] = undefined;
              }
            }
          }
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });

  it('refuses the same in shadow and in enforce', () => {
    assertProperty(
      fc.property(throughput, fc.array(step, { maxLength: 200 }), (settings, steps) => {
        const refusals = (['shadow', 'enforce'] as const).map((mode) => {
          const bench = new PhysicsBench({ settings: { mode } });
          const table = bench.table(settings);
          return steps.flatMap(({ afterMs, kind, place, sort, units }, i) => {
            bench.nowMs += afterMs;
            const verdict = bench.physics.admit(table, kind, place, sort, 0, bench.nowMs, units);
            if (verdict === undefined) bench.physics.charge(table, kind, place, sort, 0, units, bench.nowMs);
            else expect(verdict.enforced).toBe(mode === 'enforce');
            return verdict === undefined ? [] : [[i, verdict.reason, verdict.waitMs]];
          });
        });
        expect(refusals[0]).toEqual(refusals[1]);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('hostile input', () => {
  const key = noSortKey;
  const year = 365 * 86_400_000;

  function expectSane(physics: Physics, resource: Resource, nowMs: number): void {
    const numbers: number[] = [];
    const look = (value: unknown): void => {
      if (typeof value === 'number') numbers.push(value);
      else if (typeof value === 'object' && value !== null)
        for (const member of Object.values(value)) look(member);
    };
    look(physics.describe(resource, nowMs));
    look(physics.verdicts());
    expect(numbers.filter((value) => Number.isNaN(value) || value === Number.NEGATIVE_INFINITY)).toEqual([]);
  }

  it('a million keys: bounded memory', () => {
    const bench = new PhysicsBench();
    const table = bench.table(onDemand);
    for (let i = 0; i < 1_000_000; i++) {
      const place = (i * 0x9e3779b97f) % placesEnd;
      if (bench.physics.admit(table, 'write', place, key, 0, startMs + i / 10) === undefined)
        bench.physics.charge(table, 'write', place, key, 0, 1, startMs + i / 10);
    }
    expect(bench.physics.verdicts().length).toBeLessThanOrEqual(memoryBounds.verdictsMax);
    expect(bench.physics.hotKeys(table, 1e9, startMs + 100_000).length).toBeLessThanOrEqual(
      memoryBounds.activeKeysMax,
    );
    expect(table.events.length).toBeLessThanOrEqual(50);
    expectSane(bench.physics, table, startMs + 100_000);
  });

  it('any number of tables: the last of them are known, and all of them work', () => {
    const bench = new PhysicsBench();
    const count = rounds(100_000, 10);
    let oldest: Resource | undefined;
    const identity = (i: number) => ({
      id: `t${i}`,
      tableName: `t${i}`,
      arn: `arn:${i}`,
      hasLocalIndexes: false,
    });
    for (let i = 0; i < count; i++) {
      const table = bench.physics.open(identity(i), onDemand, startMs);
      oldest ??= table;
      if (i % 1_000 === 0) bench.physics.charge(table, 'write', i, key, 0, 5_000, startMs);
    }
    expect([...bench.physics.resources()].length).toBeLessThanOrEqual(memoryBounds.resourcesMax);
    expect([...bench.physics.resources()].at(-1)!.identity.tableName).toBe(`t${count - 1}`);
    expect(oldest!.isOpen).toBe(false);
    expect(bench.physics.admit(oldest!, 'write', 5, key, 0, startMs)).toBeUndefined();
    const first = bench.physics.open(identity(0), onDemand, startMs);
    expect([first === oldest, first.isOpen]).toEqual([false, true]);
    expect(bench.physics.admit(first, 'write', 5, key, 0, startMs)).toBeUndefined();
  });

  it('a million partitions: there is a bound', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table({ ...onDemand, warmWrite: 1e9 });
    expect(table.map.count).toBe(memoryBounds.partitionsPerResourceMax);
    bench.physics.addBytes(table, 0, key, 0, 1e30);
    for (let i = 0; i < 100_000; i++) bench.ask(table, 'write', (i * 0x9e3779b97f) % placesEnd);
    expect(table.map.count).toBe(memoryBounds.partitionsPerResourceMax);
    bench.nowMs += 120_000;
    bench.ask(table, 'write', 1);
    expect(table.shared.histories).toBeLessThanOrEqual(memoryBounds.partitionHistoriesMax);
    expectSane(bench.physics, table, bench.nowMs);
    bench.physics.close(table);
    expect([table.shared.histories, table.shared.samples]).toEqual([0, 0]);
  });

  it.each([
    ['a year ahead', startMs + year],
    ['a year back', startMs - year],
    ['to 1970', 0],
    ['to before 1970', -year],
  ])('a clock that jumps %s: the next seconds are as any others', (_what, toMs) => {
    for (const settings of [onDemand, provisioned(5, 500)]) {
      const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
      const table = bench.table(settings);
      const load = (perSecond: number) => ({ resource: table, perSecond, key: () => 42 });
      bench.run(90, load(1_500));
      bench.nowMs = toMs;
      bench.run(10, load(0.5));
      expect(bench.run(60, load(400))[0]!.refused).toBe(0);
      expect(bench.physics.describe(table, bench.nowMs).lastHour.length).toBeLessThanOrEqual(62);
      expectSane(bench.physics, table, bench.nowMs);
    }
  });

  it('times that are none are ignored', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 1));
    for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1e300]) {
      bench.physics.admit(table, 'write', 1, key, 0, nowMs);
      bench.physics.charge(table, 'write', 1, key, 0, 1, nowMs);
    }
    expect(table.nowMs).toBe(startMs);
    expect(table.write.balance).toBe(295);
    expectSane(bench.physics, table, Number.NaN);
  });

  it('absurd charges: every debt is over after a quarter of an hour', () => {
    for (const settings of [provisioned(1, 1), onDemand, { ...onDemand, maxWrite: 1 }]) {
      const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
      const table = bench.table(settings);
      for (const units of [Number.NaN, -5, 0, Number.POSITIVE_INFINITY, 1e308, chargeUnitsMax])
        for (let i = 0; i < 100; i++) bench.physics.charge(table, 'write', i, key, 0, units, bench.nowMs);
      bench.physics.admit(table, 'write', 1, key, 0, bench.nowMs, Number.NaN);
      bench.physics.admit(table, 'write', 1, key, 0, bench.nowMs, 1e308);
      expectSane(bench.physics, table, bench.nowMs);
      expect(bench.ask(table, 'write', 1)).toBe(false);
      bench.nowMs += debtSecondsMax * 1000 + 1;
      expect(bench.ask(table, 'write', 1)).toBe(true);
    }
  });

  it('a rate that falls leaves no debt of the old size behind', () => {
    const bench = new PhysicsBench({ settings: { mode: 'enforce' } });
    const table = bench.table(provisioned(1, 40_000));
    for (let i = 0; i < 500; i++)
      bench.physics.charge(table, 'write', i, key, 0, chargeUnitsMax, bench.nowMs);
    bench.physics.update(table, provisioned(1, 1), bench.nowMs);
    bench.nowMs += debtSecondsMax * 1000 + 1;
    expect(bench.ask(table, 'write', placesEnd - 1)).toBe(true);
  });

  it('throughput that cannot be is a bug of the caller', () => {
    const physics = createPhysics({ nowMs: startMs });
    const identity = { id: 't', tableName: 't', arn: 'arn:t', hasLocalIndexes: false };
    for (const units of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e13]) {
      expect(() => physics.open(identity, provisioned(units, 1), startMs)).toThrow(RangeError);
      expect(() => physics.open(identity, { ...onDemand, maxRead: units }, startMs)).toThrow(RangeError);
    }
  });
});
