import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';

const accounts = { a: '111111111111', b: '222222222222', none: '000000000000' } as const;
type Name = keyof typeof accounts;

let root: string;
let db: Stator;

beforeEach(async () => {
  root = await newDirectory();
  for (const bucket of ['one', 'two']) await mkdir(join(root, bucket));
  db = await Stator.open({ s3: { directory: root } });
});
afterEach(() => db.close());

const definition = (TableName: string) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
});

/** Exports a table of an account, and returns how that ended. */
async function exported(name: Name, bucket: string, S3BucketOwner?: string) {
  const options = { accountId: accounts[name] };
  const TableName = 'orders';
  const { TableNames } = await db.listTables({}, options);
  if (TableNames.length === 0) {
    await db.createTable(definition(TableName), options);
    await db.updateContinuousBackups(
      { TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
      options,
    );
    await db.putItem({ TableName, Item: { pk: { S: `of ${name}` } } }, options);
  }
  const { ExportDescription } = await db.exportTableToPointInTime(
    {
      TableArn: `arn:aws:dynamodb:us-east-1:${accounts[name]}:table/${TableName}`,
      S3Bucket: bucket,
      ...(S3BucketOwner !== undefined && { S3BucketOwner }),
    },
    options,
  );
  await db.settled();
  const ended = await db.describeExport({ ExportArn: ExportDescription.ExportArn! }, options);
  return ended.ExportDescription.FailureCode ?? ended.ExportDescription.ExportStatus;
}

let tables = 0;

/** Imports a bucket for an account, and returns how that ended. */
async function imported(name: Name, S3Bucket: string, S3BucketOwner?: string) {
  const options = { accountId: accounts[name] };
  const { ImportTableDescription } = await db.importTable(
    {
      S3BucketSource: { S3Bucket, ...(S3BucketOwner !== undefined && { S3BucketOwner }) },
      InputFormat: 'DYNAMODB_JSON',
      InputCompressionType: 'NONE',
      TableCreationParameters: definition(`copy-${++tables}`),
    },
    options,
  );
  await db.settled();
  const ended = await db.describeImport({ ImportArn: ImportTableDescription.ImportArn! }, options);
  return ended.ImportTableDescription.FailureCode ?? ended.ImportTableDescription.ImportStatus;
}

it('belong to the account whose export came first', async () => {
  expect(await exported('b', 'one')).toBe('COMPLETED');
  expect(await readFile(join(root, '.stator-owners', 'one'), 'utf8')).toBe(`${accounts.b}\n`);
  const written = await readdir(join(root, 'one'), { recursive: true });
  for (const other of ['a', 'none'] as const) {
    expect(await exported(other, 'one')).toBe('S3AccessDenied');
    expect(await imported(other, 'one')).toBe('S3AccessDenied');
    expect(await imported(other, 'one', accounts.b)).toBe('S3AccessDenied');
  }
  expect(await readdir(join(root, 'one'), { recursive: true })).toEqual(written);
  expect(await exported('b', 'one')).toBe('COMPLETED');
  expect(await imported('b', 'one')).not.toBe('S3AccessDenied');
});

it('have the owner that a request expects', async () => {
  expect(await exported('a', 'two', accounts.b)).toBe('S3AccessDenied');
  expect(await readdir(join(root, 'two'))).toEqual([]);
  expect(await exported('b', 'two', accounts.b)).toBe('COMPLETED');
  expect(await exported('b', 'two', accounts.a)).toBe('S3AccessDenied');
});

it('end an export with the reason if their owner cannot be read', async () => {
  await writeFile(join(root, '.stator-owners'), 'a file');
  await exported('a', 'two');
  const options = { accountId: accounts.a };
  const [latest] = (await db.listExports({}, options)).ExportSummaries!;
  const { ExportDescription } = await db.describeExport({ ExportArn: latest!.ExportArn! }, options);
  expect(ExportDescription.FailureMessage).toBe('The owner of two cannot be read: not a directory (ENOTDIR)');
});

it('belong to the default account, or to whom the operator gives them, if they have files', async () => {
  await writeFile(join(root, 'one', 'x.json'), '{"Item":{"pk":{"S":"a"}}}\n');
  expect(await imported('a', 'one')).toBe('S3AccessDenied');
  expect(await exported('a', 'one')).toBe('S3AccessDenied');
  expect(await imported('none', 'one')).toBe('COMPLETED');
  await mkdir(join(root, '.stator-owners'));
  await writeFile(join(root, '.stator-owners', 'one'), accounts.a);
  expect(await imported('a', 'one')).toBe('COMPLETED');
  expect(await imported('none', 'one')).toBe('S3AccessDenied');
});
