import {
  ApplicationAutoScalingClient,
  PutScalingPolicyCommand,
  RegisterScalableTargetCommand,
} from '@aws-sdk/client-application-auto-scaling';
import { Stator, VirtualClock } from '../../src/index.ts';
import { bar, count, line, type Picture, paint, path, textAt } from './paper.ts';

interface Minute {
  readonly load: number;
  readonly capacity: number;
  readonly refused: number;
}

const unitsOfRead = 100;
const target = {
  ServiceNamespace: 'dynamodb',
  ResourceId: 'table/orders',
  ScalableDimension: 'dynamodb:table:ReadCapacityUnits',
} as const;

/** Half an hour with a jump from 60 to 500 read units a second, on a table that is scaled to a target of 70 %. */
async function spike(): Promise<Minute[]> {
  const clock = new VirtualClock(Date.parse('2026-11-18T09:00:00Z'));
  const db = await Stator.open({ clock, physics: 'enforce', observe: true, seed: 1 });
  const { url } = await db.listen({ port: 0 });
  await db.createTable({
    TableName: 'orders',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 1_000 },
  });
  const wait = async (ms: number) => {
    clock.advanceMs(ms);
    await db.settled();
  };
  await wait(60_000);
  for (let key = 0; key < 40; key++) {
    await db.putItem({
      TableName: 'orders',
      Item: { id: { S: `k${key}` }, text: { S: 'x'.repeat(399_000) } },
    });
    await wait(1_000);
  }
  const scaling = new ApplicationAutoScalingClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  });
  await scaling.send(new RegisterScalableTargetCommand({ ...target, MinCapacity: 20, MaxCapacity: 1_000 }));
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
  await wait(20_000); // alarms count whole minutes of the clock
  const minutes: Minute[] = [];
  let reads = 0;
  for (let minute = 0; minute < 26; minute++) {
    const load = minute < 8 ? 60 : 500;
    let [refused, owed] = [0, 0];
    for (let second = 0; second < 60; second += 5) {
      for (owed += load * 5; owed >= unitsOfRead; owed -= unitsOfRead)
        await db
          .query({
            TableName: 'orders',
            KeyConditionExpression: 'id = :id',
            ExpressionAttributeValues: { ':id': { S: `k${reads++ % 40}` } },
            Select: 'COUNT',
            ConsistentRead: true,
          })
          .catch(() => refused++);
      clock.advanceMs(5_000);
    }
    await db.settled();
    const { Table } = await db.describeTable({ TableName: 'orders' });
    const capacity = Table!.ProvisionedThroughput!.ReadCapacityUnits!;
    minutes.push({ load, capacity, refused: Math.round((refused * unitsOfRead) / 60) });
  }
  scaling.destroy();
  await db.close();
  return minutes;
}

export async function autoScaling(): Promise<Picture> {
  const minutes = await spike();
  const [left, right, top, bottom] = [70, 600, 24, 220];
  const width = (right - left) / minutes.length;
  const x = (minute: number) => left + minute * width;
  const y = (units: number) => bottom - (units / 800) * (bottom - top);
  const parts = [textAt(left - 14, 16, 't s d', 'read units/s', 'middle')];
  for (const units of [0, 200, 400, 600])
    parts.push(
      line(left, y(units), right, y(units)),
      textAt(left - 10, y(units) + 4, 't s d', count(units), 'end'),
    );
  for (const [i, { load, refused }] of minutes.entries()) {
    const answered = load - refused;
    parts.push(bar(x(i), y(answered), width - 1, bottom - y(answered), 'e0', 0.55));
    if (refused > 0) parts.push(bar(x(i), y(load), width - 1, y(answered) - y(load), 'e1', 0.85));
  }
  // The capacity was asked for at the end of each minute.
  const steps = minutes.flatMap(({ capacity }, i) => [
    [x(i), y(i === 0 ? capacity : minutes[i - 1]!.capacity)] as const,
    [x(i + 1), y(i === 0 ? capacity : minutes[i - 1]!.capacity)] as const,
  ]);
  parts.push(path([...steps, [right, y(minutes.at(-1)!.capacity)]], 'e2', 2.5));
  for (const minute of [0, 5, 10, 15, 20, 25])
    parts.push(textAt(x(minute), bottom + 18, 't s d', `${minute} min`, 'middle'));
  parts.push(paint(right + 8, y(minutes.at(-1)!.capacity) + 4, 't t600', 'e2', 'provisioned'));
  parts.push(paint(right + 8, y(500) + 4, 't t600', 'e0', 'asked for'));
  const first = minutes.findIndex(({ refused }) => refused > 0);
  const last = minutes.findLastIndex(({ refused }) => refused > 0);
  parts.push(paint(x(first), y(500) - 34, 't s', 'e1', `throttled for ${last - first + 1} minutes`));
  parts.push(paint(x(8) - 6, y(500) + 12, 't s', 'dim', 'one minute of saved burst', 'end'));
  return {
    width: 700,
    height: 250,
    title: 'Auto scaling after a jump from 60 to 500 read units a second',
    body: parts.join(''),
  };
}
