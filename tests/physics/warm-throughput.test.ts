import { DescribeTableCommand, ScanCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { opened, resourceOf, tableWith } from './load.ts';

const TableName = 'Tracking';
let db: Stator;
afterEach(() => db.close());

async function tracking(physics: 'shadow' | 'enforce') {
  const byStatus = {
    IndexName: 'by-status',
    KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' as const }],
    Projection: { ProjectionType: 'ALL' as const },
  };
  const AttributeDefinitions = [
    ...tableWith().AttributeDefinitions!,
    { AttributeName: 'status', AttributeType: 'S' as const },
  ];
  const all = await opened(tableWith({ AttributeDefinitions, GlobalSecondaryIndexes: [byStatus] }), {
    physics,
  });
  db = all.db;
  const described = async () => {
    const { Table } = await all.client.send(new DescribeTableCommand({ TableName }));
    return [Table!.WarmThroughput, Table!.GlobalSecondaryIndexes![0]!.WarmThroughput];
  };
  const ask = (ReadUnitsPerSecond: number, WriteUnitsPerSecond: number) =>
    all.client.send(
      new UpdateTableCommand({ TableName, WarmThroughput: { ReadUnitsPerSecond, WriteUnitsPerSecond } }),
    );
  return { ...all, described, ask };
}

const warm = (ReadUnitsPerSecond: number, WriteUnitsPerSecond: number, Status = 'ACTIVE') => ({
  ...{ ReadUnitsPerSecond, WriteUnitsPerSecond, Status },
});

describe('WarmThroughput of DescribeTable', () => {
  it('is what the partitions give: a peak of traffic raises it half an hour later', async () => {
    const { clock, described, ask } = await tracking('shadow');
    expect(await described()).toEqual([warm(12_000, 4_000), warm(12_000, 4_000)]);
    const { model } = db.engine.capacity;
    const key = new Uint8Array(27);
    // 3,800 write units a second for two minutes over the whole of the table: too many for requests of their own.
    for (let second = 0; second < 120; second++) {
      for (let i = 0; i < 4; i++)
        model.charge(resourceOf(db), 'write', (i + 0.5) * 2 ** 51, key, 27, 950, clock.nowMs());
      clock.advanceMs(1_000);
    }
    expect(await described()).toEqual([warm(12_000, 4_000), warm(12_000, 4_000)]);
    clock.advanceMs(31 * 60_000);
    expect(await described()).toEqual([warm(12_000, 7_600), warm(12_000, 4_000)]);
    // It never falls, so that less than what traffic has brought is refused.
    await expect(ask(12_000, 5_000)).rejects.toThrow(
      'Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported',
    );
    await ask(12_000, 9_000);
    expect(await described()).toEqual([warm(12_000, 9_000), warm(12_000, 4_000)]);
  });

  it('is UPDATING in enforce until the partitions have come, with or without traffic', async () => {
    const { client, clock, described, ask } = await tracking('enforce');
    const { TableDescription } = await ask(12_000, 8_000);
    expect(TableDescription).toMatchObject({
      TableStatus: 'ACTIVE',
      WarmThroughput: warm(12_000, 8_000, 'UPDATING'),
    });
    expect((await described())[0]).toEqual(warm(12_000, 8_000, 'UPDATING'));
    clock.advanceMs(7 * 60_000);
    expect(await described()).toEqual([warm(12_000, 8_000), warm(12_000, 4_000)]);
    const scan = new ScanCommand({ TableName, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
    expect((await client.send(scan)).ConsumedCapacity!.CapacityUnits).toBe(8);
  });
});
