import {
  ApplicationAutoScalingClient,
  DescribeScalingActivitiesCommand,
  DescribeScheduledActionsCommand,
  PutScalingPolicyCommand,
  PutScheduledActionCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import type { StatorServer } from '../../src/server.ts';

/** A Tuesday at midnight. */
const start = Date.parse('2026-03-03T00:00:00Z');
const tableName = 'orders';
/** A strongly consistent read of this item takes ten units. */
const unitsOfRead = 10;

class Simulation {
  readonly clock = new VirtualClock(start);
  readonly db: Stator;
  server: StatorServer | undefined;
  throttled = 0;
  done = 0;

  constructor() {
    this.db = Stator.inMemory({ clock: this.clock, physics: 'enforce', observe: true, seed: 1 });
  }

  async open(read: number): Promise<void> {
    this.server = await this.db.listen({ port: 0 });
    await this.db.createTable({
      TableName: tableName,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: 2_000 },
    });
    await this.pass(120);
    for (let key = 0; key < keys; key++)
      await this.db.putItem({
        TableName: tableName,
        Item: { id: { S: `k${key}` }, text: { S: 'x'.repeat(39_000) } },
      });
  }

  get config() {
    return {
      endpoint: this.server!.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    };
  }

  /** Seconds go by without any load. */
  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 60) {
      this.clock.advanceMs(Math.min(60, left) * 1000);
      await this.db.settled();
    }
  }

  /** A minute of load, in steps of five seconds. Answers how many reads were throttled in it. */
  async minute(unitsPerSecond: number): Promise<number> {
    const before = this.throttled;
    let owed = 0;
    for (let second = 0; second < 60; second += 5) {
      owed += unitsPerSecond * 5;
      for (; owed >= unitsOfRead; owed -= unitsOfRead) await this.#read();
      this.clock.advanceMs(5_000);
    }
    await this.db.settled();
    return this.throttled - before;
  }

  async #read(): Promise<void> {
    const key = `k${(this.done + this.throttled) % keys}`;
    try {
      await this.db.getItem({ TableName: tableName, Key: { id: { S: key } }, ConsistentRead: true });
      this.done++;
    } catch (error) {
      expect((error as Error).name).toBe('ProvisionedThroughputExceededException');
      this.throttled++;
    }
  }

  async capacity(): Promise<number> {
    const { Table } = await this.db.describeTable({ TableName: tableName });
    return Table!.ProvisionedThroughput!.ReadCapacityUnits!;
  }
}

const keys = 40;
let open: Simulation | undefined;
afterEach(async () => {
  await open?.db.close();
  open = undefined;
});

const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: `table/${tableName}`,
  ScalableDimension: 'dynamodb:table:ReadCapacityUnits',
} as const;

async function tracked(capacity: number, min: number, max: number): Promise<Simulation> {
  const simulation = new Simulation();
  open = simulation;
  await simulation.open(capacity);
  const scaling = new ApplicationAutoScalingClient(simulation.config);
  await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: min, MaxCapacity: max }));
  await scaling.send(
    new PutScalingPolicyCommand({
      ...target,
      PolicyName: 'reads',
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingScalingPolicyConfiguration: {
        TargetValue: 70,
        PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBReadCapacityUtilization' },
      },
    }),
  );
  await simulation.db.settled();
  return simulation;
}

describe('auto scaling in simulated time', () => {
  it('makes the alarms of the service', async () => {
    const simulation = await tracked(5, 5, 100);
    const cloudWatch = new CloudWatchClient(simulation.config);
    const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    const shown = MetricAlarms.map((alarm) => [
      alarm.AlarmName!.replace(/-[0-9a-f]{8}-[0-9a-f]{4}-.*$/, ''),
      ...[alarm.MetricName, alarm.Statistic, alarm.Period, alarm.EvaluationPeriods],
      ...[alarm.ComparisonOperator, alarm.Threshold],
    ]);
    expect(shown.sort()).toEqual([
      [
        ...['TargetTracking-table/orders-AlarmHigh', 'ConsumedReadCapacityUnits', 'Sum', 60, 2],
        ...['GreaterThanThreshold', 210],
      ],
      [
        ...['TargetTracking-table/orders-AlarmLow', 'ConsumedReadCapacityUnits', 'Sum', 60, 15],
        ...['LessThanThreshold', 150],
      ],
      [
        ...['TargetTracking-table/orders-ProvisionedCapacityHigh', 'ProvisionedReadCapacityUnits', 'Average'],
        ...[300, 3, 'GreaterThanThreshold', 5],
      ],
      [
        ...['TargetTracking-table/orders-ProvisionedCapacityLow', 'ProvisionedReadCapacityUnits', 'Average'],
        ...[300, 3, 'LessThanThreshold', 5],
      ],
    ]);
  });

  it('follows the curve of a day', async () => {
    const simulation = await tracked(40, 20, 400);
    const curve: { load: number; capacity: number }[] = [];
    // A day in four hours: from 20 units a second up to 160 and down again.
    for (let minute = 0; minute < 240; minute++) {
      const load = Math.round(90 - 70 * Math.cos((2 * Math.PI * minute) / 240));
      await simulation.minute(load);
      curve.push({ load, capacity: await simulation.capacity() });
    }
    expect(simulation.throttled).toBe(0);
    // Never less than the load, and at its top what 70 % of 160 asks for.
    expect(curve.filter(({ load, capacity }) => capacity < load)).toEqual([]);
    expect(Math.max(...curve.map(({ capacity }) => capacity))).toBe(Math.ceil(160 / 0.7));
    // On the way up it stays within three minutes of the target; on the way down it is slow, and follows in steps.
    const up = curve.slice(30, 120).map(({ load, capacity }) => load / capacity);
    expect(Math.max(...up)).toBeLessThan(0.78);
    expect(Math.min(...up)).toBeGreaterThan(0.66);
    expect(curve[180]!.capacity).toBe(229);
    expect(curve[239]!.capacity).toBeLessThan(80);
    expect(curve[239]!.capacity).toBeGreaterThanOrEqual(20);
  });

  it('throttles a sharp spike first', async () => {
    const simulation = await tracked(100, 20, 1_000);
    for (let minute = 0; minute < 20; minute++) await simulation.minute(60);
    const spike: { throttled: number; capacity: number }[] = [];
    for (let minute = 0; minute < 12; minute++)
      spike.push({ throttled: await simulation.minute(500), capacity: await simulation.capacity() });
    // Burst capacity carries the first minute. Then reads are refused until the capacity has come after the load, in
    // steps, since a throttled table consumes hardly more than it has.
    expect(spike[0]!.throttled).toBe(0);
    expect(spike.slice(1, 6).every(({ throttled }) => throttled > 500)).toBe(true);
    expect(spike.slice(7).map(({ throttled }) => throttled)).toEqual([0, 0, 0, 0, 0]);
    const steps = [...new Set(spike.map(({ capacity }) => capacity))];
    expect(steps).toEqual([100, 274, 392, 560, Math.ceil(500 / 0.7)]);
    const scaling = new ApplicationAutoScalingClient(simulation.config);
    const { ScalingActivities = [] } = await scaling.send(new DescribeScalingActivitiesCommand(target));
    expect(ScalingActivities.map(({ Description, StatusCode }) => [Description, StatusCode])).toEqual(
      [715, 560, 392, 274].map((units) => [`Setting read capacity units to ${units}.`, 'Successful']),
    );
    expect(ScalingActivities[0]!.Cause).toMatch(
      /^monitor alarm TargetTracking-table\/orders-AlarmHigh-[0-9a-f-]{36} in state ALARM triggered policy reads$/,
    );
  });

  it('acts on new bounds at once, and pulls an idle table back to its minimum', async () => {
    const simulation = await tracked(100, 20, 1_000);
    const scaling = new ApplicationAutoScalingClient(simulation.config);
    await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 150 }));
    await simulation.db.settled();
    expect(await simulation.capacity()).toBe(150);
    // A capacity below the minimum that somebody sets by hand is let be.
    const set = (ReadCapacityUnits: number) =>
      simulation.db.updateTable({
        TableName: tableName,
        ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits: 2_000 },
      });
    await simulation.pass(120);
    await set(120);
    await simulation.pass(20 * 60);
    expect(await simulation.capacity()).toBe(120);
    await set(400);
    await simulation.pass(4 * 60);
    expect(await simulation.capacity()).toBe(150);
    const { ScalingActivities = [] } = await scaling.send(new DescribeScalingActivitiesCommand(target));
    expect(ScalingActivities.map(({ Cause }) => Cause!.replace(/-[0-9a-f]{8}-\S*/, ''))).toEqual([
      'monitor alarm TargetTracking-table/orders-AlarmLow in state ALARM triggered policy reads',
      'minimum capacity was set to 150',
    ]);
  });

  it('runs scheduled actions in their time zone, and once', async () => {
    const simulation = await tracked(100, 100, 1_000);
    const scaling = new ApplicationAutoScalingClient(simulation.config);
    await scaling.send(
      new PutScheduledActionCommand({
        ...target,
        ScheduledActionName: 'morning',
        Schedule: 'cron(30 1 * * ? *)',
        Timezone: 'Europe/Berlin',
        ScalableTargetAction: { MinCapacity: 300 },
      }),
    );
    await scaling.send(
      new PutScheduledActionCommand({
        ...target,
        ScheduledActionName: 'once',
        Schedule: 'at(2026-03-03T00:40:00)',
        ScalableTargetAction: { MinCapacity: 90, MaxCapacity: 90 },
      }),
    );
    await simulation.pass(29 * 60 - 120);
    expect(await simulation.capacity()).toBe(100);
    await simulation.pass(3 * 60);
    expect(await simulation.capacity()).toBe(300);
    await simulation.pass(12 * 60);
    expect(await simulation.capacity()).toBe(90);
    const { ScheduledActions = [] } = await scaling.send(
      new DescribeScheduledActionsCommand({ ServiceNamespace: 'dynamodb' }),
    );
    expect(ScheduledActions.map(({ ScheduledActionName }) => ScheduledActionName)).toEqual(['morning']);
  });
});
