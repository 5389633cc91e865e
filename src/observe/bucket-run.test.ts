import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { BucketRun } from './bucket-run.ts';
import { bucketOf, type Histogram } from './histogram.ts';
import { decodeMinutes, MinuteChunk, visitMinutes } from './minute-chunk.ts';
import { type HistogramPart, type MinutePoint, PointSum, percentileOf } from './minute-point.ts';

/** A minute of values, each met so many times. */
function minuteOf(minute: number, values: readonly (readonly [value: number, count: number])[]): MinutePoint {
  const histogram = new Map<number, number>();
  for (const [value, count] of values)
    histogram.set(bucketOf(value), (histogram.get(bucketOf(value)) ?? 0) + count);
  const sum = (of: (value: number, count: number) => number) =>
    values.reduce((total, [value, count]) => total + of(value, count), 0);
  return {
    ...{ minute, histogram, count: sum((_, count) => count), sum: sum((value, count) => value * count) },
    ...{ min: Math.min(...values.map(([value]) => value)), max: Math.max(...values.map(([value]) => value)) },
  };
}

/** The minutes of a chunk, encoded and decoded, as one point. */
function joined(minutes: readonly MinutePoint[]): PointSum {
  const chunk = new MinuteChunk(0);
  for (const minute of minutes) chunk.append(minute);
  const point = new PointSum(0);
  visitMinutes(chunk.bytes, chunk.bytes.length, 0, (_, count, sum, min, max, histogram) =>
    point.add({ count, sum, min, max }, histogram),
  );
  return point;
}

const shares = [0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.999_999];

describe('percentiles by a run of buckets', () => {
  const manners: readonly (readonly [string, (random: number) => number, (random: number) => number])[] = [
    ['milliseconds', (x) => Math.round(x * 10_000) / 1_000 + 0.001, () => 1],
    ['values far apart', (x) => 10 ** (x * 30 - 15), () => 1],
    ['zeros among others', (x) => (x < 0.3 ? 0 : x), () => 1],
    ['negative ones', (x) => x * 20 - 30, () => 1],
    ['both signs', (x) => x - 0.5, () => 1],
    ['large counts', (x) => x + 1, (x) => Math.ceil(10 ** (x * 13))],
  ];
  it.each(manners)('are those by a sorted histogram: %s', (_, valueIn, countOf) => {
    const random = seededRandom(24);
    const next = () => random.below(1_000_000) / 1_000_000;
    for (const ofMinute of [1, 5, 40]) {
      const minutes = Array.from({ length: 60 }, (_, minute) =>
        minuteOf(
          minute,
          Array.from({ length: ofMinute }, () => [valueIn(next()), countOf(next())] as const),
        ),
      );
      const point = joined(minutes);
      const { minute, count, sum, min, max, histogram } = point;
      const plain = { minute, count, sum, min, max, histogram };
      for (const share of shares) expect(percentileOf(point, share)).toBe(percentileOf(plain, share));
      const total = (counts: Histogram) => [...counts.values()].reduce((all, some) => all + some, 0);
      expect(total(histogram!)).toBe(count);
    }
  });

  it('survive encoding with every length of number', () => {
    const values = [0, 1e-300, 0.5, 1, 127, 128, 1e6, 1e300, -3].map(
      (value, i) => [value, [1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 40][i % 7]!] as const,
    );
    const point = minuteOf(3, values);
    const chunk = new MinuteChunk(0);
    chunk.append(point);
    const [decoded] = decodeMinutes(chunk.bytes, 0);
    const inOrder = (histogram: Histogram) => [...histogram].sort(([a], [b]) => a - b);
    expect(inOrder(decoded!.histogram!)).toEqual(inOrder(point.histogram!));
  });

  it('decode each minute once, and make no histogram', () => {
    let visits = 0;
    let histograms = 0;
    class Watched extends PointSum {
      override get histogram() {
        histograms++;
        return super.histogram;
      }
    }
    const point = new Watched(0);
    for (let minute = 0; minute < 60; minute++) {
      const part: HistogramPart = {
        visit: (each) => {
          visits++;
          for (let i = 1; i <= 5; i++) each(bucketOf(i), 1);
        },
      };
      point.add({ count: 5, sum: 15, min: 1, max: 5 }, part);
    }
    expect(percentileOf(point, 0.5)! / 3).toBeCloseTo(1, 1);
    expect([visits, histograms]).toEqual([60, 0]);
  });

  it('are not tried where they would be wide or mostly empty', () => {
    expect(BucketRun.of(100, 1, 2)).toBeDefined();
    expect(BucketRun.of(1e9, 0, 1)).toBeUndefined();
    expect(BucketRun.of(1e9, 1e-30, 1e30)).toBeUndefined();
    expect(BucketRun.of(2, 1, 1_000)).toBeUndefined();
  });
});
