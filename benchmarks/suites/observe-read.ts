import { rm } from 'node:fs/promises';
import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { Stator, VirtualClock } from '../../src/index.ts';
import type { MetricKey } from '../../src/observe/metric-key.ts';
import { minutesKept } from '../../src/observe/metrics.ts';
import { newDirectory } from '../../tests/storage/directories.ts';
import { median } from '../compare.ts';
import { atMost, type Finding, type Suite, seen } from '../suite.ts';

/** The bar: milliseconds for fifteen days of 100 series, in hours as a dashboard asks for them. */
const readMsMax = 200;
const seriesCount = 100;
const startMs = Date.UTC(2026, 0, 1);

/**
 * Reading metrics: fifteen days of 100 busy series, half of them with histograms, from memory and from lmdb, by GetMetricData
 * over HTTP as a dashboard reads them, and below it.
 */
export const observeRead: Suite = async (options, onProgress) => {
  const minutes = options.small ? 600 : minutesKept;
  const rounds = options.rounds ?? (options.small ? 1 : 5);
  const findings: Finding[] = [];
  const rows: string[][] = [];
  for (const store of ['memory', 'lmdb'] as const) {
    onProgress(`${store}: writing`);
    const directory = await newDirectory();
    const clock = new VirtualClock(startMs);
    const choice = store === 'memory' ? 'memory' : { directory };
    let db = await Stator.open({ store: choice, clock, observe: true });
    fill(db, minutes);
    clock.setMs(startMs + minutes * 60_000);
    if (store === 'lmdb') {
      await db.close();
      db = await Stator.open({ store: choice, clock, observe: true });
    }
    for (const step of [60, 5]) {
      const laps: number[] = [];
      for (let round = -1; round < rounds; round++) {
        onProgress(`${store}: round ${round + 1} of ${rounds}`);
        const began = performance.now();
        const from = startMs / 60_000;
        const read = await Promise.all(
          keys().map((key) => db.observation.read(key, from, from + minutes, step)),
        );
        if (read.some((points) => points.length < minutes / step / 3)) throw new Error('points are missing');
        if (round >= 0) laps.push(performance.now() - began);
      }
      const title = `${store}, points of ${step} minutes`;
      // A request to CloudWatch takes 100,800 points: 15 days of 100 series are read in hours, not in minutes.
      findings.push(
        step === 60 ? atMost(title, median(laps), readMsMax, 'ms') : seen(title, median(laps), 'ms'),
      );
      rows.push([title, median(laps).toFixed(0)]);
    }
    onProgress(`${store}: GetMetricData`);
    const title = `${store}, GetMetricData over HTTP, points of 60 minutes`;
    const took = await getMetricData(db, minutes, rounds);
    findings.push(atMost(title, took, readMsMax, 'ms'));
    rows.push([title, took.toFixed(0)]);
    await db.close();
    await rm(directory, { recursive: true, force: true });
  }
  return {
    findings,
    tables: [{ title: `${seriesCount} series of ${minutes} minutes`, head: ['read', 'ms'], rows }],
    notes: [],
  };
};

/** Milliseconds of a request for all series, from the SDK's side. Latencies are asked for their 99th percentile. */
async function getMetricData(db: Stator, minutes: number, rounds: number): Promise<number> {
  const client = new CloudWatchClient({
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  });
  const MetricDataQueries = keys().map(({ namespace, name, dimensions }, i) => ({
    Id: `m${i}`,
    MetricStat: {
      Metric: {
        ...{ Namespace: namespace, MetricName: name },
        Dimensions: dimensions.map((each) => ({ Name: each.name, Value: each.value })),
      },
      ...{ Period: 3_600, Stat: name === 'Units' ? 'Sum' : 'p99' },
    },
  }));
  const laps: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const began = performance.now();
    let points = 0;
    for (let NextToken: string | undefined; ; ) {
      const page = await client.send(
        new GetMetricDataCommand({
          ...{ StartTime: new Date(startMs), EndTime: new Date(startMs + minutes * 60_000) },
          ...{ MetricDataQueries, MaxDatapoints: 100_800, ...(NextToken !== undefined && { NextToken }) },
        }),
      );
      for (const { Values = [] } of page.MetricDataResults ?? []) points += Values.length;
      NextToken = page.NextToken;
      if (NextToken === undefined) break;
    }
    if (points < (seriesCount * minutes) / 60 / 3) throw new Error(`${points} points are too few`);
    if (round >= 0) laps.push(performance.now() - began);
  }
  client.destroy();
  return median(laps);
}

function keys(): MetricKey[] {
  return Array.from({ length: seriesCount }, (_, i) => ({
    accountId: '000000000000',
    region: 'us-east-1',
    namespace: 'Benchmark',
    name: i % 2 === 0 ? 'Units' : 'Latency',
    dimensions: [{ name: 'TableName', value: `T${i}` }],
  }));
}

function fill(db: Stator, minutes: number): void {
  const { memory } = db.observation;
  for (const [i, key] of keys().entries()) {
    const series = memory.series(key, 'Count', { hasHistogram: i % 2 === 1 });
    for (let minute = 0; minute < minutes; minute++)
      for (let n = 0; n < (i % 2 === 0 ? 1 : 5); n++)
        series.add(
          ((minute * 7_919 + n * 104_729 + i) % 10_000) / (i % 2 === 0 ? 1 : 1_000),
          1,
          startMs / 60_000 + minute,
        );
  }
  memory.trim();
}
