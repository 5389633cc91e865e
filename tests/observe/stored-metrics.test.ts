import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import type { Hash16 } from '../../src/model/keys/keys.ts';
import { toHex } from '../../src/model/values/hex.ts';
import { MetricStore } from '../../src/observe/metric-store.ts';
import { type MinutePoint, percentileOf } from '../../src/observe/minute-point.ts';
import { StoredMetrics } from '../../src/observe/stored-metrics.ts';
import type { Store, Unit } from '../../src/storage/store.ts';
import { runChild } from '../run-child.ts';
import { newDirectory } from '../storage/directories.ts';

const startMs = Date.UTC(2026, 0, 1);
const scope = { accountId: '000000000000', region: 'us-east-1' };
const hits = { ...scope, namespace: 'Shop', name: 'Hits', dimensions: [] };
const directories: string[] = [];
const open: Stator[] = [];

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

describe('metrics on a durable store', () => {
  it('outlive the process, with percentiles and states', async () => {
    const directory = await place();
    const clock = new VirtualClock(startMs);
    const first = await opened(directory, clock);
    await first.createTable({
      TableName: 'Orders',
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 7, WriteCapacityUnits: 3 },
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    });
    await first.settled();
    for (let i = 0; i < 100; i++) {
      first.observation.record(hits, 'Count', i, 1, clock.nowMs());
      await first.putItem({ TableName: 'Orders', Item: { pk: { S: String(i) } } });
      clock.advanceMs(60_000);
    }
    const before = await read(first);
    expect(before).toHaveLength(100);
    await first.observation.list(scope);
    await first.close();

    // A value that is late meets minutes that only the store has.
    const second = await opened(directory, clock);
    second.observation.record(hits, 'Count', 1_000, 1, startMs);
    second.observation.record(hits, 'Count', 5, 1, clock.nowMs());
    const after = await read(second);
    expect(after.map(plain)).toEqual([
      [0, 2, 1_000, 0, 1_000],
      ...before.slice(1).map(plain),
      [100, 1, 5, 5, 5],
    ]);
    const [whole] = await second.observation.read(hits, startMs / 60_000, startMs / 60_000 + 100, 100);
    expect(percentileOf(whole!, 0.5)! / 49).toBeCloseTo(1, 1);
    const provisioned = await second.observation.read(
      {
        ...scope,
        namespace: 'AWS/DynamoDB',
        name: 'ProvisionedReadCapacityUnits',
        dimensions: [{ name: 'TableName', value: 'Orders' }],
      },
      startMs / 60_000 + 95,
      startMs / 60_000 + 105,
    );
    expect(provisioned.map(({ sum }) => sum)).toEqual([7, 7]);
    const inUse = await second.observation.read(
      {
        ...scope,
        namespace: 'AWS/Usage',
        name: 'AccountProvisionedReadCapacityUnits',
        dimensions: Object.entries({
          ...{ Class: 'None', Resource: 'AccountProvisionedReadCapacityUnits' },
          ...{ Service: 'DynamoDB', Type: 'Resource' },
        }).map(([name, value]) => ({ name, value })),
      },
      startMs / 60_000 + 95,
      startMs / 60_000 + 105,
    );
    expect(inUse.map(({ sum }) => sum)).toEqual([7, 7]);
    const names = await second.observation.list(scope, { name: 'ConsumedWriteCapacityUnits' });
    expect(names).toHaveLength(1);
    expect((await second.check()).findings).toEqual([]);
  });

  it('let minutes older than fifteen days go', async () => {
    const directory = await place();
    const clock = new VirtualClock(startMs);
    const first = await opened(directory, clock);
    first.observation.record(hits, 'Count', 1, 1, clock.nowMs());
    await first.close();
    clock.advanceMs(16 * 86_400_000);
    const second = await opened(directory, clock);
    second.observation.record({ ...hits, name: 'Others' }, 'Count', 1, 1, clock.nowMs());
    expect(await read(second)).toEqual([]);
    await second.close();
    const third = await opened(directory, clock);
    expect((await third.observation.list(scope, { namespace: 'Shop' })).map(({ name }) => name)).toEqual([
      'Others',
    ]);
  });

  it('are as many series as the store has room for, whatever earlier processes left', async () => {
    const directory = await place();
    const clock = new VirtualClock(startMs);
    const record = (db: Stator, name: string) =>
      db.observation.record({ ...hits, name }, 'Count', 1, 1, clock.nowMs());
    for (let life = 0; life < 3; life++) {
      const db = await opened(directory, clock);
      for (let i = 0; i < 10; i++) record(db, `life ${life}, metric ${i}`);
      await db.close();
      clock.advanceMs(7 * 3_600_000);
    }
    const { engine } = await opened(directory, clock);
    const memory = new MetricStore({ nowMs: () => clock.nowMs() });
    const stored = new StoredMetrics({
      ...{ memory, store: engine.store, h16: engine.h16, nowMs: () => clock.nowMs(), seriesMax: 15 },
      ...{ process: new Uint8Array(8), stopwatchMs: () => 0 },
    });
    await stored.write();
    const names = (await stored.list(scope, { namespace: 'Shop' })).map(({ name }) => name);
    expect(names).toHaveLength(15);
    expect(names.filter((name) => name.startsWith('life 2'))).toHaveLength(10);
    expect(names.filter((name) => name.startsWith('life 0'))).toEqual([]);
  });

  it('are named once where the first write of a series has two chunks of time', async () => {
    const clock = new VirtualClock(startMs);
    const { store, h16 } = (await opened(await place(), clock)).engine;
    const units: string[][] = [];
    const noted = new Proxy(store, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        if (name !== 'transact') return found.bind(target);
        return (unit: Unit<unknown>) =>
          target.transact({
            ...unit,
            decide: (values) => {
              const decision = unit.decide(values);
              units.push(decision.mutations.flatMap((one) => ('key' in one ? [toHex(one.key)] : [])));
              return decision;
            },
          });
      },
    });
    const memory = new MetricStore({ nowMs: () => clock.nowMs() });
    const stored = new StoredMetrics({
      ...{ memory, store: noted, h16, nowMs: () => clock.nowMs() },
      ...{ process: new Uint8Array(8), stopwatchMs: () => 0 },
    });
    // A clock that is a day ahead, and is set right.
    stored.record(hits, 'Count', 1, 1, startMs + 86_400_000);
    stored.record(hits, 'Count', 2, 1, startMs);
    clock.advanceMs(2 * 86_400_000);
    await stored.write();
    const [puts] = units.filter(({ length }) => length > 1);
    expect(puts).toHaveLength(3);
    expect(new Set(puts).size).toBe(3);
  });

  it('that one of several processes drops go on for the others', async () => {
    const directory = await place();
    const clock = new VirtualClock(startMs);
    const [a, b] = [await opened(directory, clock, true), await opened(directory, clock, true)];
    a.observation.record(hits, 'Count', 1, 1, clock.nowMs());
    b.observation.record(hits, 'Count', 10, 1, clock.nowMs());
    clock.advanceMs(60_000);
    await a.observation.flush();
    await b.observation.flush();
    for (let i = 0; i < 10_000; i++)
      a.observation.record({ ...hits, name: `N${i}` }, 'Count', 1, 1, clock.nowMs());
    expect(a.observation.memory.find(hits)).toBeUndefined();
    await a.observation.flush();
    expect((await read(b)).map(({ sum }) => sum)).toEqual([10]);
    expect(await b.observation.list(scope, { name: 'Hits' })).toHaveLength(1);
  });

  it('are the sum over all processes that share the store', async () => {
    const directory = await place();
    const clock = new VirtualClock(startMs);
    const [a, b] = [await opened(directory, clock, true), await opened(directory, clock, true)];
    let expected = 0;
    for (let i = 0; i < 10; i++) {
      for (const db of [a, b]) {
        db.observation.record(hits, 'Count', i, 1, clock.nowMs());
        expected += i;
      }
      clock.advanceMs(60_000);
      await a.observation.flush();
    }
    // The minute under way of the other process counts too.
    b.observation.record(hits, 'Count', 100, 1, clock.nowMs());
    await b.observation.flush();
    const sum = (points: readonly MinutePoint[]) => points.reduce((total, point) => total + point.sum, 0);
    expect(sum(await read(a))).toBe(expected + 100);
    // What has been written as under way and then for good is counted once.
    clock.advanceMs(60_000);
    await b.observation.flush();
    expect(sum(await read(a))).toBe(expected + 100);
    await b.close();
    expect(sum(await read(a))).toBe(expected + 100);
  });

  describe('of a process that was killed', () => {
    /** A process on the store, without the database around it. */
    function processOn(store: Store, h16: Hash16, name: number, nowMs: () => number, stopwatchMs = () => 0) {
      const memory = new MetricStore({ nowMs });
      const process = new Uint8Array(8).fill(name);
      const metrics = new StoredMetrics({ memory, store, h16, nowMs, process, stopwatchMs });
      return { metrics, record: (value: number) => metrics.record(hits, 'Count', value, 1, nowMs()) };
    }

    const liveRows = async (store: Store) => {
      const { entries } = await store.range({
        from: Uint8Array.of(0x20, 0x6c),
        to: Uint8Array.of(0x20, 0x6d),
        limit: 100,
      });
      return entries.map(({ key }) => key[2]);
    };

    it('keep its minute under way, and its row goes once nobody writes it any more', async () => {
      const clock = new VirtualClock(startMs);
      const { store, h16 } = (await opened(await place(), clock, true)).engine;
      let stopwatch = 0;
      const nowMs = () => clock.nowMs();
      const killed = processOn(store, h16, 1, nowMs);
      const living = processOn(store, h16, 2, nowMs);
      const looking = processOn(store, h16, 3, nowMs, () => stopwatch);
      for (const value of [1, 10]) {
        killed.record(value);
        await killed.metrics.write();
        living.record(100 * value);
        await living.metrics.write();
        clock.advanceMs(60_000);
      }
      const read = () => looking.metrics.read(hits, startMs / 60_000, startMs / 60_000 + 10);
      const before = (await read()).map(plain);
      expect(before).toEqual([
        [0, 2, 101, 1, 100],
        [1, 2, 1_010, 10, 1_000],
      ]);
      for (; stopwatch < 122_000; stopwatch += 61_000) {
        await looking.metrics.write();
        living.record(5);
        await living.metrics.write();
        expect(await liveRows(store)).toEqual([1, 2]);
      }
      await looking.metrics.write();
      expect(await liveRows(store)).toEqual([2]);
      expect((await read()).slice(0, 2).map(plain)).toEqual(before);

      // One that was only idle goes on, and nothing is counted twice.
      killed.record(7);
      await killed.metrics.write();
      await killed.metrics.write(true);
      expect((await read()).slice(0, 2).map(plain)).toEqual(before);
      expect((await read())[2]!.sum).toBe(7 + 5 * 2);
    });

    it('leave no row to a process that starts an hour later', async () => {
      const directory = await place();
      const child = runChild(new URL('./children/counting.ts', import.meta.url), [directory]);
      const counted = JSON.parse(await child.until((line) => line.startsWith('{'))) as { atMs: number };
      child.process.kill('SIGKILL');
      await child.ended;
      const clock = new VirtualClock(counted.atMs + 2 * 3_600_000);
      const db = await opened(directory, clock, true);
      expect(await liveRows(db.engine.store)).toHaveLength(1);
      db.observation.record(hits, 'Count', 1, 1, clock.nowMs());
      await db.observation.flush();
      expect(await liveRows(db.engine.store)).toHaveLength(1);
      clock.advanceMs(60_000);
      await db.close();
      const again = await opened(directory, clock, true);
      expect(await liveRows(again.engine.store)).toEqual([]);
      const minute = Math.floor(counted.atMs / 60_000);
      const points = await again.observation.read(hits, minute - 2, minute + 200);
      expect(points.reduce((sum, point) => sum + point.sum, 0)).toBe(3 + 4 + 1);
    });
  });
});

async function place(): Promise<string> {
  const directory = await newDirectory();
  directories.push(directory);
  return directory;
}

async function opened(directory: string, clock: VirtualClock, shared = false): Promise<Stator> {
  const db = await Stator.open({ store: { directory, shared }, clock, observe: true });
  open.push(db);
  return db;
}

function read(db: Stator): Promise<readonly MinutePoint[]> {
  return db.observation.read(hits, startMs / 60_000 - 10, startMs / 60_000 + 40_000);
}

function plain({ minute, count, sum, min, max }: MinutePoint): number[] {
  return [minute - startMs / 60_000, count, sum, min, max];
}
