import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  DescribeImportCommand,
  DescribeTableCommand,
  GetItemCommand,
  ImportTableCommand,
  ListImportsCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Unit } from '../../src/storage/store.ts';
import { newDirectory } from '../storage/directories.ts';
import { FaultyStore, refuse } from '../storage/faulty-store.ts';
import { importAll, itemsOf, keyedByPk, putObject, throughBothDoors } from './doors.ts';

const line = (pk: string, more: object = {}) => `${JSON.stringify({ Item: { pk: { S: pk }, ...more } })}\n`;

throughBothDoors('imports', (door) => {
  const failing = async (request: Promise<unknown>) =>
    (await request.then(
      () => undefined,
      (error: unknown) => error,
    )) as Error;

  it('read DynamoDB JSON of several objects, packed in every way, into a table with an index', async () => {
    // Made of the same lines by zstd 1.5, because not every Node can pack it.
    const zstd = (name: string) => readFileSync(new URL(`packed/${name}.zst`, import.meta.url));
    const packs: Record<string, (text: string, name: string) => Uint8Array> = {
      NONE: (text) => Buffer.from(text),
      GZIP: (text) => gzipSync(text),
      ZSTD: (_, name) => zstd(name),
    };
    for (const [compression, packed] of Object.entries(packs)) {
      const prefix = `json-${compression}/`;
      const lines = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) =>
          line(`k${from + i}`, { owner: { S: `o${(from + i) % 3}` }, n: { N: String(i) } }),
        ).join('');
      await putObject(door, `${prefix}a.json`, packed(lines(0, 700), 'a.json'));
      await putObject(door, `${prefix}b.json`, packed(lines(700, 1_000), 'b.json'));
      const result = await importAll(door, prefix, {
        InputCompressionType: compression as 'GZIP',
        TableCreationParameters: {
          TableName: `packed-${compression}`,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: keyedByPk.KeySchema,
          AttributeDefinitions: [
            ...keyedByPk.AttributeDefinitions,
            { AttributeName: 'owner', AttributeType: 'S' },
          ],
          GlobalSecondaryIndexes: [
            {
              IndexName: 'by-owner',
              KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          ],
        },
      });
      expect(result).toMatchObject({
        ImportStatus: 'COMPLETED',
        ProcessedItemCount: 1_000,
        ImportedItemCount: 1_000,
        ErrorCount: 0,
        ProcessedSizeBytes: lines(0, 700).length + lines(700, 1_000).length,
      });
      expect(result.FailureCode).toBeUndefined();
      const { Table } = await door.client.send(new DescribeTableCommand({ TableName: result.TableName }));
      expect(Table).toMatchObject({ TableStatus: 'ACTIVE', ItemCount: 1_000 });
      const { Count } = await door.client.send(
        new QueryCommand({
          TableName: result.TableName,
          IndexName: 'by-owner',
          KeyConditionExpression: '#o = :o',
          ExpressionAttributeNames: { '#o': 'owner' },
          ExpressionAttributeValues: { ':o': { S: 'o1' } },
        }),
      );
      expect(Count).toBe(333);
    }
    expect(await door.db.check()).toMatchObject({ clean: true });
  });

  it('read JSON values, which may share a line or take several', async () => {
    const values = ['a', 'b', 'c'].map((pk) => line(pk).trim()).join('');
    const long = JSON.stringify({ Item: { pk: { S: 'd' } } }, undefined, 2);
    await putObject(door, 'values/a.json', `${line('first')}${values}${long}`);
    const result = await importAll(door, 'values/');
    expect(result).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 5, ErrorCount: 0 });
    expect((await itemsOf(door, result.TableName)).map((item) => JSON.parse(item).pk.S).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
      'first',
    ]);
  });

  it('read CSV: key columns have their types, the others are strings, empty cells are nothing', async () => {
    const table = {
      TableName: `csv-${door.url === undefined}`,
      BillingMode: 'PAY_PER_REQUEST' as const,
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' as const },
        { AttributeName: 'at', AttributeType: 'S' as const },
      ],
      KeySchema: [
        { AttributeName: 'id', KeyType: 'HASH' as const },
        { AttributeName: 'at', KeyType: 'RANGE' as const },
      ],
    };
    await putObject(door, 'csv/a.csv', 'id;at;name;note\n1;x;"Ann;\nB";\n2;y;"say ""hi""";z\n');
    const result = await importAll(door, 'csv/', {
      InputFormat: 'CSV',
      InputFormatOptions: { Csv: { Delimiter: ';' } },
      TableCreationParameters: table,
    });
    expect(result).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 2 });
    expect(result.InputFormatOptions).toEqual({ Csv: { Delimiter: ';' } });
    expect(await itemsOf(door, table.TableName)).toEqual([
      '{"at":{"S":"x"},"id":{"N":"1"},"name":{"S":"Ann;\\nB"}}',
      '{"at":{"S":"y"},"id":{"N":"2"},"name":{"S":"say \\"hi\\""},"note":{"S":"z"}}',
    ]);
  });

  it('take the names of columns from HeaderList, and then the first line is a row', async () => {
    await putObject(door, 'headless/a.csv', 'a,1\nb,2\n');
    const result = await importAll(door, 'headless/', {
      InputFormat: 'CSV',
      InputFormatOptions: { Csv: { HeaderList: ['pk', 'v'] } },
    });
    expect(await itemsOf(door, result.TableName)).toEqual([
      '{"pk":{"S":"a"},"v":{"S":"1"}}',
      '{"pk":{"S":"b"},"v":{"S":"2"}}',
    ]);
  });

  it('count and keep bad rows, import the good ones, and end FAILED', async () => {
    await putObject(
      door,
      'bad/a.json',
      `${line('good')}{"Item":{"no":{"S":"key"}}}\n{"Item":{"pk":{"N":"1"}}}\n{}\n` +
        `${line('large', { data: { S: 'x'.repeat(410_000) } })}${line('good too')}`,
    );
    await putObject(door, 'bad/b.json', `${line('before')}this is no JSON\n${line('never read')}`);
    await putObject(door, 'bad/c.json', line('after'));
    const result = await importAll(door, 'bad/');
    expect(result).toMatchObject({
      ImportStatus: 'FAILED',
      FailureCode: 'ItemValidationError',
      FailureMessage:
        'Some of the items failed validation checks and were not imported. ' +
        'Please check CloudWatch error logs for more details.',
      ImportedItemCount: 4,
      ErrorCount: 5,
      ProcessedItemCount: 9,
    });
    expect((await itemsOf(door, result.TableName)).map((item) => JSON.parse(item).pk.S).sort()).toEqual([
      'after',
      'before',
      'good',
      'good too',
    ]);
    if (door.url === undefined) return;
    const id = result.ImportArn!.split('/').at(-1)!;
    const errors = (await (await fetch(`${door.url}/_stator/imports/${id}/errors`)).text())
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { object: string; line?: number; error: string });
    expect(errors.map(({ object, line }) => `${object} ${line}`)).toEqual([
      'bad/a.json 2',
      'bad/a.json 3',
      'bad/a.json 4',
      'bad/a.json 5',
      'bad/b.json undefined',
    ]);
    expect(errors[4]!.error).toMatch(/^Line 2 is not JSON.* Nothing behind line 1 is imported$/);
    expect((await fetch(`${door.url}/_stator/imports/none/errors`)).status).toBe(404);
    const checked = await fetch(`${door.url}/_stator/check`, { method: 'POST' });
    expect(await checked.json()).toMatchObject({ clean: true, findings: [] });
  });

  it('let the last of several rows with one key stay', async () => {
    await putObject(door, 'twice/a.json', line('k', { v: { S: '1' } }) + line('k', { v: { S: '2' } }));
    await putObject(door, 'twice/b.json', line('k', { v: { S: '3' } }));
    const result = await importAll(door, 'twice/');
    expect(result).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 3 });
    expect(await itemsOf(door, result.TableName)).toEqual(['{"pk":{"S":"k"},"v":{"S":"3"}}']);
    const { Table } = await door.client.send(new DescribeTableCommand({ TableName: result.TableName }));
    expect(Table!.ItemCount).toBe(1);
  });

  it('end FAILED without a table if there is no bucket, and COMPLETED with none if there is no object', async () => {
    const missing = await importAll(door, '', { S3BucketSource: { S3Bucket: 'nowhere' } });
    expect(missing).toMatchObject({ ImportStatus: 'FAILED', FailureCode: 'S3NoSuchBucket' });
    const { name } = await failing(
      door.client.send(new DescribeTableCommand({ TableName: missing.TableName })),
    );
    expect(name).toBe('ResourceNotFoundException');
    const empty = await importAll(door, 'no such prefix');
    expect(empty).toMatchObject({ ImportStatus: 'COMPLETED', ProcessedItemCount: 0 });
    expect(await itemsOf(door, empty.TableName)).toEqual([]);
  });

  it('never leave the bucket', async () => {
    for (const prefix of ['../', '../../db/', 'a/../../']) {
      const result = await importAll(door, prefix);
      expect(result).toMatchObject({ ImportStatus: 'COMPLETED', ProcessedItemCount: 0 });
    }
    // Nor do they tell the names of what lies behind a link.
    const outside = await newDirectory();
    await mkdir(join(outside, 'sub'));
    await writeFile(join(outside, 'sub', 'secret.json'), line('secret'));
    await mkdir(join(door.bucket, 'linked'));
    await symlink(outside, join(door.bucket, 'linked', 'out'));
    await symlink(join(outside, 'sub', 'secret.json'), join(door.bucket, 'linked', 'file.json'));
    for (const prefix of ['linked/', 'linked/out/', 'linked/out/sub/']) {
      const result = await importAll(door, prefix);
      expect(result).toMatchObject({ ImportStatus: 'COMPLETED', ProcessedItemCount: 0 });
    }
    await rm(outside, { recursive: true });
    await rm(join(door.bucket, 'linked'), { recursive: true });
  });

  it('count damage of a packed object as an error and go on with the next', async () => {
    await putObject(door, 'damaged/a.gz', gzipSync(line('x').repeat(50)).subarray(0, 30));
    await putObject(door, 'damaged/b.gz', gzipSync(line('whole')));
    const result = await importAll(door, 'damaged/', { InputCompressionType: 'GZIP' });
    expect(result).toMatchObject({
      ImportStatus: 'FAILED',
      FailureCode: 'ItemValidationError',
      ErrorCount: 1,
    });
    expect(await itemsOf(door, result.TableName)).toContain('{"pk":{"S":"whole"}}');
  });

  it('take text that is not UTF-8 for damage', async () => {
    const latin = Buffer.from('caf\xe9', 'latin1');
    await putObject(door, 'latin/a.json', Buffer.concat([Buffer.from(line('good')), latin]));
    const json = await importAll(door, 'latin/');
    expect(json).toMatchObject({ FailureCode: 'ItemValidationError', ErrorCount: 1, ImportedItemCount: 1 });
    await putObject(door, 'latin-csv/a.csv', Buffer.concat([Buffer.from('pk,v\na,'), latin]));
    const csv = await importAll(door, 'latin-csv/', { InputFormat: 'CSV' });
    expect(csv).toMatchObject({ FailureCode: 'ItemValidationError', ErrorCount: 1, ImportedItemCount: 0 });
  });

  it('refuse ION, names of tables that exist, and ARNs of nothing', async () => {
    const request = {
      S3BucketSource: { S3Bucket: 'data' },
      InputFormat: 'DYNAMODB_JSON' as const,
      TableCreationParameters: { TableName: `taken-${door.url === undefined}`, ...keyedByPk },
    };
    // All objects there are: packed ones, CSV and bad rows are refused row by row.
    const whole = await importAll(door, '', request);
    expect(whole).toMatchObject({ FailureCode: 'ItemValidationError' });
    expect(await failing(door.client.send(new ImportTableCommand(request)))).toMatchObject({
      name: 'ResourceInUseException',
      message: `Table already exists: taken-${door.url === undefined}`,
    });
    const ion = await failing(door.client.send(new ImportTableCommand({ ...request, InputFormat: 'ION' })));
    expect(ion).toMatchObject({ name: 'ValidationException', message: expect.stringContaining('ION') });
    const ImportArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/none/import/01700000000000-00000000';
    expect((await failing(door.client.send(new DescribeImportCommand({ ImportArn })))).name).toBe(
      'ImportNotFoundException',
    );
  });

  it('are listed, newest first and in pages', async () => {
    const all = await door.client.send(new ListImportsCommand({}));
    const arns: string[] = [];
    for (let NextToken: string | undefined; ; ) {
      const page = await door.client.send(new ListImportsCommand({ PageSize: 4, NextToken }));
      arns.push(...page.ImportSummaryList!.map(({ ImportArn }) => ImportArn!));
      if (page.NextToken === undefined) break;
      NextToken = page.NextToken;
    }
    expect(arns).toEqual(all.ImportSummaryList!.map(({ ImportArn }) => ImportArn!));
    expect(new Set(arns).size).toBe(arns.length);
    const TableArn = arns.find((arn) => arn.includes('table/taken'))!.split('/import/')[0]!;
    const one = await door.client.send(new ListImportsCommand({ TableArn }));
    expect(one.ImportSummaryList).toHaveLength(1);
  });

  it('repeat their answer for a token while they run, and refuse it for another request', async () => {
    await putObject(door, 'token/a.json', Array.from({ length: 5_000 }, (_, i) => line(`k${i}`)).join(''));
    const request = {
      ClientToken: 'one-token',
      S3BucketSource: { S3Bucket: 'data', S3KeyPrefix: 'token/' },
      InputFormat: 'DYNAMODB_JSON' as const,
      TableCreationParameters: { TableName: `token-${door.url === undefined}`, ...keyedByPk },
    };
    const [first, second, other] = await Promise.allSettled([
      door.client.send(new ImportTableCommand(request)),
      door.client.send(new ImportTableCommand(request)),
      door.client.send(
        new ImportTableCommand({
          ...request,
          TableCreationParameters: { TableName: 'token-other', ...keyedByPk },
        }),
      ),
    ]);
    await door.db.settled();
    const arnOf = (each: typeof first) =>
      each.status === 'fulfilled' ? each.value.ImportTableDescription!.ImportArn : String(each.reason);
    // Requests that cross may each be first.
    expect(arnOf(first)).toContain(':table/');
    expect([arnOf(first), expect.stringContaining('already exists')]).toContainEqual(arnOf(second));
    expect(other.status === 'fulfilled' || /token/.test(String(other.reason))).toBe(true);
    expect(
      (
        await door.client.send(
          new GetItemCommand({
            TableName: request.TableCreationParameters.TableName,
            Key: { pk: { S: 'k7' } },
          }),
        )
      ).Item,
    ).toEqual({ pk: { S: 'k7' } });
  });
});

it('imports are refused with advice where nobody said where buckets are', async () => {
  await using db = Stator.inMemory();
  await expect(
    db.importTable({
      S3BucketSource: { S3Bucket: 'data' },
      InputFormat: 'CSV',
      TableCreationParameters: { TableName: 'tab', ...keyedByPk },
    }),
  ).rejects.toThrow(/--s3-dir <directory>/);
  expect(await db.listTables({})).toMatchObject({ TableNames: [] });
});

it('an import that fills the disk ends FAILED without its table, and the database goes on', async () => {
  let isFull = false;
  // The second page of rows meets the full disk; what is as small as a note or a single item still fits.
  const rowsMet = (args: readonly unknown[]) => isFull && (args[0] as Unit<unknown>).reads.length > 100;
  const store = new FaultyStore(new MemoryStore(), [
    { method: 'transact', where: ({ args }) => rowsMet(args), from: 2, effect: refuse('full') },
  ]);
  const directory = await newDirectory();
  await mkdir(join(directory, 'data'));
  const rows = Array.from({ length: 1_000 }, (_, i) => line(`k${i}`)).join('');
  await writeFile(join(directory, 'data', 'rows.json'), rows);
  const lines: string[] = [];
  const db = await Stator.open({ store, s3: { directory }, log: (text) => lines.push(text) });
  await db.createTable({ TableName: 'other', ...keyedByPk });
  const importOnce = async () => {
    const { ImportTableDescription: begun } = await db.importTable({
      S3BucketSource: { S3Bucket: 'data' },
      InputFormat: 'DYNAMODB_JSON',
      TableCreationParameters: { TableName: 'tab', ...keyedByPk },
    });
    await db.settled();
    return (await db.describeImport({ ImportArn: begun.ImportArn! })).ImportTableDescription;
  };
  isFull = true;
  expect(await importOnce()).toMatchObject({
    ImportStatus: 'FAILED',
    FailureCode: 'InternalError',
    FailureMessage: expect.stringContaining('was refused'),
    ProcessedItemCount: 250,
  });
  expect(lines.filter((text) => text.includes('failed'))).toHaveLength(1);
  expect(await db.listTables({})).toMatchObject({ TableNames: ['other'] });
  await db.putItem({ TableName: 'other', Item: { pk: { S: 'a' } } });
  expect(await db.check()).toMatchObject({ clean: true });

  // With room again, the same import goes through under the same name.
  isFull = false;
  expect(await importOnce()).toMatchObject({ ImportStatus: 'COMPLETED', ImportedItemCount: 1_000 });
  expect((await db.scan({ TableName: 'tab', Select: 'COUNT' })).Count).toBe(1_000);
  expect(await db.check()).toMatchObject({ clean: true });
  await db.close();
  await rm(directory, { recursive: true, force: true });
});
