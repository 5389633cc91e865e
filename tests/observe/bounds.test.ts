import { rm } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/engine/events.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { metricKind } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { prefixEnd } from '../../src/model/values/bytes.ts';
import { reportInsights } from '../../src/observe/insights/report-insights.ts';
import { metricBounds } from '../../src/observe/metric-store.ts';
import { patternsMax } from '../../src/observe/patterns/patterns.ts';
import { prometheusText } from '../../src/observe/prometheus.ts';
import { newDirectory } from '../storage/directories.ts';

/** How many series the data directory of these tests has. */
async function storedNames(db: Stator): Promise<number> {
  const prefix = Uint8Array.of(metricKind, 0x6e);
  const { entries } = await db.engine.store.range({ from: prefix, to: prefixEnd(prefix)!, limit: 100_000 });
  return entries.length;
}

/** A million in the long run. */
const isLong = process.env.STATOR_TEST_LONG === '1';
const metricCount = isLong ? 1_000_000 : 30_000;
const patternCount = isLong ? 1_000_000 : 4_000;
const keyCount = isLong ? 1_000_000 : 6_000;
const scope = { accountId: '000000000000', region: 'us-east-1' };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** How many megabytes the heap has grown between a half and all of the work, once everything is at its bounds. */
function grownBy(count: number, work: (i: number) => void): number {
  for (let i = 0; i < count / 2; i++) work(i);
  const half = heapMb();
  for (let i = count / 2; i < count; i++) work(i);
  return heapMb() - half;
}

async function opened() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const db = await Stator.open({ clock, observe: true, physics: 'off' });
  return { clock, db };
}

function event(input: object, name?: string): RequestEvent {
  return {
    ...{ operation: 'Query', input, touches: [], charges: [], returnedItems: 0, readItems: 0, readBytes: 0 },
    ...{ durationMs: 1, isInjected: false, isReplay: false, isStale: false },
    pattern: name,
    caller: processCaller({ ...scope, accessKeyId: 'a', authorize: undefined, requestId: 'r' }),
    outcome: { kind: 'answered' },
  };
}

describe('very many', () => {
  it.each(['names of metrics', 'values of dimensions'])('%s are dropped and counted', async (what) => {
    const { clock, db } = await opened();
    const grown = grownBy(metricCount, (i) => {
      if (i % 100 === 0) clock.advanceMs(1_000);
      const name = what === 'names of metrics' ? `metric ${i}` : 'metric';
      const dimensions = what === 'names of metrics' ? [] : [{ name: 'Customer', value: `c${i}` }];
      db.observation.record({ ...scope, namespace: 'App', name, dimensions }, 'Count', i, 1, clock.nowMs());
    });
    const { memory } = db.observation;
    expect(memory.size).toBeLessThanOrEqual(metricBounds.seriesMax);
    expect(memory.dropped + memory.size).toBeGreaterThanOrEqual(metricCount);
    expect(grown).toBeLessThan(20);
    const { observation } = db;
    const text = await prometheusText([await observation.processMetrics(undefined)], observation.slices);
    expect(text).toContain(`stator_series_dropped_total ${memory.dropped}\n`);
    // The latest is there, and what is dropped answers nothing.
    const read = (i: number) =>
      db.observation.read(
        what === 'names of metrics'
          ? { ...scope, namespace: 'App', name: `metric ${i}`, dimensions: [] }
          : {
              ...{ ...scope, namespace: 'App', name: 'metric' },
              dimensions: [{ name: 'Customer', value: `c${i}` }],
            },
        0,
        Number.MAX_SAFE_INTEGER,
      );
    expect(await read(metricCount - 1)).toMatchObject([{ sum: metricCount - 1 }]);
    expect(await read(0)).toEqual([]);
    await db.close();
  });

  it('names of metrics leave a data directory too, and those that are used stay', async () => {
    const directory = await newDirectory();
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const put = (db: Stator, name: string) =>
      db.observation.record(
        { ...scope, namespace: 'App', name, dimensions: [] },
        'Count',
        1,
        1,
        clock.nowMs(),
      );
    let db = await Stator.open({ store: { directory }, clock, observe: true, physics: 'off' });
    const count = isLong ? metricCount : 12_000;
    for (let i = 0; i < count; i++) {
      put(db, `metric ${i}`);
      if (i % 4_000 !== 0) continue;
      clock.advanceMs(60_000);
      put(db, 'used');
      await db.observation.flush();
    }
    await db.observation.flush();
    expect(await storedNames(db)).toBeLessThanOrEqual(metricBounds.seriesMax);
    // A series that was dropped comes back, and is listed again.
    put(db, 'metric 0');
    await db.observation.flush();
    clock.advanceMs(60_000);
    await db.observation.flush();
    await db.close();
    db = await Stator.open({ store: { directory }, clock, observe: true, physics: 'off' });
    for (const name of ['used', 'metric 0', `metric ${count - 1}`])
      expect(await db.observation.list(scope, { name })).toHaveLength(1);
    expect(await db.observation.list(scope, { name: 'metric 1' })).toEqual([]);
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(['names of patterns', 'shapes of requests'])('%s are dropped and counted', async (what) => {
    const { clock, db } = await opened();
    const { patterns, memory } = db.observation;
    const grown = grownBy(patternCount, (i) => {
      if (i % 100 === 0) clock.advanceMs(1_000);
      patterns.request(
        what === 'names of patterns'
          ? event({ TableName: 'T' }, `pattern ${i}`)
          : event({ TableName: 'T', KeyConditionExpression: `a${i} = :v` }),
      );
    });
    expect(patterns.all().length).toBeLessThanOrEqual(patternsMax);
    expect(patterns.dropped + patterns.all().length).toBe(patternCount);
    expect(memory.size).toBeLessThanOrEqual(metricBounds.seriesMax);
    expect(grown).toBeLessThan(20);
    await db.close();
  });

  it('keys are ranked in the memory of a few hundred', async () => {
    const { clock, db } = await opened();
    await db.createTable({
      ...{ TableName: 'Orders', BillingMode: 'PAY_PER_REQUEST' },
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    });
    await db.updateContributorInsights({ TableName: 'Orders', ContributorInsightsAction: 'ENABLE' });
    for (let i = 0; i < keyCount; i++) {
      // One key in ten is the same, so that it is heavier than all that is lost.
      const S = i % 10 === 0 ? 'hot' : `k${i}`;
      await db.getItem({ TableName: 'Orders', Key: { pk: { S } } });
    }
    const at = { account: scope.accountId, region: scope.region };
    const record = await db.engine.catalogue.record(at, 'Orders');
    const report = await reportInsights(db.observation, db.engine, at, record!, clock.nowMs(), 60);
    const { contributors, total } = report.resources[0]!.rules.find(({ kind }) => kind === 'PKC')!;
    expect(total).toBe(keyCount / 2);
    const [hot] = contributors;
    const exact = keyCount / 20;
    expect(hot!.keys).toEqual(['hot']);
    expect(hot!.value).toBeLessThanOrEqual(exact);
    expect(hot!.atMost).toBeGreaterThanOrEqual(exact);
    expect(exact - hot!.value).toBeLessThanOrEqual(total / 257);
    await db.close();
  });
});
