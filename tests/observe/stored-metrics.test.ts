import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { type MinutePoint, percentileOf } from '../../src/observe/minute-point.ts';
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
