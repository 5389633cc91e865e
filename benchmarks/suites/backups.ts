import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stator } from '../../src/stator.ts';
import { createFollowed } from '../change-log/streams.ts';
import { median } from '../compare.ts';
import { filledDatabase, inFolder, paceOf } from '../growth/databases.ts';
import { builtStator } from '../http/built-package.ts';
import type { PlainItem } from '../http/in-process.ts';
import { Orders, tableDefinition, tableName } from '../http/items.ts';
import { LoadGenerator } from '../http/load-generator.ts';
import { ownMegabytes } from '../http/process-figures.ts';
import { type Lap, lap } from '../rates.ts';
import { grouped } from '../report.ts';
import { atLeast, atMost, type OnProgress, type Options, type Report, ratio, suiteOf } from '../suite.ts';

/** Exports, imports, backups and recovery: how fast, with how much memory, and what they cost whoever writes. */
export const backups = suiteOf({ transfers: transfersPart, writes: writesPart, recovery: recoveryPart });

const exportRateMin = 50_000;
const importToLoadMin = 0.6;
const restoreToImportMax = 2;
const memoryMax = 1.5;
const p99Max = 2;

const recoverable = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
const definition = tableDefinition as unknown as Parameters<Stator['createTable']>[0];

/**
 * One table on lmdb: loaded by BatchWriteItem over HTTP, exported, imported, backed up and restored. All of them have the same
 * global index. The load is that of `npm run bench -- load`, so that both rates come from one run.
 */
async function transfersPart(options: Options, onProgress: OnProgress): Promise<Report> {
  const items = options.items ?? (options.small ? 500 : 1_000_000);
  const { Stator: built } = await builtStator();
  return inFolder(async (folder) => {
    await mkdir(join(folder, 'buckets', 'bucket'), { recursive: true });
    const db = await built.open({
      ...{ store: { directory: join(folder, 'data') }, s3: { directory: join(folder, 'buckets') } },
    });
    const generator = new LoadGenerator();
    try {
      await db.createTable(definition);
      onProgress('load');
      const port = Number(new URL((await db.listen({ port: 0 })).url).port);
      const connections = options.connections ?? (options.small ? 4 : 16);
      const basis = { port, pid: process.pid, connections, items, seed: options.seed };
      const loaded = await generator.run({ ...basis, kind: 'load', from: 0, to: items });
      const steps: Step[] = [{ name: 'load', seconds: loaded.seconds, growth: undefined }];
      await db.updateContinuousBackups({ TableName: tableName, ...recoverable });
      const { Table } = await db.describeTable({ TableName: tableName });
      let manifest = '';
      const timed = async (name: string, work: () => Promise<void>) => {
        onProgress(name);
        steps.push({ name, ...(await watched(work)) });
      };
      await timed('export', async () => {
        const { ExportDescription: begun } = await db.exportTableToPointInTime({
          ...{ TableArn: Table!.TableArn!, S3Bucket: 'bucket' },
        });
        const done = await until(
          async () => (await db.describeExport({ ExportArn: begun!.ExportArn! })).ExportDescription!,
          ({ ExportStatus }) => ExportStatus !== 'IN_PROGRESS',
        );
        if (done.ItemCount !== items) throw new Error(`The export has ${done.ItemCount} of ${items} items`);
        manifest = done.ExportManifest!;
      });
      await timed('import', async () => {
        const { ImportTableDescription: begun } = await db.importTable({
          S3BucketSource: {
            ...{ S3Bucket: 'bucket', S3KeyPrefix: manifest.replace('manifest-summary.json', 'data/') },
          },
          ...{ InputFormat: 'DYNAMODB_JSON', InputCompressionType: 'GZIP' },
          TableCreationParameters: { ...definition, TableName: 'Imported' } as never,
        });
        const done = await until(
          async () => (await db.describeImport({ ImportArn: begun!.ImportArn! })).ImportTableDescription!,
          ({ ImportStatus }) => ImportStatus !== 'IN_PROGRESS',
        );
        if (done.ImportedItemCount !== items)
          throw new Error(`The import has ${done.ImportedItemCount} of ${items} items`);
      });
      let backupArn = '';
      await timed('backup', async () => {
        backupArn = await backUp(db);
      });
      await timed('restore', async () => {
        await db.restoreTableFromBackup({ BackupArn: backupArn, TargetTableName: 'Restored' });
        await until(
          async () => (await db.describeTable({ TableName: 'Restored' })).Table!,
          ({ TableStatus }) => TableStatus === 'ACTIVE',
        );
      });
      return transfersReport(items, steps);
    } finally {
      generator.stop();
      await db.close();
    }
  });
}

interface Step {
  readonly name: string;
  readonly seconds: number;
  /** The process's own memory in the second half of the step to that in the first. */
  readonly growth: number | undefined;
}

function transfersReport(items: number, steps: readonly Step[]): Report {
  const of = (name: string) => steps.find((step) => step.name === name)!;
  const rate = (name: string) => items / of(name).seconds;
  return {
    findings: [
      atLeast('export, lmdb: items a second', rate('export'), exportRateMin, '/s'),
      atLeast('import to load by BatchWriteItem, rate', ratio(rate('import'), rate('load')), importToLoadMin),
      atMost(
        'restore to import, time',
        ratio(of('restore').seconds, of('import').seconds),
        restoreToImportMax,
      ),
      ...['export', 'import'].map((name) =>
        atMost(`${name}: memory in its second half to that in its first`, of(name).growth ?? null, memoryMax),
      ),
    ],
    tables: [
      {
        title: `${grouped(items)} items with a global index, lmdb`,
        head: ['step', 'seconds', 'items/s'],
        rows: steps.map(({ name, seconds }) => [name, seconds.toFixed(2), grouped(items / seconds)]),
      },
    ],
    notes: [],
  };
}

/** How long work takes, and how its memory grows. */
async function watched(work: () => Promise<void>): Promise<Omit<Step, 'name'>> {
  const megabytes: number[] = [];
  const look = () => megabytes.push(ownMegabytes(process.pid) ?? 0);
  look();
  const timer = setInterval(look, 100);
  const began = performance.now();
  await work().finally(() => clearInterval(timer));
  const seconds = (performance.now() - began) / 1_000;
  look();
  const half = Math.ceil(megabytes.length / 2);
  const growth = Math.max(...megabytes.slice(half)) / Math.max(...megabytes.slice(0, half));
  return { seconds, growth };
}

async function backUp(db: Stator): Promise<string> {
  const { BackupDetails } = await db.createBackup({ TableName: tableName, BackupName: 'benchmark' });
  const BackupArn = BackupDetails!.BackupArn!;
  await until(
    async () => (await db.describeBackup({ BackupArn })).BackupDescription!,
    ({ BackupDetails: details }) => details!.BackupStatus !== 'CREATING',
  );
  return BackupArn;
}

async function until<R>(look: () => Promise<R>, isSo: (found: R) => boolean): Promise<R> {
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    await sleep(5);
  }
}

/** Puts one after the other by a few callers, with and without a backup under way, in turns. */
async function writesPart(options: Options, onProgress: OnProgress): Promise<Report> {
  const { small, seed } = options;
  const orders = new Orders(options.items ?? (small ? 200 : 100_000), seed);
  const { rounds } = paceOf({ ...options, rounds: options.rounds ?? (small ? 1 : 7) });
  const findings: Report['findings'][number][] = [];
  const rows: string[][] = [];
  for (const store of ['memory', 'lmdb'] as const)
    await inFolder(async (folder) => {
      const db = await filledDatabase(store === 'memory' ? undefined : join(folder, 'data'), orders);
      try {
        const ratios: number[] = [];
        for (let round = -1; round < rounds; round++) {
          onProgress(`writes, ${store}: round ${round + 1} of ${rounds}`);
          let isOver = false;
          const during = measurePuts(db, orders, () => !isOver);
          const began = performance.now();
          await backUp(db);
          isOver = true;
          const busy = await during;
          const until = performance.now() + (performance.now() - began);
          const quiet = await measurePuts(db, orders, () => performance.now() < until);
          if (round < 0) continue;
          ratios.push(busy.p99 / quiet.p99);
          rows.push([store, `${round + 1}`, ...[quiet, busy].flatMap(({ p50, p99 }) => [ms(p50), ms(p99)])]);
        }
        findings.push(
          atMost(`PutItem, ${store}: p99 while a backup is made to p99 without`, median(ratios), p99Max),
        );
      } finally {
        await db.close();
      }
    });
  const head = ['store', 'round', 'p50, ms', 'p99, ms', 'p50 during, ms', 'p99 during, ms'];
  return { findings, tables: [{ title: 'Puts during a backup', head, rows }], notes: [] };
}

function ms(value: number): string {
  return value.toFixed(3);
}

const putCallers = 4;
/** Callers pause, as programs do: a queue that is always full would wait for itself. */
const thinkMs = 1;

async function measurePuts(
  db: Stator,
  orders: Orders,
  goesOn: () => boolean,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const took: number[] = [];
  let turn = 0;
  const call = async () => {
    do {
      const Item = orders.item(turn++ % orders.count, 1) as PlainItem;
      const began = performance.now();
      await db.putItem({ TableName: tableName, Item });
      took.push(performance.now() - began);
      await sleep(thinkMs);
    } while (goesOn());
  };
  await Promise.all(Array.from({ length: putCallers }, call));
  took.sort((a, b) => a - b);
  const share = (of: number) => took[Math.min(took.length - 1, Math.floor(of * took.length))]!;
  return { p50: share(0.5), p99: share(0.99) };
}

/**
 * Puts that change items: to a table with recovery, to one with a stream of both images, and to one with neither. The
 * tables take short turns and are compared by processor time, because other programs slow the turns of one more than those
 * of another.
 */
async function recoveryPart(options: Options, onProgress: OnProgress): Promise<Report> {
  const { small, seed } = options;
  const orders = new Orders(options.items ?? (small ? 100 : 5_000), seed);
  const { seconds, rounds } = paceOf(options);
  const turnsInRound = small ? 1 : 10;
  const { Stator: built } = await builtStator();
  const findings: Report['findings'][number][] = [];
  const rows: string[][] = [];
  for (const { store, callers } of [
    { store: 'memory', callers: 1 },
    { store: 'lmdb', callers: small ? 4 : 64 },
  ] as const)
    await inFolder(async (folder) => {
      const db = await built.open(store === 'memory' ? {} : { store: { directory: folder } });
      try {
        const names = ['Plain', 'Followed', 'Recoverable'];
        await db.createTable({ ...definition, TableName: 'Plain' } as typeof definition);
        await createFollowed(db, { ...tableDefinition, TableName: 'Followed' });
        await db.createTable({ ...definition, TableName: 'Recoverable' } as typeof definition);
        await db.updateContinuousBackups({ TableName: 'Recoverable', ...recoverable });
        const turns = new Map<string, number>();
        const put = (TableName: string) => {
          const turn = turns.get(TableName) ?? 0;
          turns.set(TableName, turn + 1);
          const version = Math.floor(turn / orders.count);
          return db.putItem({ TableName, Item: orders.item(turn % orders.count, version) as PlainItem });
        };
        for (const name of names) for (let i = 0; i < orders.count; i++) await put(name);
        const laps = new Map(names.map((name) => [name, [] as Lap[]]));
        for (let round = -1; round < rounds; round++)
          for (let i = 0; i < turnsInRound; i++)
            for (const name of names) {
              onProgress(`recovery, ${store}: round ${round + 1} of ${rounds}`);
              const each = await lap(seconds / turnsInRound, () => put(name), callers);
              if (round >= 0) laps.get(name)!.push(each);
            }
        const [plain, followed, recovered] = names.map((name) => ({
          cpuMicros: median(laps.get(name)!.map(({ cpuMicros }) => cpuMicros)),
          rate: median(laps.get(name)!.map(({ rate }) => rate)),
        }));
        findings.push(
          atMost(
            `PutItem, ${store}: processor time with recovery to that with a stream`,
            ratio(recovered!.cpuMicros, followed!.cpuMicros),
            1,
          ),
        );
        for (const [title, { cpuMicros, rate }] of [
          ['neither', plain!],
          ['stream', followed!],
          ['recovery', recovered!],
        ] as const)
          rows.push([store, title, cpuMicros.toFixed(1), grouped(rate)]);
      } finally {
        await db.close();
      }
    });
  const head = ['store', 'the table has', 'CPU, µs a put', 'puts/s'];
  return { findings, tables: [{ title: 'Puts that change items', head, rows }], notes: [] };
}
