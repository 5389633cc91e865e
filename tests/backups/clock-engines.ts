import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DescribeExportCommand, ExportTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject } from 'vitest';
import { type AttributeMapInput, Stator, VirtualClock } from '../../src/index.ts';
import type { MaybePromise } from '../../src/model/maybe-promise.ts';
import type { StoreChoice } from '../../src/open-store.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';

export const TableName = 'orders';
export const tableArn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
export const startMs = Date.UTC(2026, 10, 18, 12);
export const dayMs = 86_400_000;

/** A store in memory that several engines use as processes use a shared one. */
class SharedMemory extends InterceptedStore {
  override readonly exclusive = false;

  constructor() {
    super(new MemoryStore());
  }

  protected override intercept<T>(_: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    return run();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Engines on one store, each with a clock of its own. */
export class ClockEngines {
  readonly buckets: string;
  readonly #directory: string;
  readonly #store: StoreChoice;
  readonly #open: Stator[] = [];

  private constructor(directory: string, store: StoreChoice) {
    this.#directory = directory;
    this.buckets = join(directory, 'buckets');
    this.#store = store;
  }

  static async on(kind: StoreKind): Promise<ClockEngines> {
    const directory = await newDirectory();
    await mkdir(join(directory, 'buckets', 'data'), { recursive: true });
    return new ClockEngines(
      directory,
      kind === 'memory'
        ? new SharedMemory()
        : kind === 'lmdb'
          ? { directory: join(directory, 'db'), shared: true, durability: 'relaxed' }
          : { url: inject('postgresUrl'), schema: freshSchema() },
    );
  }

  async open(skewMs = 0): Promise<Engine> {
    const clock = new VirtualClock(startMs + skewMs);
    const db = await Stator.open({ store: this.#store, clock, s3: { directory: this.buckets } });
    this.#open.push(db);
    return { db, clock };
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((db) => db.close()));
    await rm(this.#directory, { recursive: true, force: true });
  }
}

export const storeKinds = ['memory', 'lmdb', 'postgres'] as const;
export type StoreKind = (typeof storeKinds)[number];

export interface Engine {
  readonly db: Stator;
  readonly clock: VirtualClock;
}

export async function createTable(db: Stator): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
}

export function recover(db: Stator, RecoveryPeriodInDays = 35) {
  return db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays },
  });
}

export function put(db: Stator, pk: string, v: string) {
  return db.putItem({ TableName, Item: { pk: { S: pk }, v: { S: v } } });
}

export async function backUp(db: Stator, BackupName = 'backup'): Promise<string> {
  const { BackupArn } = (await db.createBackup({ TableName, BackupName })).BackupDetails;
  await db.settled();
  return BackupArn;
}

let restored = 0;

export async function inBackup(db: Stator, BackupArn: string): Promise<Record<string, string>> {
  const target = `from-backup-${++restored}`;
  await db.restoreTableFromBackup({ BackupArn, TargetTableName: target });
  await db.settled();
  return valuesIn(db, target);
}

/** What a restore to a time holds, in milliseconds; without one to the latest time. */
export async function inRestore(db: Stator, ms?: number): Promise<Record<string, string>> {
  const target = `to-a-time-${++restored}`;
  await db.restoreTableToPointInTime({
    SourceTableName: TableName,
    TargetTableName: target,
    ...(ms === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: ms / 1000 }),
  });
  await db.settled();
  return valuesIn(db, target);
}

/** The value `v` of each item, by its key. */
export async function valuesIn(db: Pick<Stator, 'scan'>, name = TableName): Promise<Record<string, string>> {
  const values: [string, string][] = [];
  let key: AttributeMapInput | undefined;
  do {
    const page = await db.scan({
      TableName: name,
      ConsistentRead: true,
      ...(key && { ExclusiveStartKey: key }),
    });
    for (const { pk, v } of page.Items ?? []) values.push([pk!.S!, v!.S!]);
    key = page.LastEvaluatedKey;
  } while (key !== undefined);
  return Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A line of an export. */
export interface Line {
  readonly Item?: Readonly<Record<string, { readonly S: string }>>;
  readonly NewImage?: Readonly<Record<string, { readonly S: string }>>;
}

type ExportInput = Partial<ConstructorParameters<typeof ExportTableToPointInTimeCommand>[0]>;

/** The lines of an export, and its description. */
export async function exported(db: Stator, buckets: string, input: ExportInput = {}) {
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
