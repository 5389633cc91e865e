import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeExportCommand,
  DescribeTableCommand,
  ExportTableToPointInTimeCommand,
  type ExportTableToPointInTimeCommandInput,
  ListExportsCommand,
  PutItemCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { FaultyStore, refuse } from '../storage/faulty-store.ts';
import { importAll, itemsOf, keyedByPk, type TransferDoor, throughBothDoors } from './doors.ts';

const arnOf = (TableName: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;

throughBothDoors('exports', (door) => {
  let tables = 0;
  const newTable = async () => {
    const TableName = `exported-${++tables}`;
    await door.client.send(new CreateTableCommand({ TableName, ...keyedByPk }));
    await door.client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    return TableName;
  };
  const put = (TableName: string, pk: string, v: string) =>
    door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, v: { S: v } } }));
  const exported = async (TableName: string, input: Partial<ExportTableToPointInTimeCommandInput> = {}) => {
    const { ExportDescription: begun } = await door.client.send(
      new ExportTableToPointInTimeCommand({ TableArn: arnOf(TableName), S3Bucket: 'data', ...input }),
    );
    expect(begun!.ExportStatus).toBe('IN_PROGRESS');
    await door.db.settled();
    return (await door.client.send(new DescribeExportCommand({ ExportArn: begun!.ExportArn! })))
      .ExportDescription!;
  };
  const failing = async (request: Promise<unknown>) =>
    (await request.then(
      () => undefined,
      (error: unknown) => error,
    )) as Error;

  it('of a whole table have the documented layout, and an import of them is the same table', async () => {
    const TableName = await newTable();
    const bytes = new Uint8Array([0, 255, 7]);
    await door.client.send(
      new PutItemCommand({
        TableName,
        Item: {
          pk: { S: 'é "quoted"\n' },
          n: { N: '-1.5E-3' },
          b: { B: bytes },
          set: { NS: ['1', '2'] },
          bs: { BS: [bytes] },
          map: { M: { l: { L: [{ BOOL: true }, { NULL: true }] }, empty: { S: '' } } },
        },
      }),
    );
    for (let from = 0; from < 1_200; from += 25)
      await door.client.send(
        new BatchWriteItemCommand({
          RequestItems: {
            [TableName]: Array.from({ length: 25 }, (_, i) => ({
              PutRequest: { Item: { pk: { S: `k${from + i}` }, v: { S: 'x'.repeat((from + i) % 50) } } },
            })),
          },
        }),
      );
    const before = await itemsOf(door, TableName);
    door.clock.advanceMs(5_000);
    const ExportTime = new Date(door.clock.nowMicros() / 1000);
    door.clock.advanceMs(5_000);
    await put(TableName, 'k1', 'later');
    await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'k2' } } }));
    const result = await exported(TableName, { ExportTime, S3Prefix: 'out' });
    const id = result.ExportArn!.split('/').at(-1)!;
    expect(id).toMatch(/^\d{14}-[0-9a-f]{8}$/);
    expect(result).toMatchObject({
      ExportStatus: 'COMPLETED',
      ExportType: 'FULL_EXPORT',
      ExportFormat: 'DYNAMODB_JSON',
      ItemCount: 1_201,
      ExportTime,
      ExportManifest: `out/AWSDynamoDB/${id}/manifest-summary.json`,
    });
    const { Table } = await door.client.send(new DescribeTableCommand({ TableName }));
    const folder = join(door.bucket, 'out', 'AWSDynamoDB', id);
    const [summary, files] = await manifests(folder);
    expect(summary).toEqual({
      version: '2020-06-30',
      exportArn: result.ExportArn,
      startTime: result.StartTime!.toISOString(),
      endTime: result.EndTime!.toISOString(),
      tableArn: arnOf(TableName),
      tableId: Table!.TableId,
      exportTime: ExportTime.toISOString(),
      s3Bucket: 'data',
      s3Prefix: 'out',
      s3SseAlgorithm: 'AES256',
      s3SseKmsKeyId: null,
      manifestFilesS3Key: `out/AWSDynamoDB/${id}/manifest-files.json`,
      billedSizeBytes: result.BilledSizeBytes,
      itemCount: 1_201,
      outputFormat: 'DYNAMODB_JSON',
    });
    expect(await readdir(folder)).toContain('_started');
    const lines = await linesOf(door, files);
    expect(lines).toHaveLength(1_201);
    const copy = await importAll(door, `out/AWSDynamoDB/${id}/data/`, { InputCompressionType: 'GZIP' });
    expect(copy).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 1_201 });
    expect(await itemsOf(door, copy.TableName)).toEqual(before);
    expect(await door.db.check()).toMatchObject({ clean: true });
  });

  it('of a window tell what became of each item', async () => {
    const TableName = await newTable();
    await put(TableName, 'changed', '1');
    await put(TableName, 'removed', '1');
    await put(TableName, 'untouched', '1');
    door.clock.advanceMs(60_000);
    const ExportFromTime = new Date(door.clock.nowMicros() / 1000);
    // Both ends of the window: the first belongs to it, the last does not.
    await put(TableName, 'new', '1');
    await put(TableName, 'changed', '2');
    await put(TableName, 'passing', '1');
    await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'removed' } } }));
    door.clock.advanceMs(60_000);
    await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'passing' } } }));
    door.clock.advanceMs(14 * 60_000);
    const ExportToTime = new Date(door.clock.nowMicros() / 1000);
    await put(TableName, 'after', '1');
    door.clock.advanceMs(1_000);
    const window = { ExportFromTime, ExportToTime };
    const told = async (ExportViewType?: 'NEW_IMAGE') => {
      const result = await exported(TableName, {
        ExportType: 'INCREMENTAL_EXPORT',
        IncrementalExportSpecification: { ...window, ...(ExportViewType && { ExportViewType }) },
      });
      expect(result).toMatchObject({ ExportStatus: 'COMPLETED', ItemCount: 3 });
      const id = result.ExportArn!.split('/').at(-1)!;
      const [summary, files] = await manifests(join(door.bucket, 'AWSDynamoDB', id));
      expect(summary).toMatchObject({
        version: '2023-08-01',
        exportType: 'INCREMENTAL_EXPORT',
        exportFromTime: ExportFromTime.toISOString(),
        exportToTime: ExportToTime.toISOString(),
        outputView: ExportViewType ?? 'NEW_AND_OLD_IMAGES',
        s3Prefix: null,
      });
      expect(files.every(({ dataFileS3Key }) => dataFileS3Key.startsWith('AWSDynamoDB/data/'))).toBe(true);
      const lines = await linesOf(door, files);
      for (const { Metadata } of lines) {
        const ms = Number(Metadata.WriteTimestampMicros.N) / 1000;
        expect(ms).toBeGreaterThanOrEqual(ExportFromTime.getTime());
        expect(ms).toBeLessThan(ExportToTime.getTime());
      }
      return Object.fromEntries(
        lines.map(({ Keys, OldImage, NewImage }) => [Keys.pk.S, [OldImage?.v.S, NewImage?.v.S]]),
      );
    };
    expect(await told()).toEqual({
      new: [undefined, '1'],
      changed: ['1', '2'],
      removed: ['1', undefined],
    });
    expect(await told('NEW_IMAGE')).toEqual({
      new: [undefined, '1'],
      changed: [undefined, '2'],
      removed: [undefined, undefined],
    });
    // Without an end the window ends now.
    door.clock.advanceMs(1_000);
    const open = await exported(TableName, {
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: { ExportFromTime },
    });
    const now = new Date(Math.floor(door.clock.nowMicros() / 1000));
    expect(open).toMatchObject({
      ...{ ExportStatus: 'COMPLETED', ItemCount: 4 },
      IncrementalExportSpecification: { ExportFromTime, ExportToTime: now },
    });
    const [summary] = await manifests(join(door.bucket, 'AWSDynamoDB', open.ExportArn!.split('/').at(-1)!));
    expect(summary).toMatchObject({ exportToTime: now.toISOString() });
  });

  it('of an empty table have one file without lines', async () => {
    const TableName = await newTable();
    const result = await exported(TableName, { S3Prefix: 'of/nothing/' });
    expect(result).toMatchObject({ ExportStatus: 'COMPLETED', ItemCount: 0, S3Prefix: 'of/nothing/' });
    const id = result.ExportArn!.split('/').at(-1)!;
    const [, files] = await manifests(join(door.bucket, 'of', 'nothing', 'AWSDynamoDB', id));
    expect(files.map(({ itemCount }) => itemCount)).toEqual([0]);
  });

  it('end FAILED if there is no bucket, or a folder cannot be made', async () => {
    const long = await exported(await newTable(), { S3Prefix: 'x'.repeat(300) });
    expect(long).toMatchObject({ ExportStatus: 'FAILED', FailureCode: 'S3Error' });
    const result = await exported(await newTable(), { S3Bucket: 'nowhere' });
    expect(result).toMatchObject({ ExportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' });
    expect(result.ExportManifest).toBeUndefined();
  });

  it('need recovery, a time of the window, and a window of 15 minutes to 24 hours', async () => {
    const TableName = await newTable();
    const send = (input: Partial<ExportTableToPointInTimeCommandInput>) =>
      failing(
        door.client.send(
          new ExportTableToPointInTimeCommand({ TableArn: arnOf(TableName), S3Bucket: 'data', ...input }),
        ),
      );
    await door.client.send(new CreateTableCommand({ TableName: 'unrecoverable', ...keyedByPk }));
    expect((await send({ TableArn: arnOf('unrecoverable') })).name).toBe(
      'PointInTimeRecoveryUnavailableException',
    );
    expect(await send({ TableArn: arnOf('nothing') })).toMatchObject({
      name: 'TableNotFoundException',
      message: `Table not found: ${arnOf('nothing')}`,
    });
    const now = door.clock.nowMicros() / 1000;
    expect((await send({ ExportTime: new Date(now - 3_600_000) })).name).toBe('InvalidExportTimeException');
    expect((await send({ ExportTime: new Date(now + 3_600_000) })).name).toBe('InvalidExportTimeException');
    expect((await send({ ExportFormat: 'ION' })).message).toContain('ION');
    for (const minutes of [14, 25 * 60])
      expect(
        (
          await send({
            ExportType: 'INCREMENTAL_EXPORT',
            IncrementalExportSpecification: {
              ExportFromTime: new Date(now - minutes * 60_000),
              ExportToTime: new Date(now),
            },
          })
        ).message,
      ).toContain('15 minutes');
    const ExportArn = `${arnOf('none')}/export/01700000000000-00000000`;
    expect((await failing(door.client.send(new DescribeExportCommand({ ExportArn })))).name).toBe(
      'ExportNotFoundException',
    );
  });

  it('are one export for one token, and are listed', async () => {
    const TableName = await newTable();
    const first = await exported(TableName, { ClientToken: 'the-token' });
    const again = await door.client.send(
      new ExportTableToPointInTimeCommand({
        TableArn: arnOf(TableName),
        S3Bucket: 'data',
        ClientToken: 'the-token',
      }),
    );
    expect(again.ExportDescription!.ExportArn).toBe(first.ExportArn);
    const other = await failing(
      door.client.send(
        new ExportTableToPointInTimeCommand({
          TableArn: arnOf(TableName),
          S3Bucket: 'elsewhere',
          ClientToken: 'the-token',
        }),
      ),
    );
    expect(other.name).toBe('ExportConflictException');
    door.clock.advanceMs(1_000);
    const second = await exported(TableName);
    const { ExportSummaries } = await door.client.send(
      new ListExportsCommand({ TableArn: arnOf(TableName) }),
    );
    expect(ExportSummaries!.map(({ ExportArn }) => ExportArn)).toEqual([second.ExportArn, first.ExportArn]);
    const page = await door.client.send(
      new ListExportsCommand({ TableArn: arnOf(TableName), MaxResults: 1 }),
    );
    const rest = await door.client.send(
      new ListExportsCommand({ TableArn: arnOf(TableName), NextToken: page.NextToken! }),
    );
    expect(rest.ExportSummaries!.map(({ ExportArn }) => ExportArn)).toEqual([first.ExportArn]);
  });
});

interface ManifestFile {
  readonly itemCount: number;
  readonly md5Checksum: string;
  readonly etag: string;
  readonly dataFileS3Key: string;
}

/** The manifests of an export, whose checksums are right. */
async function manifests(folder: string): Promise<[Record<string, unknown>, ManifestFile[]]> {
  const read = async (name: string) => {
    const text = await readFile(join(folder, `${name}.json`));
    expect(await readFile(join(folder, `${name}.checksum`), 'utf8')).toBe(
      createHash('md5').update(text).digest('base64'),
    );
    return text.toString();
  };
  const files = (await read('manifest-files')).trimEnd().split('\n');
  return [
    JSON.parse(await read('manifest-summary')) as Record<string, unknown>,
    files.map((line) => JSON.parse(line) as ManifestFile),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: lines of JSON, looked at member by member.
async function linesOf({ bucket }: TransferDoor, files: readonly ManifestFile[]): Promise<any[]> {
  const lines: unknown[] = [];
  for (const { dataFileS3Key, md5Checksum, itemCount, etag } of files) {
    const packed = await readFile(join(bucket, dataFileS3Key));
    expect(createHash('md5').update(packed).digest('base64')).toBe(md5Checksum);
    expect(createHash('md5').update(packed).digest('hex')).toBe(etag);
    const own = gunzipSync(packed).toString().split('\n').slice(0, -1);
    expect(own).toHaveLength(itemCount);
    lines.push(...own.map((line) => JSON.parse(line) as unknown));
  }
  return lines;
}

it('an export is committed with the note that keeps its past, in one unit', async () => {
  let isAsked = false;
  // A process that stands still behind its first commit must leave nothing that another one could take for forgotten.
  const store = new FaultyStore(new MemoryStore(), [
    { method: 'transact', where: () => isAsked, from: 2, effect: refuse('unavailable') },
  ]);
  const directory = await newDirectory();
  await mkdir(join(directory, 'data'));
  const db = await Stator.open({ store, s3: { directory }, log: () => {} });
  const TableName = 'tab';
  await db.createTable({ TableName, ...keyedByPk });
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  await db.settled();
  isAsked = true;
  const { ExportDescription: begun } = await db.exportTableToPointInTime({
    TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
    S3Bucket: 'data',
  });
  expect((await db.describeExport({ ExportArn: begun.ExportArn! })).ExportDescription).toMatchObject({
    ExportStatus: 'IN_PROGRESS',
  });
  isAsked = false;
  await db.close();
  await rm(directory, { recursive: true });
});
