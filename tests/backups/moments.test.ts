import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DescribeExportCommand, ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import {
  backUp,
  ClockEngines,
  createTable,
  dayMs,
  inBackup,
  inRestore,
  put,
  recover,
  type StoreKind,
  startMs,
  storeKinds,
  TableName,
  tableArn,
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

interface Line {
  readonly NewImage?: Readonly<Record<string, { readonly S: string }>>;
}

type ExportInput = Partial<ConstructorParameters<typeof ExportTableToPointInTimeCommand>[0]>;

/** The lines of an export, and its description. */
async function exported(db: Stator, buckets: string, input: ExportInput = {}) {
  const client = db.client();
  const { ExportDescription } = await client.send(
    new ExportTableToPointInTimeCommand({ TableArn: tableArn, S3Bucket: 'data', ...input }),
  );
  await db.settled();
  const { ExportArn } = ExportDescription!;
  const described = await client.send(new DescribeExportCommand({ ExportArn: ExportArn! }));
  expect(described.ExportDescription!.ExportStatus).toBe('COMPLETED');
  const own = described.ExportDescription!.ExportManifest!;
  const manifest = JSON.parse(await readFile(join(buckets, 'data', own), 'utf8')) as {
    manifestFilesS3Key: string;
  };
  const listed = await readFile(join(buckets, 'data', manifest.manifestFilesS3Key), 'utf8');
  const lines: Line[] = [];
  for (const line of listed.trim().split('\n')) {
    const { dataFileS3Key } = JSON.parse(line) as { dataFileS3Key: string };
    const text = gunzipSync(await readFile(join(buckets, 'data', dataFileS3Key))).toString();
    for (const each of text.trim().split('\n')) if (each !== '') lines.push(JSON.parse(each) as Line);
  }
  return { lines, description: described.ExportDescription! };
}

describe.each(storeKinds)('moments on %s', (kind) => {
  it('hold everything after the clock has gone back a day', async () => {
    const shared = await engines(kind);
    const { db, clock } = await shared.open();
    await createTable(db);
    await recover(db);
    clock.advanceMs(dayMs);
    for (let i = 0; i < 40; i++) await put(db, `early ${i}`, 'before');
    clock.advanceMs(-dayMs);
    const before = await valuesIn(db);
    expect(await inBackup(db, await backUp(db))).toEqual(before);
    expect(await inRestore(db)).toEqual(before);
    clock.advanceMs(30_000);
    for (let i = 0; i < 19; i++) await put(db, `late ${i}`, 'after');
    clock.advanceMs(60_000);
    const everything = await valuesIn(db);
    expect(Object.keys(everything)).toHaveLength(59);
    expect(await inBackup(db, await backUp(db))).toEqual(everything);
    expect(await inRestore(db)).toEqual(everything);
    const { lines } = await exported(db, shared.buckets);
    expect(lines).toHaveLength(59);
    // And looks at the past, which go by the clock.
    expect(await valuesIn(db.at(clock.nowMs()))).toEqual(everything);
    expect(await inRestore(db, clock.nowMs() - 60_001)).toEqual(before);
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
  });

  it.each([200, -200, 5_000, -5_000, dayMs, -dayMs])(
    'hold all that two servers acknowledged before, %i ms apart, and nothing later',
    async (skewMs) => {
      const shared = await engines(kind);
      const [a, b] = [await shared.open(), await shared.open(skewMs)];
      await createTable(a.db);
      await recover(a.db);
      for (let i = 0; i < 20; i++) {
        a.clock.advanceMs(1);
        b.clock.advanceMs(1);
        await put([a, b][i % 2]!.db, `item ${i % 7}`, `${i}`);
      }
      const before = await valuesIn(a.db);
      const { BackupArn } = (await a.db.createBackup({ TableName, BackupName: 'held' })).BackupDetails;
      for (let i = 0; i < 20; i++) await put([a, b][i % 2]!.db, `item ${i % 9}`, `later ${i}`);
      await a.db.settled();
      expect(await inBackup(a.db, BackupArn)).toEqual(before);
      const after = await valuesIn(b.db);
      expect(await inRestore(a.db)).toEqual(after);
      const { lines } = await exported(a.db, shared.buckets);
      expect(lines).toHaveLength(9);
      expect(await a.db.check()).toMatchObject({ clean: true, findings: [] });
    },
  );

  it('hold everything after a restart with a clock that was set back', async () => {
    const shared = await engines(kind);
    const first = await shared.open(dayMs);
    await createTable(first.db);
    await recover(first.db);
    first.clock.advanceMs(3_600_000);
    for (let i = 0; i < 20; i++) await put(first.db, `item ${i}`, 'first');
    await first.db.close();
    const { db, clock } = await shared.open();
    const everything = await valuesIn(db);
    expect(await valuesIn(db.at(clock.nowMs()))).toEqual(everything);
    expect(await inBackup(db, await backUp(db))).toEqual(everything);
    expect(await inRestore(db)).toEqual(everything);
    clock.advanceMs(60_000);
    await put(db, 'item 0', 'second');
    expect(await inRestore(db, clock.nowMs() - 1_000)).toEqual(everything);
    expect(await inRestore(db, clock.nowMs())).toEqual({ ...everything, 'item 0': 'second' });
  });

  it('give an incremental export what the one before has left, whatever the clocks do', async () => {
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
