import { afterEach, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import {
  ClockEngines,
  createTable,
  dayMs,
  inRestore,
  put,
  recover,
  startMs,
  TableName,
  valuesIn,
} from './clock-engines.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

it('a clock of a machine that is years ahead is logged, and no old image is forgotten', async () => {
  const machine = { nowMs: startMs };
  const lines: string[] = [];
  const store = new MemoryStore();
  const db = await Stator.open({
    store,
    clock: { nowMicros: () => machine.nowMs * 1000 },
    log: (line) => lines.push(line),
  });
  ends.push(() => db.close());
  const look = async () => {
    db.engine.past.keeper.wake();
    await db.settled();
  };
  await createTable(db);
  await recover(db);
  const states: [ms: number, items: Record<string, string>][] = [];
  for (let day = 0; day < 4; day++) {
    for (let i = 0; i < 10; i++) await put(db, `item ${i}`, `day ${day}`);
    states.push([machine.nowMs, await valuesIn(db)]);
    for (let i = 0; i < 4; i++) {
      machine.nowMs += dayMs / 4;
      await look();
    }
  }
  machine.nowMs += 1_500 * dayMs;
  await look();
  await put(db, 'item 0', 'ahead');
  machine.nowMs += dayMs / 2;
  await look();
  expect(lines.join('\n')).toMatch(/1500 days after the last time that this store knows/);
  machine.nowMs -= 1_500 * dayMs;
  await put(db, 'item 1', 'right again');
  expect(lines.join('\n')).toMatch(/before the latest writes of table orders/);
  for (const [ms, items] of states) {
    expect(await valuesIn(db.at(ms))).toEqual(items);
    expect(await inRestore(db, ms)).toEqual(items);
  }
  expect(await valuesIn(db.at(machine.nowMs))).toEqual(await valuesIn(db));
  expect(await db.check()).toMatchObject({ clean: true, findings: [] });
});

it('recovery that is set anew while the clock is ahead keeps its window', async () => {
  const machine = { nowMs: startMs };
  const store = new MemoryStore();
  const clock = { nowMicros: () => machine.nowMs * 1000 };
  const db = await Stator.open({ store, clock, log: () => {} });
  ends.push(() => db.close());
  await createTable(db);
  await recover(db);
  await put(db, 'a', 'right');
  const before = machine.nowMs;
  machine.nowMs += 400 * dayMs;
  for (const RecoveryPeriodInDays of [20, 35])
    await db.updateContinuousBackups({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays },
    });
  machine.nowMs -= 400 * dayMs - 60_000;
  await put(db, 'a', 'later');
  expect(await valuesIn(db.at(before))).toEqual({ a: 'right' });
  expect(await inRestore(db, before)).toEqual({ a: 'right' });
});

it('a process that starts with an earlier clock than the last one wrote with begins an era', async () => {
  const shared = await ClockEngines.on('lmdb');
  ends.push(() => shared.close());
  const first = await shared.open();
  await createTable(first.db);
  await recover(first.db);
  first.clock.advanceMs(3_600_000);
  await put(first.db, 'a', 'first');
  await first.db.close();
  // Later than the beginning of the era, and earlier than its last write.
  const { db, clock } = await shared.open(1_800_000);
  expect(await valuesIn(db.at(clock.nowMs()))).toEqual({ a: 'first' });
  await put(db, 'b', 'second');
  clock.advanceMs(60_000);
  expect(await inRestore(db, clock.nowMs() - 30_000)).toEqual({ a: 'first', b: 'second' });
  expect(await inRestore(db, startMs + 1_000_000)).toEqual({});
});

it('the latest time that trails behind is not before the clock went back', async () => {
  const clock = new VirtualClock(startMs);
  const db = Stator.inMemory({ clock, physics: 'enforce' });
  ends.push(() => db.close());
  await createTable(db);
  clock.advanceMs(60_000);
  await recover(db);
  clock.advanceMs(2 * dayMs);
  for (let i = 0; i < 10; i++) await put(db, `item ${i}`, 'before');
  clock.advanceMs(-dayMs);
  await db.restoreTableToPointInTime({
    SourceTableName: TableName,
    TargetTableName: 'latest',
    UseLatestRestorableTime: true,
  });
  await db.settled();
  clock.advanceMs(13 * 60_000);
  expect(await valuesIn(db, 'latest')).toEqual(await valuesIn(db));
});

it('a transaction is whole at every time, also where one of its items is ahead of the clock', async () => {
  const clock = new VirtualClock(startMs);
  const db = Stator.inMemory({ clock });
  ends.push(() => db.close());
  await createTable(db);
  await recover(db);
  // Versions of an item have times of their own, so that these go beyond the millisecond at which the clock stands.
  for (let i = 0; i < 1_100; i++) await put(db, 'a', `${i}`);
  await db.transactWriteItems({
    TransactItems: ['a', 'b'].map((pk) => ({
      Put: { TableName, Item: { pk: { S: pk }, v: { S: 'both' } } },
    })),
  });
  expect(await valuesIn(db.at(startMs))).toEqual({ a: '999' });
  clock.advanceMs(1);
  expect(await valuesIn(db.at(startMs + 1))).toEqual({ a: 'both', b: 'both' });
});

it('a reader of the past outlives a clock that jumps before its job is written', async () => {
  const machine = { nowMs: startMs };
  const db = await Stator.open({
    store: new MemoryStore(),
    clock: { nowMicros: () => machine.nowMs * 1000 },
    log: () => {},
  });
  ends.push(() => db.close());
  await createTable(db);
  await recover(db);
  const scope = { account: '000000000000', region: db.region };
  const { past, catalogue } = db.engine;
  const now = async () => ({ at: 'now' }) as const;
  const held = await past.backups.hold(scope, TableName, 'aa', now, () => undefined);
  expect(held).toMatchObject({ source: { tableName: TableName } });
  for (const jump of [0, 2 * 60_000, dayMs]) {
    machine.nowMs += jump;
    past.keeper.wake();
    await db.settled();
    expect((await catalogue.record(scope, TableName))?.readers).toMatchObject([{ jobId: 'aa' }]);
  }
});
