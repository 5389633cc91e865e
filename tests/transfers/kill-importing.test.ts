import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeImportCommand, ImportTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { startServer } from '../engine/child-server.ts';
import { newDirectory } from '../storage/directories.ts';
import { keyedByPk } from './doors.ts';

const rows = 12_000;

it('an import that is killed goes on and counts every row once', async () => {
  const root = await newDirectory();
  try {
    const bucket = join(root, 'buckets', 'data');
    await mkdir(bucket, { recursive: true });
    for (let object = 0; object < 3; object++) {
      let text = '';
      for (let row = object; row < rows; row += 3) text += `{"Item":{"pk":{"S":"k${row}"}}}\n`;
      await writeFile(join(bucket, `${object}.json`), `${text}{"Item":{}}\n`);
    }
    const store = { directory: join(root, 'db'), durability: 'relaxed' } as const;
    let server = await startServer(store, join(root, 'buckets'));
    const { ImportTableDescription: begun } = await server.client.send(
      new ImportTableCommand({
        S3BucketSource: { S3Bucket: 'data' },
        InputFormat: 'DYNAMODB_JSON',
        TableCreationParameters: { TableName: 'imported', ...keyedByPk },
      }),
    );
    const described = async () =>
      (await server.client.send(new DescribeImportCommand({ ImportArn: begun!.ImportArn! })))
        .ImportTableDescription!;
    let interrupted = 0;
    for (const target of [1_000, 5_000, 9_000]) {
      while ((await described()).ProcessedItemCount! < target);
      if ((await described()).ImportStatus === 'IN_PROGRESS') interrupted++;
      await server.kill();
      server = await startServer(store, join(root, 'buckets'));
    }
    while ((await described()).ImportStatus === 'IN_PROGRESS');
    expect(await described()).toMatchObject({
      ImportStatus: 'FAILED',
      FailureCode: 'ItemValidationError',
      ProcessedItemCount: rows + 3,
      ImportedItemCount: rows,
      ErrorCount: 3,
    });
    await server.kill();
    // On a machine that is much faster at importing than at killing there would be nothing to see.
    expect(interrupted).toBeGreaterThan(0);
    const db = await Stator.open({ store });
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
    const { Table } = await db.describeTable({ TableName: 'imported' });
    expect([Table!.TableStatus, Table!.ItemCount]).toEqual(['ACTIVE', rows]);
    await db.close();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
