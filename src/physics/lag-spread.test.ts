import { expect, it } from 'vitest';
import { defaultLag, type LagSpread, lagAt } from './lag-spread.ts';

it.each<[LagSpread, number, number]>([
  [250, 0.7, 250],
  [0, 0.7, 0],
  [defaultLag, 0, 10],
  [defaultLag, 0.5, 255],
  [{ min: 10, p50: 20, p99: 400, max: 3_000 }, 0.25, 15],
  [{ min: 10, p50: 20, p99: 400, max: 3_000 }, 0.5, 20],
  [{ min: 10, p50: 20, p99: 400, max: 3_000 }, 0.99, 400],
  [{ min: 10, p50: 20, p99: 400, max: 3_000 }, 1, 3_000],
  [{ min: 10, p90: 100, max: 3_000 }, 0.45, 55],
])('the lag %j at %d', (spread, place, expected) => {
  expect(lagAt(spread, place)).toBeCloseTo(expected, 9);
});
