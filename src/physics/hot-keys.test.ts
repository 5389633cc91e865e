import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { memoryBounds } from './constants.ts';
import { HotKeys } from './hot-keys.ts';
import { placesEnd } from './place.ts';

const start = 1_790_000_000_000;

describe('hot keys', () => {
  it('tell the rate of the last second', () => {
    const keys = new HotKeys();
    for (let ms = 0; ms < 3_000; ms++) keys.charge(1, 77, true, 1.9, start + ms);
    expect(keys.asked(1, 77, true, start + 3_000)).toBeCloseTo(1_900);
    expect(keys.asked(1, 77, true, start + 3_500)).toBeCloseTo(950);
    expect(keys.asked(1, 77, true, start + 9_000)).toBe(0);
    expect(keys.asked(1, 77, false, start + 3_000)).toBe(0);
    expect(keys.asked(2, 77, true, start + 3_000)).toBe(0);
  });

  it('keep heavy keys through a flood of a million rare ones, in bounded memory', () => {
    const keys = new HotKeys();
    const random = seededRandom(3);
    const heavy = Array.from({ length: 20 }, () => random.below(placesEnd));
    for (let i = 0; i < 1_000_000; i++) {
      keys.charge(5, random.below(placesEnd), false, 1, start + i / 100);
      if (i % 10 === 0) keys.charge(5, heavy[(i / 10) % 20]!, true, 5, start + i / 100);
    }
    const top = keys.top(5, 20, start + 10_000);
    expect(new Set(top.map(({ place }) => place))).toEqual(new Set(heavy));
    expect(top[0]!.writeUnits).toBeCloseTo(25_000, -3);
    const bytesPerKey = keys.entryBytes / memoryBounds.activeKeysMax;
    expect(bytesPerKey).toBeLessThanOrEqual(88);
    expect(bytesPerKey + 100).toBeLessThan(200);
  });

  it('want names of hot keys only, and once', () => {
    const keys = new HotKeys();
    let wanted = 0;
    for (let i = 0; i < 100_000; i++) if (keys.charge(0, 9, true, 1, start)) wanted++;
    expect(wanted).toBe(1);
    keys.name(0, 9, 'SHIPMENT#881');
    expect(keys.nameOf(0, 9)).toBe('SHIPMENT#881');
    expect(keys.top(0, 1, start)[0]).toMatchObject({
      name: 'SHIPMENT#881',
      writeUnits: 100_000,
      readUnits: 0,
    });
    for (let i = 0; i < 10; i++) expect(keys.charge(0, 10 + i, true, 100, start)).toBe(false);
  });

  it('hold a bounded number of names of bounded length', () => {
    const keys = new HotKeys();
    for (let i = 0; i < 10_000; i++) keys.name(0, i, 'x'.repeat(5_000));
    expect(keys.nameCount).toBe(memoryBounds.namedKeysMax);
    expect(keys.nameOf(0, 9_999)).toHaveLength(memoryBounds.keyNameLengthMax);
    expect(keys.nameOf(0, 0)).toBeUndefined();
  });

  it('survive clocks that jump', () => {
    const keys = new HotKeys();
    const year = 365 * 86_400_000;
    for (const at of [start, start + year, start - year, start, 0]) {
      keys.charge(0, 1, true, 1, at);
      keys.refuse(0, 1, true, 1, at);
      expect(keys.asked(0, 1, true, at)).toBeGreaterThanOrEqual(2);
      expect(keys.asked(0, 1, true, at)).toBeLessThan(20);
    }
  });

  it('forget the keys of a table that is gone', () => {
    const keys = new HotKeys();
    keys.charge(1, 5, true, 1, start);
    keys.charge(2, 5, true, 1, start);
    keys.name(1, 5, 'a');
    keys.forget(1);
    expect(keys.top(1, 9, start)).toEqual([]);
    expect(keys.nameOf(1, 5)).toBeUndefined();
    expect(keys.top(2, 9, start)).toHaveLength(1);
  });
});
