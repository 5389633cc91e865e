import {
  ApplicationAutoScalingClient,
  DescribeScalingActivitiesCommand,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
  type StepScalingPolicyConfiguration,
} from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchClient, PutMetricAlarmCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: 'table/orders',
  ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
} as const;
const startMs = Date.parse('2026-03-03T00:00:00Z');

let clock: VirtualClock;
let db: Stator;
let scaling: ApplicationAutoScalingClient;
let cloudWatch: CloudWatchClient;

beforeEach(async () => {
  clock = new VirtualClock(startMs);
  db = Stator.inMemory({ clock, observe: true, physics: 'off' });
  const config = {
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  };
  scaling = new ApplicationAutoScalingClient(config);
  cloudWatch = new CloudWatchClient(config);
  await db.createTable({
    TableName: 'orders',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 100 },
  });
  await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 50, MaxCapacity: 400 }));
});

afterEach(async () => {
  scaling.destroy();
  cloudWatch.destroy();
  await db.close();
});

/** A policy and the alarm that sets it off: a queue of more, or less, than so many messages. */
async function policy(
  PolicyName: string,
  alarm: 'GreaterThanThreshold' | 'LessThanThreshold',
  Threshold: number,
  StepScalingPolicyConfiguration: StepScalingPolicyConfiguration,
): Promise<void> {
  const { PolicyARN } = await scaling.send(
    new PutScalingPolicyCommand({
      ...{ ...target, PolicyName, PolicyType: 'StepScaling' },
      StepScalingPolicyConfiguration,
    }),
  );
  await cloudWatch.send(
    new PutMetricAlarmCommand({
      ...{ AlarmName: PolicyName, Namespace: 'App', MetricName: 'queue', Statistic: 'Average', Period: 60 },
      ...{ EvaluationPeriods: 1, ComparisonOperator: alarm, Threshold, AlarmActions: [PolicyARN!] },
    }),
  );
}

/** Minutes with a queue of so many messages; the write capacity after each. */
async function capacities(...queue: number[]): Promise<number[]> {
  const found: number[] = [];
  for (const Value of queue) {
    await cloudWatch.send(
      new PutMetricDataCommand({
        Namespace: 'App',
        MetricData: [{ MetricName: 'queue', Value, Timestamp: new Date(clock.nowMs()) }],
      }),
    );
    clock.advanceMs(60_000);
    await db.settled();
    const { Table } = await db.describeTable({ TableName: 'orders' });
    found.push(Table!.ProvisionedThroughput!.WriteCapacityUnits!);
  }
  return found;
}

describe('step policies', () => {
  it('take the step that the distance from the threshold falls into, within the bounds', async () => {
    await policy('out', 'GreaterThanThreshold', 100, {
      AdjustmentType: 'ChangeInCapacity',
      StepAdjustments: [
        { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 50, ScalingAdjustment: 10 },
        { MetricIntervalLowerBound: 50, ScalingAdjustment: 150 },
      ],
    });
    // 100 is no breach; 149 is 49 above, 150 is 50 above.
    expect(await capacities(100, 149, 150, 150, 0, 101)).toEqual([100, 110, 260, 400, 400, 400]);
    const { ScalingActivities = [] } = await scaling.send(new DescribeScalingActivitiesCommand(target));
    expect(ScalingActivities.map(({ Description, Cause }) => [Description, Cause])).toEqual(
      [400, 260, 110].map((units) => [
        `Setting write capacity units to ${units}.`,
        'monitor alarm out in state ALARM triggered policy out',
      ]),
    );
  });

  it('add percentages of the capacity, and at least a given number', async () => {
    await policy('out', 'GreaterThanThreshold', 0, {
      ...{ AdjustmentType: 'PercentChangeInCapacity', MinAdjustmentMagnitude: 30 },
      StepAdjustments: [{ MetricIntervalLowerBound: 0, ScalingAdjustment: 25 }],
    });
    // 25 % of 100 and of 130 are fewer than or about 30; of 162 they are 40.
    expect(await capacities(1, 1, 1)).toEqual([130, 162, 202]);
  });

  it('set an exact capacity, and scale in below the threshold', async () => {
    await policy('quiet', 'LessThanThreshold', 10, {
      AdjustmentType: 'ExactCapacity',
      StepAdjustments: [
        { MetricIntervalUpperBound: -5, ScalingAdjustment: 20 },
        { MetricIntervalLowerBound: -5, MetricIntervalUpperBound: 0, ScalingAdjustment: 80 },
      ],
    });
    // 20 units are below the minimum of 50.
    expect(await capacities(50, 8, 2)).toEqual([100, 80, 50]);
  });

  it('wait for their cooldown, unless a larger step adds to what the last one added', async () => {
    await policy('out', 'GreaterThanThreshold', 0, {
      ...{ AdjustmentType: 'ChangeInCapacity', Cooldown: 180 },
      StepAdjustments: [
        { MetricIntervalLowerBound: 0, MetricIntervalUpperBound: 100, ScalingAdjustment: 10 },
        { MetricIntervalLowerBound: 100, ScalingAdjustment: 50 },
      ],
    });
    await policy('in', 'LessThanThreshold', 1, {
      ...{ AdjustmentType: 'ChangeInCapacity', Cooldown: 180 },
      StepAdjustments: [{ MetricIntervalUpperBound: 0, ScalingAdjustment: -20 }],
    });
    // Out at once, then not for three minutes.
    expect(await capacities(5, 5, 5, 5)).toEqual([110, 110, 110, 120]);
    // A step of 50 comes at once, and the 10 before it are a part of it.
    expect(await capacities(5, 200, 200)).toEqual([120, 160, 160]);
    // In waits for the cooldown after the last scaling, out and in.
    expect(await capacities(0, 0, 0, 0, 0)).toEqual([160, 140, 140, 140, 120]);
  });

  it('scale out by the largest wish of several policies', async () => {
    for (const [name, adjustment] of [
      ['small', 10],
      ['large', 70],
    ] as const)
      await policy(name, 'GreaterThanThreshold', 0, {
        AdjustmentType: 'ChangeInCapacity',
        StepAdjustments: [{ MetricIntervalLowerBound: 0, ScalingAdjustment: adjustment }],
      });
    expect(await capacities(1)).toEqual([170]);
  });

  it('refuse steps with gaps and bounds that make no sense', async () => {
    const wrong: readonly (readonly [StepScalingPolicyConfiguration, RegExp])[] = [
      [{ StepAdjustments: [{ ScalingAdjustment: 1 }] }, /adjustment type/],
      [{ AdjustmentType: 'ChangeInCapacity', StepAdjustments: [] }, /between 1 and 20/],
      [
        {
          AdjustmentType: 'ChangeInCapacity',
          StepAdjustments: [
            { MetricIntervalUpperBound: 0, ScalingAdjustment: 1 },
            { MetricIntervalLowerBound: 5, ScalingAdjustment: 1 },
          ],
        },
        /without gap or overlap/,
      ],
      [
        {
          ...{ AdjustmentType: 'ExactCapacity', Cooldown: -1 },
          StepAdjustments: [{ ScalingAdjustment: 1 }],
        },
        /cooldown/,
      ],
    ];
    for (const [StepScalingPolicyConfiguration, message] of wrong)
      await expect(
        scaling.send(
          new PutScalingPolicyCommand({
            ...{ ...target, PolicyName: 'wrong', PolicyType: 'StepScaling' },
            StepScalingPolicyConfiguration,
          }),
        ),
      ).rejects.toThrow(message);
  });
});

describe('cooldowns of target tracking', () => {
  it('hold back what comes soon after', async () => {
    await scaling.send(
      new PutScalingPolicyCommand({
        ...{ ...target, PolicyName: 'queue', PolicyType: 'TargetTrackingScaling' },
        TargetTrackingScalingPolicyConfiguration: {
          ...{ TargetValue: 50, ScaleOutCooldown: 300 },
          CustomizedMetricSpecification: {
            ...{ Namespace: 'App', MetricName: 'queue', Statistic: 'Average' },
          },
        },
      }),
    );
    // Three minutes above the target, then half as much again as the queue is too long; the next only after five minutes.
    expect(await capacities(75, 75, 75, 75, 75, 75, 75, 75)).toEqual([
      ...[100, 100, 150, 150, 150, 150, 150, 225],
    ]);
  });
});
