import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DescribeExportCommand,
  ExportTableToPointInTimeCommand,
  type ExportTableToPointInTimeCommandInput,
  PutItemCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughBothDoors } from './doors.ts';

const TableName = 'orders';
const TableArn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;

throughBothDoors('filtered exports', (door) => {
  /** When all items were there, and half an hour after some changed. */
  let filled: Date;
  let changed: Date;

  beforeAll(async () => {
    await door.client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await door.client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    for (const pk of ['a', 'b'])
      for (let sk = 0; sk < 6; sk++) await put(pk, sk, sk % 2 === 0 ? 'open' : 'done');
    door.clock.advanceMs(60_000);
    filled = now();
    door.clock.advanceMs(60_000);
    await put('a', 0, 'done');
    await put('a', 1, 'open');
    await put('a', 9, 'open');
    for (const sk of ['2', '3'])
      await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'a' }, sk: { N: sk } } }));
    door.clock.advanceMs(30 * 60_000);
    changed = now();
    door.clock.advanceMs(1_000);
  });

  const now = () => new Date(Math.floor(door.clock.nowMicros() / 1e6) * 1_000);
  const put = (pk: string, sk: number, status: string) =>
    door.client.send(
      new PutItemCommand({
        TableName,
        Item: { pk: { S: pk }, sk: { N: `${sk}` }, status: { S: status }, bin: { B: new Uint8Array([sk]) } },
      }),
    );
  const exported = async (input: Partial<ExportTableToPointInTimeCommandInput>) => {
    const { ExportDescription: begun } = await door.client.send(
      new ExportTableToPointInTimeCommand({ TableArn, S3Bucket: 'data', ...input }),
    );
    await door.db.settled();
    const { ExportDescription: done } = await door.client.send(
      new DescribeExportCommand({ ExportArn: begun!.ExportArn! }),
    );
    expect(done!.ExportStatus).toBe('COMPLETED');
    expect(done!.FilterSpecification).toEqual(input.FilterSpecification);
    const lines = await linesOf(done!.ExportManifest!);
    expect(done!.ItemCount).toBe(lines.length);
    return { lines, bytes: done!.BilledSizeBytes! };
  };
  const full = (FilterSpecification: ExportTableToPointInTimeCommandInput['FilterSpecification']) =>
    exported({ ExportTime: filled, FilterSpecification });
  const linesOf = async (manifest: string) => {
    const textOf = async (key: string) => (await readFile(join(door.bucket, key))).toString();
    const { manifestFilesS3Key } = JSON.parse(await textOf(manifest)) as { manifestFilesS3Key: string };
    const lines: Line[] = [];
    for (const file of (await textOf(manifestFilesS3Key)).trim().split('\n')) {
      const { dataFileS3Key } = JSON.parse(file) as { dataFileS3Key: string };
      const text = gunzipSync(await readFile(join(door.bucket, dataFileS3Key))).toString();
      for (const line of text.split('\n')) if (line !== '') lines.push(JSON.parse(line) as Line);
    }
    return lines;
  };

  it('take the items that meet a filter, which may name the key', async () => {
    const values = { ':s': { S: 'open' }, ':from': { N: '2' } };
    const { lines, bytes } = await full({
      FilterExpression: '#s = :s AND sk >= :from',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: values,
    });
    expect(lines.map(({ Item }) => keyOf(Item!)).sort()).toEqual(['a 2', 'a 4', 'b 2', 'b 4']);
    expect(lines[0]!.Item).toMatchObject({ status: { S: 'open' } });
    // What was read is paid for, whatever the filter took of it.
    expect(bytes).toBe((await exported({ ExportTime: filled })).bytes);
    const binary = { ':b': { B: new Uint8Array([5]) } };
    const some = await full({ FilterExpression: 'bin = :b', ExpressionAttributeValues: binary });
    expect(some.lines.map(({ Item }) => keyOf(Item!)).sort()).toEqual(['a 5', 'b 5']);
  });

  it('read one partition for a key condition, and write the attributes of a projection', async () => {
    const { lines, bytes } = await full({
      KeyConditionExpression: 'pk = :a AND sk BETWEEN :from AND :to',
      FilterExpression: '#s = :s',
      ProjectionExpression: 'sk, #s',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: {
        ...{ ':a': { S: 'a' }, ':from': { N: '1' }, ':to': { N: '5' } },
        ':s': { S: 'done' },
      },
    });
    expect(lines.map(({ Item }) => Item)).toEqual(
      ['1', '3', '5'].map((N) => ({ sk: { N }, status: { S: 'done' } })),
    );
    const all = await exported({ ExportTime: filled });
    expect(bytes).toBeLessThan(all.bytes);
    const nothing = await full({
      KeyConditionExpression: 'pk = :none',
      ExpressionAttributeValues: { ':none': { S: 'none' } },
    });
    expect(nothing.lines).toEqual([]);
  });

  it('of a window judge an item by its latest image, and a deleted one by its old image', async () => {
    const window = { ExportFromTime: filled, ExportToTime: changed };
    const incremental = async (
      FilterSpecification: ExportTableToPointInTimeCommandInput['FilterSpecification'],
    ) => {
      const { lines } = await exported({
        ExportType: 'INCREMENTAL_EXPORT',
        IncrementalExportSpecification: window,
        FilterSpecification,
      });
      return lines.map(({ Keys, OldImage, NewImage }) => ({ key: keyOf(Keys!), OldImage, NewImage }));
    };
    const found = await incremental({
      FilterExpression: '#s = :s',
      ProjectionExpression: '#s',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: 'open' } },
    });
    const open = { status: { S: 'open' } };
    expect(found).toEqual([
      { key: 'a 1', OldImage: { status: { S: 'done' } }, NewImage: open },
      { key: 'a 2', OldImage: open },
      { key: 'a 9', NewImage: open },
    ]);
    const ofB = await incremental({
      KeyConditionExpression: 'pk = :b',
      ExpressionAttributeValues: { ':b': { S: 'b' } },
    });
    expect(ofB).toEqual([]);
  });

  it.each([
    [{ FilterExpression: '#s = ' }, 'Invalid FilterExpression: Syntax error'],
    [
      { FilterExpression: 'n = :n', ExpressionAttributeValues: { ':n': { N: '1' }, ':m': { N: '2' } } },
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:m}',
    ],
    [{ ExpressionAttributeNames: { '#a': 'a' } }, 'can only be specified when using expressions'],
    [
      { KeyConditionExpression: 'pk > :p', ExpressionAttributeValues: { ':p': { S: 'a' } } },
      'Query key condition not supported',
    ],
    [
      { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { N: '1' } } },
      'Condition parameter type does not match schema type',
    ],
    [
      {
        KeyConditionExpression: 'pk = :p',
        FilterExpression: 'sk = :s',
        ExpressionAttributeValues: { ':p': { S: 'a' }, ':s': { N: '1' } },
      },
      'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
    ],
  ])('are refused as a Query would be: %j', async (FilterSpecification, text) => {
    await expect(
      door.client.send(
        new ExportTableToPointInTimeCommand({ TableArn, S3Bucket: 'data', FilterSpecification }),
      ),
    ).rejects.toThrow(text);
  });

  it('are one export for one token and filter', async () => {
    const ask = (n: string) =>
      door.client.send(
        new ExportTableToPointInTimeCommand({
          ...{ TableArn, S3Bucket: 'data', ClientToken: 'filtered' },
          FilterSpecification: {
            FilterExpression: 'sk < :n',
            ExpressionAttributeValues: { ':n': { N: n } },
          },
        }),
      );
    const first = await ask('3');
    expect((await ask('3')).ExportDescription!.ExportArn).toBe(first.ExportDescription!.ExportArn);
    await expect(ask('4')).rejects.toMatchObject({ name: 'ExportConflictException' });
    await door.db.settled();
  });
});

interface Line {
  readonly Item?: Record<string, { S?: string; N?: string }>;
  readonly Keys?: Record<string, { S?: string; N?: string }>;
  readonly OldImage?: object;
  readonly NewImage?: object;
}

function keyOf({ pk, sk }: NonNullable<Line['Keys']>): string {
  return `${pk!.S} ${sk!.N}`;
}
