import {
  ApplicationAutoScalingClient,
  DescribeScalingActivitiesCommand,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchClient, PutMetricAlarmCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: 'table/orders/index/byStatus',
  ScalableDimension: 'dynamodb:index:ReadCapacityUnits',
} as const;

it('auto scaling of an index keeps to the number of decreases that a day allows', async () => {
  const clock = new VirtualClock(Date.parse('2026-03-03T00:00:00Z'));
  const db = Stator.inMemory({ clock, observe: true, physics: 'enforce', seed: 1 });
  const config = {
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  };
  const scaling = new ApplicationAutoScalingClient(config);
  const cloudWatch = new CloudWatchClient(config);
  const throughput = { ReadCapacityUnits: 100, WriteCapacityUnits: 50 };
  await db.createTable({
    TableName: 'orders',
    AttributeDefinitions: ['id', 'status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: throughput,
    GlobalSecondaryIndexes: [
      {
        ...{ IndexName: 'byStatus', Projection: { ProjectionType: 'KEYS_ONLY' } },
        KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
        ProvisionedThroughput: throughput,
      },
    ],
  });
  /** A minute with a queue of so many messages; the capacity of the index after it. */
  const minute = async (Value: number): Promise<number> => {
    const MetricData = [{ MetricName: 'queue', Value, Timestamp: new Date(clock.nowMs()) }];
    await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'App', MetricData }));
    clock.advanceMs(60_000);
    await db.settled();
    const { Table } = await db.describeTable({ TableName: 'orders' });
    expect(Table!.ProvisionedThroughput).toMatchObject(throughput);
    const [index] = Table!.GlobalSecondaryIndexes!;
    expect(index!.ProvisionedThroughput!.WriteCapacityUnits).toBe(50);
    return index!.ProvisionedThroughput!.ReadCapacityUnits!;
  };
  for (let i = 0; i < 3; i++) await minute(50);
  await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 1, MaxCapacity: 100 }));
  const { PolicyARN } = await scaling.send(
    new PutScalingPolicyCommand({
      ...{ ...target, PolicyName: 'in', PolicyType: 'StepScaling' },
      StepScalingPolicyConfiguration: {
        AdjustmentType: 'ChangeInCapacity',
        StepAdjustments: [{ MetricIntervalUpperBound: 0, ScalingAdjustment: -10 }],
      },
    }),
  );
  await cloudWatch.send(
    new PutMetricAlarmCommand({
      ...{ AlarmName: 'quiet', Namespace: 'App', MetricName: 'queue', Statistic: 'Average', Period: 60 },
      ...{ EvaluationPeriods: 1, ComparisonOperator: 'LessThanThreshold', Threshold: 10 },
      AlarmActions: [PolicyARN!],
    }),
  );
  const found: number[] = [];
  for (let i = 0; i < 10; i++) found.push(await minute(1));
  // Four decreases at any time of the day; after that one in an hour without any.
  expect(found).toEqual([90, 80, 70, 60, 60, 60, 60, 60, 60, 60]);
  const activities = async () => {
    const { ScalingActivities = [] } = await scaling.send(new DescribeScalingActivitiesCommand(target));
    return ScalingActivities.map(({ StatusCode, StatusMessage }) => [StatusCode, StatusMessage] as const);
  };
  const [refused, ...others] = await activities();
  expect(refused![0]).toBe('Failed');
  expect(refused![1]).toMatch(/Failed to set read capacity units to 50\. Reason: .*decrease/i);
  expect(others.map(([status]) => status)).toEqual(['Successful', 'Successful', 'Successful', 'Successful']);
  for (let i = 0; i < 60; i++) found.push(await minute(1));
  expect(found.at(-1)).toBe(50);
  for (const client of [scaling, cloudWatch]) client.destroy();
  await db.close();
});

it('auto scaling takes nothing away where nobody counts requests', async () => {
  const clock = new VirtualClock(Date.parse('2026-03-03T00:00:00Z'));
  const db = Stator.inMemory({ clock });
  const scaling = new ApplicationAutoScalingClient({
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  });
  await db.createTable({
    TableName: 'orders',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 100 },
  });
  const table = {
    ServiceNamespace: 'dynamodb',
    ResourceId: 'table/orders',
    ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
  } as const;
  await scaling.send(new RegisterScalableTargetCommand({ ...table, MinCapacity: 1, MaxCapacity: 200 }));
  await scaling.send(
    new PutScalingPolicyCommand({
      ...{ ...table, PolicyName: 'writes', PolicyType: 'TargetTrackingScaling' },
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 70,
        PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBWriteCapacityUtilization' },
      },
    }),
  );
  for (let minute = 0; minute < 20; minute++) {
    for (let i = 0; i < 5; i++) await db.putItem({ TableName: 'orders', Item: { id: { S: `${i}` } } });
    clock.advanceMs(60_000);
    await db.settled();
  }
  const { Table } = await db.describeTable({ TableName: 'orders' });
  expect(Table!.ProvisionedThroughput!.WriteCapacityUnits).toBe(100);
  scaling.destroy();
  await db.close();
});
