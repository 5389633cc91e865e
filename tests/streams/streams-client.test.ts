import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import {
  DescribeStreamCommand,
  DynamoDBStreams,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const readStream = createRequire(import.meta.url)('dynamodb-streams-readable') as (
  client: DynamoDBStreams,
  arn: string,
  options: { shardId: string; iterator: 'TRIM_HORIZON'; readInterval: number },
) => Readable;

const TableName = 'followed';
const minuteMs = 60_000;

describe('the SDK client for streams', () => {
  let db: Stator;
  const clock = new VirtualClock(Date.UTC(2026, 10, 15));
  afterEach(() => db.close());

  async function open(): Promise<string> {
    db = await Stator.open({ clock });
    const { TableDescription } = await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    return TableDescription!.LatestStreamArn!;
  }

  const put = (pk: string, v: number) => db.putItem({ TableName, Item: { pk: { S: pk }, v: { N: `${v}` } } });

  it('reads a stream of the database in this process, shard by shard', async () => {
    const StreamArn = await open();
    for (let i = 0; i < 20; i++) await put(`${i % 5}`, i);
    const client = db.streamsClient();
    expect(client).toBeInstanceOf(DynamoDBStreamsClient);
    expect((await client.send(new ListStreamsCommand({ TableName }))).Streams).toMatchObject([{ StreamArn }]);
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
    const records: StreamRecord[] = [];
    for (const { ShardId } of StreamDescription!.Shards!) {
      const { ShardIterator } = await client.send(
        new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
      );
      records.push(...(await client.send(new GetRecordsCommand({ ShardIterator }))).Records!);
    }
    expect(records).toHaveLength(20);
    expect(records[0]!.dynamodb!.ApproximateCreationDateTime).toBeInstanceOf(Date);
    for (const pk of ['0', '1', '2', '3', '4']) {
      const own = records.filter(({ dynamodb }) => dynamodb!.Keys!.pk!.S === pk);
      expect(own.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'MODIFY', 'MODIFY']);
      expect(own.map(({ dynamodb }) => Number(dynamodb!.NewImage!.v!.N))).toEqual(
        [0, 5, 10, 15].map((v) => v + Number(pk)),
      );
    }
    client.destroy();
  });

  it('is told of an expired iterator by its own exception', async () => {
    const StreamArn = await open();
    await put('a', 1);
    const client = db.streamsClient();
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
    const { ShardId } = StreamDescription!.Shards![0]!;
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    clock.advanceMs(16 * minuteMs);
    await expect(client.send(new GetRecordsCommand({ ShardIterator }))).rejects.toBeInstanceOf(
      ExpiredIteratorException,
    );
    client.destroy();
  });

  it('feeds dynamodb-streams-readable over HTTP', async () => {
    const StreamArn = await open();
    for (let i = 0; i < 12; i++) await put(`${i % 4}`, i);
    // The shards of a stream that is switched off have an end, at which the consumer ends too.
    await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    const { url } = await db.listen({ port: 0 });
    const client = new DynamoDBStreams({
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    });
    const { StreamDescription } = await client.describeStream({ StreamArn });
    const read = await Promise.all(
      StreamDescription!.Shards!.map(async ({ ShardId }) => readToEnd(client, StreamArn, ShardId!)),
    );
    const values = read.map((records) => records.map(({ dynamodb }) => Number(dynamodb!.NewImage!.v!.N)));
    expect(values.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    client.destroy();
  });
});

/** Each event has some records. */
async function readToEnd(client: DynamoDBStreams, arn: string, shardId: string): Promise<StreamRecord[]> {
  const records: StreamRecord[] = [];
  const batches = readStream(client, arn, { shardId, iterator: 'TRIM_HORIZON', readInterval: 1 });
  for await (const batch of batches) records.push(...(batch as StreamRecord[]));
  return records;
}
