import { describe, expect, it } from 'vitest';
import type { MetricKey } from './metric-key.ts';
import { MetricStore } from './metric-store.ts';
import { minutesKept } from './metrics.ts';
import { type MinutePoint, percentileOf } from './minute-point.ts';

const startMs = Date.UTC(2026, 0, 1);
const startMinute = startMs / 60_000;

describe('metrics', () => {
  it('answer what a list of all values answers, whatever the order of time', async () => {
    const random = sequence(7);
    const metrics = new MetricStore({ nowMs: () => startMs + 86_400_000 });
    const values: { minute: number; value: number; count: number }[] = [];
    for (let i = 0; i < 5_000; i++) {
      const minute = startMinute + Math.floor(random() * 1_000 + (random() < 0.8 ? i / 10 : 0));
      const value = [0, 1, -2.5, random() * 1_000, Math.floor(random() * 1e9)][Math.floor(random() * 5)]!;
      const count = 1 + Math.floor(random() * 3);
      values.push({ minute, value, count });
      metrics.record(key('A'), 'Count', value, count, minute * 60_000 + Math.floor(random() * 60_000));
    }
    for (const step of [1, 5, 60, 1_440]) {
      const points = await metrics.read(key('A'), startMinute, startMinute + 2_000, step);
      expect(points.map(plain)).toEqual(naive(values, step).map(plain));
    }
  });

  it('tell percentiles within 1.1 %', async () => {
    const random = sequence(11);
    const metrics = new MetricStore({ nowMs: () => startMs });
    const values = Array.from({ length: 10_000 }, () => Math.exp(random() * 10 - 3));
    for (const value of values) metrics.record(key('Latency'), 'Milliseconds', value, 1, startMs);
    const [point] = await metrics.read(key('Latency'), startMinute, startMinute + 1);
    values.sort((a, b) => a - b);
    for (const share of [0.5, 0.9, 0.99, 0.999]) {
      const exact = values[Math.ceil(share * values.length) - 1]!;
      expect(Math.abs(percentileOf(point!, share)! / exact - 1)).toBeLessThan(0.0111);
    }
    expect(percentileOf(point!, 1)).toBe(values.at(-1));
  });

  it('know no percentiles of statistic sets', async () => {
    const metrics = new MetricStore({ nowMs: () => startMs });
    metrics.record(key('A'), 'Count', 5, 1, startMs);
    metrics.recordSet(key('A'), 'Count', { count: 3, sum: 30, min: 1, max: 20 }, startMs);
    const [point] = await metrics.read(key('A'), startMinute, startMinute + 1);
    expect(plain(point!)).toEqual([startMinute, 4, 35, 1, 20]);
    expect(percentileOf(point!, 0.5)).toBeUndefined();
  });

  it('of one account never make room for those of another that has fewer', async () => {
    const metrics = new MetricStore({ nowMs: () => startMs, seriesMax: 100 });
    const quiet = Array.from({ length: 40 }, (_, i) => ({ ...key(`N${i}`), accountId: '222222222222' }));
    for (const each of quiet) metrics.record(each, 'Count', 1, 1, startMs);
    for (let i = 0; i < 1_000; i++) metrics.record(key(`N${i}`), 'Count', 1, 1, startMs + 60_000 + i);
    expect(metrics.size).toBeLessThanOrEqual(100);
    expect(quiet.filter((each) => metrics.find(each) !== undefined)).toHaveLength(40);
  });

  it('drop the least used of too many series, and count them', async () => {
    const metrics = new MetricStore({ nowMs: () => startMs, seriesMax: 100 });
    for (let i = 0; i < 1_000; i++) {
      metrics.record(key(`N${i}`), 'Count', 1, 1, startMs + i * 60_000);
      metrics.record(key('used'), 'Count', 1, 1, startMs + i * 60_000);
    }
    expect(metrics.size).toBeLessThanOrEqual(100);
    expect(metrics.dropped).toBe(1_001 - metrics.size);
    expect(metrics.find(key('used'))).toBeDefined();
  });

  it('keep fifteen days of a busy series in 200 KB', async () => {
    const random = sequence(3);
    let nowMs = startMs;
    const metrics = new MetricStore({ nowMs: () => nowMs });
    for (let i = 0; i < minutesKept; i++) {
      nowMs = startMs + i * 60_000;
      metrics.series(key('Units'), 'Count').add(Math.floor(random() * 60_000), 1_000, startMinute + i);
      for (let n = 0; n < 20; n++)
        metrics.record(
          key('Latency'),
          'Milliseconds',
          Math.round(Math.exp(random() * 3) * 1000) / 1000,
          1,
          nowMs,
        );
      if (i % 60 === 0) metrics.trim();
    }
    metrics.trim();
    for (const series of metrics.all()) expect(series.bytes).toBeLessThanOrEqual(200_000);
    const units = await metrics.read(key('Units'), startMinute, startMinute + minutesKept);
    expect(units.length).toBe(minutesKept);
    // A series with histograms loses those of its oldest minutes first.
    const latency = await metrics.read(key('Latency'), startMinute, startMinute + minutesKept);
    expect(latency.length).toBeGreaterThan(10 * 1_440);
    expect(latency.at(-1)!.histogram).toBeDefined();
  });
});

describe('values of a very wide range', () => {
  it('stay within the bytes of a series, and their latest minutes keep percentiles', async () => {
    let nowMs = startMs;
    const metrics = new MetricStore({ nowMs: () => nowMs });
    // Every value is 1 % from the next, over 20 powers of ten: thousands of buckets in a minute.
    for (let minute = 260; minute < 420; minute++) {
      nowMs = startMs + minute * 60_000;
      for (let i = 0; i < 4_600; i += 1 + (minute % 3))
        metrics.record(key('Wide'), 'None', (i % 2 === 0 ? 1 : -1) * 1.01 ** i, 1, nowMs);
    }
    const series = metrics.find(key('Wide'))!;
    expect(series.bytes).toBeLessThanOrEqual(200_000);
    expect(series.open!.histogram!.size).toBeLessThanOrEqual(1_300);
    metrics.trim();
    expect(series.bytes).toBeLessThanOrEqual(200_000);
    const points = await metrics.read(key('Wide'), startMinute, startMinute + 420);
    expect(points).toHaveLength(160);
    expect(points[0]!.histogram).toBeUndefined();
    expect(points[1]!.count).toBe(4_600);
    expect(points.at(-1)!.histogram).toBeDefined();
  });

  it('come late without their chunk being encoded for each', async () => {
    const metrics = new MetricStore({ nowMs: () => startMs + 86_400_000 });
    const series = metrics.series(key('Late'), 'None', { hasHistogram: true });
    for (let minute = 0; minute < 360; minute++)
      for (let i = 0; i < 50; i++) series.add(1.1 ** i, 1, startMinute + minute);
    series.close();
    const before = series.chunk(Math.floor(startMinute / 360))!;
    for (let minute = 0; minute < 300; minute++) series.add(1_000, 2, startMinute + minute);
    // Statistic sets have no percentiles.
    series.addSet({ count: 3, sum: 9, min: 1, max: 5 }, startMinute + 7);
    expect(before.lastMinute).toBe(startMinute + 359);
    const points = await metrics.read(key('Late'), startMinute, startMinute + 360);
    expect(points.map(({ count }) => count)).toEqual(
      Array.from({ length: 360 }, (_, minute) => 50 + (minute < 300 ? 2 : 0) + (minute === 7 ? 3 : 0)),
    );
    expect(percentileOf(points[0]!, 1)).toBe(1_000);
    expect(percentileOf(points[7]!, 0.5)).toBeUndefined();
    expect(percentileOf(points[299]!, 0.99)! / 1_000).toBeCloseTo(1, 1);
    expect(percentileOf(points[300]!, 0.99)! / 1_000).not.toBeCloseTo(1, 1);
  });
});

function key(name: string): MetricKey {
  return { accountId: '000000000000', region: 'us-east-1', namespace: 'Test', name, dimensions: [] };
}

function plain({ minute, count, sum, min, max }: MinutePoint): number[] {
  return [minute, count, Number(sum.toPrecision(10)), min, max];
}

function naive(
  values: readonly { minute: number; value: number; count: number }[],
  step: number,
): MinutePoint[] {
  const starts = new Map<number, MinutePoint>();
  for (const { minute, value, count } of values) {
    const start = startMinute + Math.floor((minute - startMinute) / step) * step;
    const before = starts.get(start);
    starts.set(start, {
      minute: start,
      count: (before?.count ?? 0) + count,
      sum: (before?.sum ?? 0) + value * count,
      min: Math.min(before?.min ?? value, value),
      max: Math.max(before?.max ?? value, value),
      histogram: undefined,
    });
  }
  return [...starts.values()].sort((a, b) => a.minute - b.minute);
}

function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
