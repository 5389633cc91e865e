import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { runHere } from '../cli/run-here.ts';
import { newDirectory } from '../storage/directories.ts';
import { importAll, itemsOf, keyedByPk, type TransferDoor } from './doors.ts';
import { type S3Peer, s3Credentials, startS3 } from './s3-server.ts';

const bucket = 'exports';
let peer: S3Peer;
let s3: S3Client;
const open: Stator[] = [];

beforeAll(async () => {
  peer = await startS3(bucket);
  s3 = new S3Client({
    ...{ endpoint: peer.endpoint, region: 'us-east-1', credentials: { ...s3Credentials } },
    forcePathStyle: true,
  });
});
afterAll(async () => {
  s3.destroy();
  for (const db of open) await db.close();
  await peer.close();
});

async function opened(options: object = { credentials: s3Credentials }, endpoint = peer.endpoint) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
  const db = await Stator.open({ clock, s3: { endpoint, ...options } });
  open.push(db);
  return { db, clock, client: db.client() } as unknown as TransferDoor;
}

const count = 300;

async function filled(door: TransferDoor, TableName: string) {
  await door.db.createTable({ TableName, ...keyedByPk });
  await door.db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  for (let i = 0; i < count; i++)
    await door.db.putItem({ TableName, Item: { pk: { S: `k${i}` }, text: { S: 'é'.repeat(i) } } });
}

async function exported(door: TransferDoor, TableName: string, S3Bucket: string) {
  const { ExportDescription } = await door.db.exportTableToPointInTime({
    TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
    ...{ S3Bucket, S3Prefix: 'out' },
  });
  await door.db.settled();
  return (await door.db.describeExport({ ExportArn: ExportDescription!.ExportArn! })).ExportDescription!;
}

describe('an S3 server', () => {
  it('takes exports and gives imports', async () => {
    const door = await opened();
    await filled(door, 'source');
    const done = await exported(door, 'source', bucket);
    expect(done).toMatchObject({ ExportStatus: 'COMPLETED', ItemCount: count });
    const textOf = async (Key: string) =>
      Buffer.from(
        await (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body!.transformToByteArray(),
      );
    const summary = JSON.parse((await textOf(done.ExportManifest!)).toString()) as Record<string, string>;
    const lines = (await textOf(summary.manifestFilesS3Key!)).toString().trim().split('\n');
    const rows: string[] = [];
    for (const line of lines) {
      const { dataFileS3Key, etag } = JSON.parse(line) as { dataFileS3Key: string; etag: string };
      const object = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: dataFileS3Key }));
      expect(object.ETag).toBe(`"${etag}"`);
      const packed = Buffer.from(await object.Body!.transformToByteArray());
      rows.push(...gunzipSync(packed).toString().trim().split('\n'));
    }
    expect(rows).toHaveLength(count);

    const folder = done.ExportManifest!.replace('manifest-summary.json', 'data/');
    const copy = await importAll(door, folder, {
      S3BucketSource: { S3Bucket: bucket, S3KeyPrefix: folder },
      InputCompressionType: 'GZIP',
    });
    expect(copy).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: count, ErrorCount: 0 });
    expect(await itemsOf(door, copy.TableName)).toEqual(await itemsOf(door, 'source'));
  });

  it('may list its objects in pages', async () => {
    const xml = (body: string) => `<?xml version="1.0"?><ListBucketResult>${body}</ListBucketResult>`;
    const pages = ['a', 'b', 'c'].map((name, i) =>
      xml(
        `<Contents><Key>${name}.json</Key><Size>1</Size></Contents><IsTruncated>${i < 2}</IsTruncated>` +
          (i < 2 ? `<NextContinuationToken>page/${i + 1}</NextContinuationToken>` : ''),
      ),
    );
    const lister = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const key = pathname.split('/')[2] ?? '';
      const page = Number(searchParams.get('continuation-token')?.split('/')[1] ?? 0);
      response.end(key === '' ? pages[page] : `{"Item":{"pk":{"S":"${key}"}}}\n`);
    });
    await new Promise<void>((done) => lister.listen(0, '127.0.0.1', done));
    const { port } = lister.address() as AddressInfo;
    const door = await opened({ credentials: s3Credentials }, `http://127.0.0.1:${port}`);
    const done = await importAll(door, '');
    expect(done).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 3 });
    lister.closeAllConnections();
    lister.close();
  });

  it('may break off in the middle of an object, and is read on behind the last byte', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => `{"Item":{"pk":{"S":"k${i}"}}}\n`).join('');
    const ranges: (string | undefined)[] = [];
    let chunk = 4_000;
    const breaker = createServer(({ url = '', headers }, response) => {
      const { searchParams } = new URL(url, 'http://localhost');
      if (searchParams.has('list-type')) {
        const contents = `<Contents><Key>rows.json</Key><Size>${rows.length}</Size></Contents>`;
        response.end(`<?xml version="1.0"?><ListBucketResult>${contents}</ListBucketResult>`);
        return;
      }
      ranges.push(headers.range);
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      if (from > 0) expect(headers['if-match']).toBe('"version"');
      response.writeHead(from > 0 ? 206 : 200, {
        ...{ ETag: '"version"', 'Content-Length': rows.length - from },
        ...(from > 0 && { 'Content-Range': `bytes ${from}-${rows.length - 1}/${rows.length}` }),
      });
      const part = rows.slice(from, from + chunk);
      if (from + part.length >= rows.length) response.end(part);
      else response.write(part, () => setImmediate(() => response.destroy()));
    });
    await new Promise<void>((done) => breaker.listen(0, '127.0.0.1', done));
    const { port } = breaker.address() as AddressInfo;
    const door = await opened({ credentials: s3Credentials }, `http://127.0.0.1:${port}`);
    const done = await importAll(door, '');
    expect(done).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 500, ErrorCount: 0 });
    expect(ranges.length).toBeGreaterThan(2);
    chunk = 0;
    const failed = await importAll(door, '');
    expect(failed).toMatchObject({ ImportStatus: 'FAILED', FailureCode: 'S3Error' });
    expect(failed.FailureMessage).toContain('Reading rows.json broke off');
    breaker.closeAllConnections();
    breaker.close();
  });

  it('ends a job with the reason: no bucket, wrong credentials, nobody there', async () => {
    const door = await opened();
    await filled(door, 'source');
    expect(await exported(door, 'source', 'nowhere')).toMatchObject({
      ...{ ExportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' },
    });
    const source = { S3Bucket: bucket, S3KeyPrefix: 'many/' };
    const missing = await importAll(door, '', { S3BucketSource: { S3Bucket: 'nowhere' } });
    expect(missing).toMatchObject({ ImportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' });
    const stranger = await opened({ credentials: { accessKeyId: 'NOBODY', secretAccessKey: 'S3RVER' } });
    expect(await importAll(stranger, '', { S3BucketSource: source })).toMatchObject({
      ...{ ImportStatus: 'FAILED', FailureCode: 'S3AccessDenied' },
    });
    const gone = await startS3(bucket);
    await gone.close();
    const lonely = await opened({ credentials: s3Credentials }, gone.endpoint);
    expect(await importAll(lonely, '', { S3BucketSource: source })).toMatchObject({
      ...{ ImportStatus: 'FAILED', FailureCode: 'S3Error' },
    });
    expect(await lonely.db.listTables({})).toMatchObject({ TableNames: [] });
  });

  it('is a source of stator import, with the checks of manifests', async () => {
    const door = await opened();
    await filled(door, 'source');
    const done = await exported(door, 'source', bucket);
    const folder = done.ExportManifest!.replace('manifest-summary.json', '');
    const { url } = await door.db.listen({ port: 0 });
    const directory = await newDirectory();
    await writeFile(join(directory, 'create.json'), JSON.stringify({ TableName: 'any', ...keyedByPk }));
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3Credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3Credentials.secretAccessKey);
    const ending = await runHere(directory, [
      ...['import', 'copy', '--source', `s3://${bucket}/${folder}`, '--s3-endpoint', peer.endpoint],
      ...['--create', 'create.json', '--endpoint', url, '--json'],
    ]).finally(() => vi.unstubAllEnvs());
    expect(ending).toMatchObject({ code: 0 });
    expect(JSON.parse(ending.out)).toMatchObject({ read: count, written: count, refused: 0 });
    expect(await itemsOf(door, 'copy')).toEqual(await itemsOf(door, 'source'));
  });
});
