import {
  BatchWriteItemCommand,
  type CreateTableCommandInput,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import type { GetRecordsOutput, GetShardIteratorInput } from '../../src/index.ts';
import { type Door, throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';
import { sendStreams } from './stream-request.ts';

type ViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
type Records = GetRecordsOutput['Records'];

throughEveryDoor('DynamoDB Streams', (door) => {
  describe('records', () => {
    it('have the layout and sizes of the documented example', async () => {
      const { arn, TableName } = await streamedTable(door, 'NEW_AND_OLD_IMAGES', numbered);
      const before = Math.floor(Date.now() / 1000);
      const send = (Message: string) =>
        door.client.send(
          new PutItemCommand({ TableName, Item: { Id: { N: '101' }, Message: { S: Message } } }),
        );
      await send('New item!');
      await send('This item has changed');
      await door.client.send(new DeleteItemCommand({ TableName, Key: { Id: { N: '101' } } }));
      const records = await recordsOf(door, arn, 3);
      const after = Math.ceil(Date.now() / 1000);
      const Keys = { Id: { N: '101' } };
      const first = { Id: { N: '101' }, Message: { S: 'New item!' } };
      const second = { Id: { N: '101' }, Message: { S: 'This item has changed' } };
      const expected = [
        ['INSERT', { Keys, NewImage: first, SizeBytes: 26 }],
        ['MODIFY', { Keys, NewImage: second, OldImage: first, SizeBytes: 59 }],
        ['REMOVE', { Keys, OldImage: second, SizeBytes: 38 }],
      ] as const;
      expect(records).toEqual(
        expected.map(([eventName, change]) => ({
          eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
          eventName,
          eventVersion: '1.1',
          eventSource: 'aws:dynamodb',
          awsRegion: arn.split(':')[3],
          dynamodb: {
            ApproximateCreationDateTime: expect.any(Number),
            SequenceNumber: expect.stringMatching(/^\d{21,40}$/),
            StreamViewType: 'NEW_AND_OLD_IMAGES',
            ...change,
          },
        })),
      );
      for (const { dynamodb } of records) {
        const seconds = Number(dynamodb.ApproximateCreationDateTime);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(before);
        expect(seconds).toBeLessThanOrEqual(after);
      }
      const numbers = records.map(({ dynamodb }) => BigInt(dynamodb.SequenceNumber));
      expect(numbers).toEqual([...numbers].sort((a, b) => (a < b ? -1 : 1)));
      expect(new Set(records.map(({ eventID }) => eventID)).size).toBe(3);
    });

    it.each<[ViewType, string[]]>([
      ['KEYS_ONLY', []],
      ['NEW_IMAGE', ['NewImage']],
      ['OLD_IMAGE', ['OldImage']],
      ['NEW_AND_OLD_IMAGES', ['NewImage', 'OldImage']],
    ])('show of a change what %s says', async (viewType, images) => {
      const { arn, TableName } = await streamedTable(door, viewType);
      for (const v of ['1', '2'])
        await door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, v: { N: v } } }));
      const [inserted, modified] = await recordsOf(door, arn, 2);
      const shown = (record: Records[number]) =>
        Object.keys(record.dynamodb)
          .filter((name) => name.endsWith('Image'))
          .sort();
      expect(shown(modified!)).toEqual(images);
      expect(shown(inserted!)).toEqual(images.filter((image) => image === 'NewImage'));
      expect(modified!.dynamodb).toMatchObject({ Keys: { pk: { S: 'a' } }, StreamViewType: viewType });
    });

    it('of a small provisioned table are all in its first shard, in order', async () => {
      const ProvisionedThroughput = { ReadCapacityUnits: 5, WriteCapacityUnits: 5 };
      const { arn, TableName } = await streamedTable(door, 'NEW_IMAGE', { ProvisionedThroughput });
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      const iterator = await iteratorOf(door, {
        StreamArn: arn,
        ShardId: StreamDescription.Shards[0]!.ShardId,
        ShardIteratorType: 'TRIM_HORIZON',
      });
      for (let i = 0; i < 12; i++)
        await door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: `item${i}` } } }));
      const records = await drain(door, iterator);
      expect(records.map(({ dynamodb }) => dynamodb.Keys.pk!.S)).toEqual(
        Array.from({ length: 12 }, (_, i) => `item${i}`),
      );
    });

    it('are not written for what changes nothing', async () => {
      const { arn, TableName } = await streamedTable(door, 'NEW_AND_OLD_IMAGES');
      const Item = { pk: { S: 'a' }, m: { M: { x: { N: '1' }, y: { SS: ['b', 'a'] } } } };
      const same = { m: { M: { y: { SS: ['a', 'b'] }, x: { N: '1.0' } } }, pk: { S: 'a' } };
      const Key = { pk: { S: 'a' } };
      const update = (UpdateExpression: string) =>
        door.client.send(
          new UpdateItemCommand({
            TableName,
            Key,
            UpdateExpression,
            ...(UpdateExpression.includes(':m') && { ExpressionAttributeValues: { ':m': same.m } }),
          }),
        );
      await door.client.send(new PutItemCommand({ TableName, Item }));
      await door.client.send(new PutItemCommand({ TableName, Item: same }));
      await update('SET m = :m');
      await update('REMOVE nothing_there');
      await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'nobody' } } }));
      await door.client.send(new DeleteItemCommand({ TableName, Key }));
      const records = await recordsOf(door, arn, 2);
      expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'REMOVE']);
    });

    it('come from batches and transactions too, and not from what was refused', async () => {
      const { arn, TableName } = await streamedTable(door, 'NEW_IMAGE');
      const items = Array.from({ length: 20 }, (_, i) => ({ pk: { S: `item${i}` }, v: { N: String(i) } }));
      const puts = items.map((Item) => ({ PutRequest: { Item } }));
      await door.client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }));
      await door.client.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: { TableName, Item: { pk: { S: 'new' } } } },
            { Delete: { TableName, Key: { pk: { S: 'item0' } } } },
            {
              ConditionCheck: {
                TableName,
                Key: { pk: { S: 'item1' } },
                ConditionExpression: 'attribute_exists(v)',
              },
            },
          ],
        }),
      );
      const refused = new PutItemCommand({
        TableName,
        Item: { pk: { S: 'item1' } },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      await expect(door.client.send(refused)).rejects.toMatchObject({
        name: 'ConditionalCheckFailedException',
      });
      const records = await recordsOf(door, arn, 22);
      const told = records.map(({ eventName, dynamodb: { Keys } }) => `${eventName} ${Keys.pk!.S}`);
      expect(told.sort()).toEqual(
        [...items.map(({ pk }) => `INSERT ${pk.S}`), 'INSERT new', 'REMOVE item0'].sort(),
      );
    });
  });

  describe('ListStreams', () => {
    it('lists the streams of a table, and all of them page by page', async () => {
      const tables = [await streamedTable(door, 'KEYS_ONLY'), await streamedTable(door, 'KEYS_ONLY')];
      const [{ TableName, arn, label }] = tables as [(typeof tables)[0]];
      expect(await sendStreams(door, 'ListStreams', { TableName })).toEqual({
        Streams: [{ StreamArn: arn, TableName, StreamLabel: label }],
      });
      const met: string[] = [];
      for (let ExclusiveStartStreamArn: string | undefined; ; ) {
        const page = await sendStreams(door, 'ListStreams', { Limit: 1, ExclusiveStartStreamArn });
        met.push(...page.Streams.map(({ StreamArn }) => StreamArn));
        expect(page.Streams.length).toBeLessThanOrEqual(1);
        ExclusiveStartStreamArn = page.LastEvaluatedStreamArn;
        if (ExclusiveStartStreamArn === undefined) break;
      }
      expect(met).toEqual(expect.arrayContaining(tables.map((table) => table.arn)));
      expect(new Set(met).size).toBe(met.length);
      const plain = await door.createTable();
      expect(await sendStreams(door, 'ListStreams', { TableName: plain })).toEqual({ Streams: [] });
    });

    it('checks its input', async () => {
      await expectInvalid(
        door,
        sendStreams(door, 'ListStreams', { Limit: 0 }),
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: " +
          'Member must have value greater than or equal to 1',
      );
      const malformed = 'x'.repeat(48);
      await expect(
        sendStreams(door, 'ListStreams', { ExclusiveStartStreamArn: malformed }),
      ).rejects.toMatchObject({ name: 'ValidationException' });
    });
  });

  describe('DescribeStream', () => {
    it('tells of the stream and its shards', async () => {
      const { TableName, arn, label } = await streamedTable(door, 'OLD_IMAGE');
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      expect(StreamDescription).toEqual({
        StreamArn: arn,
        StreamLabel: label,
        StreamStatus: 'ENABLED',
        StreamViewType: 'OLD_IMAGE',
        CreationRequestDateTime: expect.any(Number),
        TableName,
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        Shards: expect.any(Array),
      });
      expect(StreamDescription.Shards.length).toBeGreaterThan(0);
      for (const shard of StreamDescription.Shards)
        expect(shard).toEqual({
          ShardId: expect.stringMatching(/^shardId-\d{20}-[0-9a-f]{8}$/),
          SequenceNumberRange: { StartingSequenceNumber: expect.stringMatching(/^\d{21,40}$/) },
        });
    });

    it('pages through the shards', async () => {
      const { arn } = await streamedTable(door, 'KEYS_ONLY');
      const whole = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      const met: string[] = [];
      for (let ExclusiveStartShardId: string | undefined; ; ) {
        const { StreamDescription: page } = await sendStreams(door, 'DescribeStream', {
          StreamArn: arn,
          Limit: 1,
          ExclusiveStartShardId,
        });
        met.push(...page.Shards.map(({ ShardId }) => ShardId));
        ExclusiveStartShardId = page.LastEvaluatedShardId;
        if (ExclusiveStartShardId === undefined) break;
      }
      expect(met).toEqual(whole.StreamDescription.Shards.map(({ ShardId }) => ShardId));
      const beyond = await sendStreams(door, 'DescribeStream', {
        StreamArn: arn,
        ExclusiveStartShardId: 'zzzzzzzzzzzzzzzzzzzzzzzzsfasdgagadfadfgagkjsdfs',
      });
      expect(beyond.StreamDescription.Shards).toEqual([]);
      const childless = await sendStreams(door, 'DescribeStream', {
        StreamArn: arn,
        ShardFilter: { Type: 'CHILD_SHARDS', ShardId: met[0] },
      });
      expect(childless.StreamDescription.Shards).toEqual([]);
      for (const ShardFilter of [{ ShardId: met[0] }, { Type: 'CHILD_SHARDS' }, {}]) {
        await expect(
          sendStreams(door, 'DescribeStream', { StreamArn: arn, ShardFilter }),
        ).rejects.toMatchObject({ name: 'ValidationException' });
      }
    });

    it('knows what is no stream', async () => {
      const { arn } = await streamedTable(door, 'KEYS_ONLY');
      const unknown = arn.replace(/.{23}$/, '2015-01-01T00:00:00.000');
      await expectRefused(
        door,
        sendStreams(door, 'DescribeStream', { StreamArn: unknown }),
        'ResourceNotFoundException',
        `Requested resource not found: Stream: ${unknown} not found`,
      );
      await expect(
        sendStreams(door, 'DescribeStream', { StreamArn: 'sdfadfsdfnlfkajakfgjalksfgklasjklasdjfk' }),
      ).rejects.toMatchObject({ name: 'ValidationException' });
      await expectInvalid(
        door,
        sendStreams(door, 'DescribeStream', {}),
        "1 validation error detected: Value null at 'streamArn' failed to satisfy constraint: Member must not be null",
      );
    });
  });

  describe('GetShardIterator', () => {
    it('begins where each type says', async () => {
      const { TableName, arn } = await streamedTable(door, 'KEYS_ONLY', sorted);
      const put = (n: number) =>
        door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'one' }, sk: { N: `${n}` } } }));
      for (let n = 0; n < 5; n++) await put(n);
      const records = await recordsOf(door, arn, 5);
      const ShardId = await shardWith(door, arn, records[0]!);
      const latest = await iteratorOf(door, { StreamArn: arn, ShardId, ShardIteratorType: 'LATEST' });
      await put(5);
      const from = async (type: 'AT' | 'AFTER', record: Records[number]) => {
        const { SequenceNumber } = record.dynamodb;
        return sortKeys(
          await recordsFrom(door, {
            StreamArn: arn,
            ShardId,
            ShardIteratorType: `${type}_SEQUENCE_NUMBER`,
            SequenceNumber,
          }),
        );
      };
      expect(await from('AT', records[2]!)).toEqual([2, 3, 4, 5]);
      expect(await from('AFTER', records[2]!)).toEqual([3, 4, 5]);
      expect(await from('AFTER', records[4]!)).toEqual([5]);
      expect(sortKeys(await drain(door, latest))).toEqual([5]);
      const horizon = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
      expect(sortKeys(await recordsFrom(door, horizon))).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it('takes the number at which a shard begins, also of an empty one', async () => {
      const { arn } = await streamedTable(door, 'KEYS_ONLY');
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      for (const { ShardId, SequenceNumberRange } of StreamDescription.Shards)
        for (const ShardIteratorType of ['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'] as const) {
          const SequenceNumber = SequenceNumberRange.StartingSequenceNumber;
          const request = { StreamArn: arn, ShardId, ShardIteratorType, SequenceNumber };
          const iterator = await iteratorOf(door, request);
          expect(iterator.length).toBeLessThanOrEqual(2_048);
          const page = await sendStreams(door, 'GetRecords', { ShardIterator: iterator });
          expect(page).toEqual({ Records: [], NextShardIterator: expect.any(String) });
        }
    });

    it('checks its input', async () => {
      const { arn } = await streamedTable(door, 'KEYS_ONLY');
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      const { ShardId, SequenceNumberRange } = StreamDescription.Shards[0]!;
      const SequenceNumber = SequenceNumberRange.StartingSequenceNumber;
      const sound = { StreamArn: arn, ShardId, ShardIteratorType: 'LATEST' };
      const invalid = [
        { ...sound, SequenceNumber },
        { ...sound, ShardIteratorType: 'TRIM_HORIZON', SequenceNumber },
        { ...sound, ShardIteratorType: 'AT_SEQUENCE_NUMBER' },
        { ...sound, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' },
        { ...sound, ShardIteratorType: 'bulle', SequenceNumber },
        { ...sound, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: 'x'.repeat(30) },
        { ...sound, StreamArn: 'sdfadfsddafgdafsgjnadflkgnalngalsdfnlkasnl' },
      ];
      for (const input of invalid)
        await expect(
          sendStreams(door, 'GetShardIterator', input),
          JSON.stringify(input),
        ).rejects.toMatchObject({
          name: 'ValidationException',
        });
      await expect(
        sendStreams(door, 'GetShardIterator', { ...sound, ShardId: 'adfasdasdasdasdasdasdasdasdasasdasd' }),
      ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    });
  });

  describe('GetRecords', () => {
    it('gives no more than were asked for, and goes on where it ended', async () => {
      const { TableName, arn } = await streamedTable(door, 'NEW_IMAGE', sorted);
      for (let n = 0; n < 7; n++)
        await door.client.send(
          new PutItemCommand({ TableName, Item: { pk: { S: 'one' }, sk: { N: `${n}` } } }),
        );
      const [first] = await recordsOf(door, arn, 7);
      const ShardId = await shardWith(door, arn, first!);
      const horizon = { StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
      const found: number[] = [];
      let next: string | undefined = await iteratorOf(door, horizon);
      while (found.length < 7) {
        const page: GetRecordsOutput = await sendStreams(door, 'GetRecords', {
          ShardIterator: next,
          Limit: 3,
        });
        expect(page.Records.length).toBeLessThanOrEqual(3);
        found.push(...sortKeys(page.Records));
        next = page.NextShardIterator;
        expect(next).toBeDefined();
      }
      expect(found).toEqual([0, 1, 2, 3, 4, 5, 6]);
    });

    it('gives at most a megabyte', async () => {
      const { TableName, arn } = await streamedTable(door, 'NEW_AND_OLD_IMAGES', sorted);
      for (let n = 0; n < 5; n++)
        await door.client.send(
          new PutItemCommand({
            TableName,
            Item: { pk: { S: 'one' }, sk: { N: '0' }, v: { S: `${n}`.repeat(390_000) } },
          }),
        );
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      let found = 0;
      for (const { ShardId } of StreamDescription.Shards) {
        let next: string | undefined = await iteratorOf(door, {
          StreamArn: arn,
          ShardId,
          ShardIteratorType: 'TRIM_HORIZON',
        });
        for (let idle = 0; idle < 3 && next !== undefined; ) {
          const page: GetRecordsOutput = await sendStreams(door, 'GetRecords', { ShardIterator: next });
          const bytes = page.Records.reduce((sum, { dynamodb }) => sum + dynamodb.SizeBytes, 0);
          expect(bytes).toBeLessThanOrEqual(1024 * 1024);
          idle = page.Records.length === 0 ? idle + 1 : 0;
          found += page.Records.length;
          next = page.NextShardIterator;
        }
      }
      expect(found).toBe(5);
    });

    it('refuses what is no iterator, or one that was tampered with', async () => {
      const { arn } = await streamedTable(door, 'KEYS_ONLY');
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      const { ShardId } = StreamDescription.Shards[0]!;
      const iterator = await iteratorOf(door, { StreamArn: arn, ShardId, ShardIteratorType: 'LATEST' });
      const last = iterator.length - 6;
      const other = iterator[last] === 'A' ? 'B' : 'A';
      const tampered = iterator.slice(0, last) + other + iterator.slice(last + 1);
      for (const ShardIterator of ['sdfsdfsgagaddafgagasgasgasdfasdf', tampered])
        await expect(sendStreams(door, 'GetRecords', { ShardIterator })).rejects.toMatchObject({
          name: 'ValidationException',
        });
      await expectInvalid(
        door,
        sendStreams(door, 'GetRecords', { ShardIterator: iterator, Limit: 1_001 }),
        "1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: " +
          'Member must have value less than or equal to 1000',
      );
    });
  });

  describe('a stream that is switched off', () => {
    it('can still be read to the end of its shards, beside the one that follows it', async () => {
      const { TableName, arn } = await streamedTable(door, 'NEW_IMAGE');
      const put = (pk: string) =>
        door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }));
      await put('a');
      await switchStream(door, TableName, undefined);
      await put('between');
      const second = await switchStream(door, TableName, 'KEYS_ONLY');
      await put('b');
      expect(second).not.toBe(arn);
      expect(pksOf(await recordsOf(door, second, 1))).toEqual(['b']);
      const { StreamDescription: ended } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      expect(ended.StreamStatus).toBe('DISABLED');
      const found: string[] = [];
      for (const { ShardId, SequenceNumberRange } of ended.Shards) {
        expect(SequenceNumberRange.EndingSequenceNumber).toMatch(/^\d{21,40}$/);
        let next: string | undefined = await iteratorOf(door, {
          StreamArn: arn,
          ShardId,
          ShardIteratorType: 'TRIM_HORIZON',
        });
        while (next !== undefined) {
          const page: GetRecordsOutput = await sendStreams(door, 'GetRecords', { ShardIterator: next });
          found.push(...pksOf(page.Records));
          next = page.NextShardIterator;
        }
      }
      expect(found).toEqual(['a']);
      const { Streams } = await sendStreams(door, 'ListStreams', { TableName });
      expect(Streams.map(({ StreamArn }) => StreamArn).sort()).toEqual([arn, second].sort());
    });

    it('can still be read when its table is gone', async () => {
      const { TableName, arn } = await streamedTable(door, 'NEW_IMAGE');
      await door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));
      await recordsOf(door, arn, 1);
      await door.client.send(new DeleteTableCommand({ TableName }));
      await waitUntilTableNotExists({ client: door.client, ...waiting }, { TableName });
      const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn: arn });
      expect(StreamDescription).toMatchObject({ StreamStatus: 'DISABLED', TableName });
      expect(pksOf(await recordsOf(door, arn, 1))).toEqual(['a']);
      const again = await streamedTable(door, 'NEW_IMAGE', { TableName });
      expect(again.arn).not.toBe(arn);
      expect(pksOf(await recordsOf(door, arn, 1))).toEqual(['a']);
    });
  });
});

const numbered: Partial<CreateTableCommandInput> = {
  AttributeDefinitions: [{ AttributeName: 'Id', AttributeType: 'N' }],
  KeySchema: [{ AttributeName: 'Id', KeyType: 'HASH' }],
};

const sorted: Partial<CreateTableCommandInput> = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
};

async function streamedTable(
  door: Door,
  StreamViewType: ViewType,
  definition: Partial<CreateTableCommandInput> = {},
): Promise<{ TableName: string; arn: string; label: string }> {
  const TableName = await door.createTable({
    ...definition,
    StreamSpecification: { StreamEnabled: true, StreamViewType },
  });
  const { Table } = await door.client.send(new DescribeTableCommand({ TableName }));
  return { TableName, arn: Table!.LatestStreamArn!, label: Table!.LatestStreamLabel! };
}

async function switchStream(door: Door, TableName: string, viewType: ViewType | undefined): Promise<string> {
  await door.client.send(
    new UpdateTableCommand({
      TableName,
      StreamSpecification:
        viewType === undefined ? { StreamEnabled: false } : { StreamEnabled: true, StreamViewType: viewType },
    }),
  );
  await waitUntilTableExists({ client: door.client, ...waiting }, { TableName });
  const { Table } = await door.client.send(new DescribeTableCommand({ TableName }));
  return Table!.LatestStreamArn!;
}

async function iteratorOf(door: Door, input: GetShardIteratorInput): Promise<string> {
  return (await sendStreams(door, 'GetShardIterator', input)).ShardIterator;
}

/** All records from an iterator on, until a few pages in a row are empty. */
async function drain(door: Door, iterator: string): Promise<Records> {
  const found: Records = [];
  let next: string | undefined = iterator;
  for (let idle = 0; idle < (door.onAws ? 20 : 2) && next !== undefined; ) {
    const page: GetRecordsOutput = await sendStreams(door, 'GetRecords', { ShardIterator: next });
    idle = page.Records.length === 0 ? idle + 1 : 0;
    found.push(...page.Records);
    next = page.NextShardIterator;
  }
  return found;
}

async function recordsFrom(door: Door, input: GetShardIteratorInput): Promise<Records> {
  return drain(door, await iteratorOf(door, input));
}

/** The records of all shards from their beginning; looks again while there are fewer than there must be. */
async function recordsOf(door: Door, StreamArn: string, count: number): Promise<Records> {
  for (let tries = 0; ; tries++) {
    const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn });
    const found: Records = [];
    for (const { ShardId } of StreamDescription.Shards)
      found.push(...(await recordsFrom(door, { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' })));
    if (found.length >= count || !door.onAws || tries === 20) {
      expect(found).toHaveLength(count);
      return found;
    }
  }
}

async function shardWith(door: Door, StreamArn: string, record: Records[number]): Promise<string> {
  const { StreamDescription } = await sendStreams(door, 'DescribeStream', { StreamArn });
  for (const { ShardId } of StreamDescription.Shards) {
    const found = await recordsFrom(door, { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    if (found.some(({ eventID }) => eventID === record.eventID)) return ShardId;
  }
  throw new Error('the record is in no shard');
}

function sortKeys(records: Records): number[] {
  return records.map(({ dynamodb }) => Number(dynamodb.Keys.sk!.N));
}

function pksOf(records: Records): string[] {
  return records.map(({ dynamodb }) => dynamodb.Keys.pk!.S!);
}
