import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

it('the age of the records that a stream gives is a metric', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 3, 10));
  const db = await Stator.open({ clock, observe: true, physics: 'off' });
  const { url } = await db.listen({ port: 0 });
  await db.createTable({
    ...{ TableName: 'Orders', BillingMode: 'PAY_PER_REQUEST' },
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
  });
  const { Streams } = await db.listStreams({ TableName: 'Orders' });
  const { StreamArn, StreamLabel } = Streams![0]!;
  const { StreamDescription } = await db.describeStream({ StreamArn: StreamArn! });
  const iterators = await Promise.all(
    StreamDescription!.Shards!.map(async ({ ShardId }) => {
      const asked = { StreamArn: StreamArn!, ShardId: ShardId!, ShardIteratorType: 'TRIM_HORIZON' } as const;
      return (await db.getShardIterator(asked)).ShardIterator!;
    }),
  );
  /** Reads all shards, and answers the iterators after it. */
  const readOn = async () => {
    for (const [i, iterator] of iterators.entries())
      iterators[i] = (await db.getRecords({ ShardIterator: iterator })).NextShardIterator!;
  };
  const key = {
    ...{ accountId: '000000000000', region: 'us-east-1', namespace: 'Stator/Streams', name: 'IteratorAge' },
    dimensions: [
      { name: 'StreamLabel', value: StreamLabel! },
      { name: 'TableName', value: 'Orders' },
    ],
  };
  const minutes = () => db.observation.read(key, 0, Number.MAX_SAFE_INTEGER);

  await readOn();
  expect(await minutes()).toEqual([]);
  await db.putItem({ TableName: 'Orders', Item: { pk: { S: '1' } } });
  clock.advanceMs(90_000);
  await readOn();
  // Nothing new is no record.
  clock.advanceMs(60_000);
  await readOn();
  expect(await minutes()).toMatchObject([{ count: 1, sum: 90_000, max: 90_000 }]);
  const text = await (await fetch(`${url}/_stator/metrics`)).text();
  expect(text).toMatch(/\nstator_stream_iterator_age\{.*table="Orders".*\} 90000\n/);
  await db.close();
});
