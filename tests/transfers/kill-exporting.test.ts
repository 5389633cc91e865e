import { readdirSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeExportCommand,
  ExportTableToPointInTimeCommand,
  PutItemCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { startServer } from '../engine/child-server.ts';
import { newDirectory } from '../storage/directories.ts';
import { keyedByPk } from './doors.ts';

const TableName = 'exported';
/** Two data files and a piece of a third. */
const items = 1_600;
const filling = 'x'.repeat(11_000);

it('an export that is killed goes on, and has every item of its moment once', async () => {
  const root = await newDirectory();
  try {
    const bucket = join(root, 'buckets', 'data');
    await mkdir(bucket, { recursive: true });
    const store = { directory: join(root, 'db'), durability: 'relaxed' } as const;
    let server = await startServer(store, join(root, 'buckets'));
    await server.client.send(new CreateTableCommand({ TableName, ...keyedByPk }));
    await server.client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    for (let from = 0; from < items; from += 25)
      await server.client.send(
        new BatchWriteItemCommand({
          RequestItems: {
            [TableName]: Array.from({ length: 25 }, (_, i) => ({
              PutRequest: {
                Item: { pk: { S: `k${from + i}` }, v: { S: 'before' }, filling: { S: filling } },
              },
            })),
          },
        }),
      );
    const { ExportDescription: begun } = await server.client.send(
      new ExportTableToPointInTimeCommand({
        TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
        S3Bucket: 'data',
      }),
    );
    const described = async () =>
      (await server.client.send(new DescribeExportCommand({ ExportArn: begun!.ExportArn! })))
        .ExportDescription!;
    const written = () =>
      readdirSync(bucket, { recursive: true }).filter((name) => /\.gz$/.test(String(name)));
    let interrupted = 0;
    for (const files of [0, 1]) {
      while (written().length < files && (await described()).ExportStatus === 'IN_PROGRESS');
      if ((await described()).ExportStatus === 'IN_PROGRESS') interrupted++;
      await server.kill();
      server = await startServer(store, join(root, 'buckets'));
      // What is written after the moment of the export is no part of it.
      for (const pk of ['k0', 'k1200', 'later'])
        await server.client.send(
          new PutItemCommand({ TableName, Item: { pk: { S: pk }, v: { S: 'after' } } }),
        );
    }
    while ((await described()).ExportStatus === 'IN_PROGRESS');
    const done = await described();
    expect(done).toMatchObject({ ExportStatus: 'COMPLETED', ItemCount: items });
    expect(interrupted).toBeGreaterThan(0);
    const textOf = async (key: string) => (await readFile(join(bucket, key))).toString();
    const { manifestFilesS3Key } = JSON.parse(await textOf(done.ExportManifest!)) as Record<string, string>;
    const keys = new Set<string>();
    let lines = 0;
    const named = (await textOf(manifestFilesS3Key!)).trim().split('\n');
    for (const { dataFileS3Key } of named.map((line) => JSON.parse(line) as { dataFileS3Key: string }))
      for (const line of gunzipSync(await readFile(join(bucket, dataFileS3Key)))
        .toString()
        .trim()
        .split('\n')) {
        const { Item } = JSON.parse(line) as { Item: { pk: { S: string }; v: { S: string } } };
        expect(Item.v.S).toBe('before');
        keys.add(Item.pk.S);
        lines++;
      }
    expect([lines, keys.size]).toEqual([items, items]);
    // A file that was begun before the kill is written again under its name.
    expect(written()).toHaveLength(named.length);
    await server.kill();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}, 120_000);
