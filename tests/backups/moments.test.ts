import { afterEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import {
  ClockEngines,
  createTable,
  dayMs,
  exported,
  inRestore,
  type Line,
  put,
  recover,
  type StoreKind,
  startMs,
  storeKinds,
  TableName,
  valuesIn,
} from './clock-engines.ts';

const all: ClockEngines[] = [];
afterEach(async () => {
  for (const engines of all.splice(0)) await engines.close();
});

async function engines(kind: StoreKind): Promise<ClockEngines> {
  const made = await ClockEngines.on(kind);
  all.push(made);
  return made;
}

describe.each(storeKinds)('exports on %s', (kind) => {
  it('give an incremental one what the one before has left, whatever the clocks do', async () => {
    const shared = await engines(kind);
    const [a, b] = [await shared.open(), await shared.open(-5_000)];
    await createTable(a.db);
    await recover(a.db);
    const told: string[] = [];
    const note = ({ lines }: { readonly lines: readonly Line[] }) => {
      for (const { NewImage } of lines) told.push(NewImage!.v!.S);
    };
    let number = 0;
    const write = async (engine: typeof a) => put(engine.db, `item ${number}`, `${++number}`);
    const full = await exported(a.db, shared.buckets);
    let from = full.description.ExportTime!;
    for (const step of [0, -10 * 60_000, 0, 7_200_000]) {
      for (let i = 0; i < 6; i++) {
        await write([a, b][i % 2]!);
        a.clock.advanceMs(200_000);
        b.clock.advanceMs(200_000);
      }
      a.clock.advanceMs(step);
      await write(a);
      const to = new Date(Math.max(a.clock.nowMs(), from.getTime() + 15 * 60_000));
      a.clock.advanceMs(Math.max(0, to.getTime() - a.clock.nowMs()));
      note(
        await exported(a.db, shared.buckets, {
          ExportType: 'INCREMENTAL_EXPORT',
          IncrementalExportSpecification: { ExportFromTime: from, ExportToTime: to },
        }),
      );
      from = to;
      // By this server's clock still within the window that was exported.
      await write(b);
    }
    a.clock.advanceMs(15 * 60_000);
    note(
      await exported(a.db, shared.buckets, {
        ExportType: 'INCREMENTAL_EXPORT',
        IncrementalExportSpecification: { ExportFromTime: from },
      }),
    );
    expect(told.map(Number).sort((x, y) => x - y)).toEqual(Array.from({ length: number }, (_, i) => i + 1));
  });
});

describe('old images', () => {
  it('are there for every time that is accepted, after a clock was in the future', async () => {
    const shared = await engines('memory');
    const { db, clock } = await shared.open();
    await createTable(db);
    await recover(db);
    for (let i = 0; i < 50; i++) await put(db, `item ${i}`, 'first');
    clock.advanceMs(3_600_000);
    for (let i = 0; i < 25; i++) await put(db, `item ${i}`, 'second');
    clock.advanceMs(dayMs);
    await db.settled();
    clock.advanceMs(100 * dayMs);
    await db.settled();
    await put(db, 'item 0', 'in the future');
    clock.advanceMs(-101 * dayMs + 3_600_000);
    await put(db, 'item 1', 'third');
    const healed = await valuesIn(db);
    const now = clock.nowMs();
    const { earliestMs } = await windowOf(db);
    expect(earliestMs).toBe(now);
    expect(await inRestore(db, now)).toEqual(healed);
    for (const ms of [startMs, startMs + 1_800_000, startMs + 3_600_000, now - 1_000])
      await expect(inRestore(db, ms)).rejects.toThrow('must be within');
    clock.advanceMs(60_000);
    await put(db, 'item 2', 'fourth');
    expect(await inRestore(db, now + 30_000)).toEqual(healed);
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
  });

  it('are refused to a process with another clock before they are deleted', async () => {
    const shared = await engines('memory');
    const [a, b] = [await shared.open(), await shared.open(100 * dayMs)];
    await createTable(a.db);
    await recover(a.db);
    for (let i = 0; i < 50; i++) await put(a.db, `item ${i}`, 'first');
    a.clock.advanceMs(3_600_000);
    for (let i = 0; i < 50; i++) await put(a.db, `item ${i}`, 'second');
    a.clock.advanceMs(dayMs);
    await a.db.settled();
    await put(a.db, 'item 0', 'third');
    const between = startMs + 1_800_000;
    expect(Object.keys(await inRestore(a.db, between))).toHaveLength(50);
    // The other process believes that all of this is long ago.
    b.db.engine.past.keeper.wake();
    await b.db.settled();
    await expect(inRestore(a.db, between)).rejects.toThrow('must be within');
    await expect(valuesIn(a.db.at(between))).rejects.toThrow('must be within');
    expect(await inRestore(a.db)).toEqual(await valuesIn(a.db));
    const { earliestMs } = await windowOf(a.db);
    expect(earliestMs).toBe(startMs + 3_600_000 + dayMs);
    expect(await inRestore(a.db, earliestMs)).toEqual(await valuesIn(a.db));
    expect(await a.db.check()).toMatchObject({ clean: true, findings: [] });
  });
});

async function windowOf(db: Stator): Promise<{ readonly earliestMs: number; readonly latestMs: number }> {
  const { PointInTimeRecoveryDescription: window } = (await db.describeContinuousBackups({ TableName }))
    .ContinuousBackupsDescription;
  return {
    earliestMs: window!.EarliestRestorableDateTime!.getTime(),
    latestMs: window!.LatestRestorableDateTime!.getTime(),
  };
}
