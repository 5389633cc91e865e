import { expect, it } from 'vitest';
import { newHash16 } from '../../hash16.ts';
import { Slices, stepsAtOnceMax, stepsPerSlice } from '../../model/slices.ts';
import { encodeItem } from '../../model/stored/stored-item.ts';
import { exportFilter } from './export-filter.ts';

it('evaluates a long filter in slices', async () => {
  let [now, most, turns] = [0, 0, 0];
  class Counted extends Slices {
    override spend(steps: number) {
      now += steps;
      most = Math.max(most, now);
      return super.spend(steps);
    }
  }
  const slices = new Counted(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    now = 0;
    turns++;
  });
  const value = { kind: 'value', value: { S: `${'a'.repeat(24)}b` } } as const;
  const search = { kind: 'contains', container: { kind: 'path', path: ['t'] }, element: value } as const;
  const expressions = {
    condition: undefined,
    filter: { kind: 'or', conditions: Array.from({ length: 60 }, () => ({ ...search })) },
    projection: undefined,
  } as const;
  const filter = exportFilter(expressions, new Uint8Array([1]), newHash16(), slices);
  const header = {
    ...{ encrypted: false, tombstone: false, itemBytes: 9, era: 0, writtenMicros: 1, region: 0, version: 1 },
  };
  const stored = (S: string) => encodeItem(new Map([['t', { S }]]), header);
  expect(await filter.takes(stored('a'.repeat(200_000)))).toBe(false);
  expect(await filter.takes(stored(`${'a'.repeat(200_000)}b`))).toBe(true);
  expect(turns).toBeGreaterThan(10);
  expect(most).toBeLessThan(stepsPerSlice + stepsAtOnceMax);
});
