import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

it('deletions by Time to Live are counted, and consume nothing of the table and its index', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 3, 10));
  await using db = await Stator.open({ clock, observe: true, physics: 'off' });
  await db.createTable({
    ...{ TableName: 'Locks', BillingMode: 'PAY_PER_REQUEST' },
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: ['pk', 'owner'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-owner',
        KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expires' };
  await db.updateTimeToLive({ TableName: 'Locks', TimeToLiveSpecification });
  const expires = { N: `${Math.floor(clock.nowMs() / 1000) + 30}` };
  for (const id of ['1', '2', '3'])
    await db.putItem({ TableName: 'Locks', Item: { pk: { S: id }, owner: { S: 'a' }, expires } });
  clock.advanceMs(120_000);
  await db.settled();

  const sumOf = async (name: string, index: string[] = []) => {
    const dimensions = [
      ...index.map((value) => ({ name: 'GlobalSecondaryIndexName', value })),
      { name: 'TableName', value: 'Locks' },
    ];
    const key = {
      accountId: '000000000000',
      region: 'us-east-1',
      namespace: 'AWS/DynamoDB',
      name,
      dimensions,
    };
    const minutes = await db.observation.read(key, 0, Number.MAX_SAFE_INTEGER);
    return minutes.reduce((all, { sum }) => all + sum, 0);
  };
  expect(await sumOf('TimeToLiveDeletedItemCount')).toBe(3);
  expect(await sumOf('ConsumedWriteCapacityUnits')).toBe(3);
  expect(await sumOf('ConsumedWriteCapacityUnits', ['by-owner'])).toBe(3);
});
