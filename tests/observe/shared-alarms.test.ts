import {
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { alarmLeaseKind } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { equalBytes } from '../../src/model/values/bytes.ts';
import { newDirectory } from '../storage/directories.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
let clock: VirtualClock;
let dbs: Stator[];
let clients: CloudWatchClient[];

/** Two databases on one store, as two servers have them. */
beforeEach(async () => {
  receiver = new WebhookReceiver();
  const webhook = await receiver.start();
  clock = new VirtualClock(Date.parse('2026-03-03T10:00:00Z'));
  const directory = await newDirectory();
  const open = () =>
    Stator.open({
      ...{ clock, observe: true, alarmActions: { page: { webhook } } },
      store: { directory, shared: true },
    });
  dbs = [await open(), await open()];
  clients = await Promise.all(
    dbs.map(async (db) => {
      const { url } = await db.listen({ port: 0 });
      const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
      return new CloudWatchClient({ endpoint: url, region: 'us-east-1', credentials });
    }),
  );
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  for (const db of dbs) await db.close();
  receiver.stop();
});

const settings = {
  ...{ AlarmName: 'busy', Namespace: 'App', MetricName: 'm', Period: 60, Threshold: 5 },
  ...{ EvaluationPeriods: 1, AlarmActions: ['page'], OKActions: ['page'] },
};

/** Each of some databases counts so much within a minute. */
async function minute(...values: number[]): Promise<void> {
  for (const [i, Value] of values.entries())
    await clients[i]!.send(
      new PutMetricDataCommand({
        Namespace: 'App',
        MetricData: [{ MetricName: 'm', Value, Timestamp: new Date(clock.nowMs()) }],
      }),
    );
  clock.advanceMs(60_000);
  for (const db of dbs) await db.observation.flush();
  // Alarms of a shared store are evaluated when the counts of all have come.
  clock.advanceMs(5_000);
  for (const db of dbs) await db.settled();
  clock.advanceMs(55_000);
  for (const db of dbs) await db.settled();
}

async function state(client: CloudWatchClient): Promise<string> {
  const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({}));
  return MetricAlarms![0]!.StateValue!;
}

async function sums(client: CloudWatchClient): Promise<number[]> {
  const { Datapoints = [] } = await client.send(
    new GetMetricStatisticsCommand({
      ...{ Namespace: 'App', MetricName: 'm', Period: 60, Statistics: ['Sum'] },
      ...{ StartTime: new Date(clock.nowMs() - 3_600_000), EndTime: new Date(clock.nowMs()) },
    }),
  );
  const byTime = Datapoints.sort((a, b) => a.Timestamp!.getTime() - b.Timestamp!.getTime());
  return byTime.map(({ Sum }) => Sum!);
}

const calls = () => receiver.calls.map(({ body }) => `${body.oldState} ${body.newState}`);

it('alarms of a shared store count what all processes counted, and act once', async () => {
  const [one, other] = clients as [CloudWatchClient, CloudWatchClient];
  await one.send(
    new PutMetricAlarmCommand({
      ...settings,
      ...{ Statistic: 'Sum', ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
    }),
  );
  await minute(1, 1);
  // Neither of them alone is above five.
  await minute(3, 3);
  expect([await state(one), await state(other)]).toEqual(['ALARM', 'ALARM']);
  expect([await sums(one), await sums(other)]).toEqual([
    [2, 6],
    [2, 6],
  ]);
  await minute(1, 1);
  expect(calls()).toEqual(['INSUFFICIENT_DATA OK', 'OK ALARM', 'ALARM OK']);

  // Whoever has evaluated until now goes; the other one goes on.
  const [gone] = dbs.splice(0, 1);
  clients.shift()!.destroy();
  await gone!.close();
  await minute(9);
  await minute(1);
  expect(calls().slice(3)).toEqual(['OK ALARM', 'ALARM OK']);
  const { AlarmHistoryItems = [] } = await other.send(
    new DescribeAlarmHistoryCommand({ AlarmName: 'busy', HistoryItemType: 'StateUpdate' }),
  );
  expect(AlarmHistoryItems).toHaveLength(5);
});

it('alarms go on when the process that evaluated them freezes, and it changes nothing when it thaws', async () => {
  const [one, other] = clients as [CloudWatchClient, CloudWatchClient];
  await one.send(
    new PutMetricAlarmCommand({
      ...settings,
      ...{ Statistic: 'Sum', ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
    }),
  );
  await minute(1, 1);
  // Its lease stays, and nobody renews it.
  const frozen = dbs.shift()!;
  const { store } = frozen.engine;
  const { transact } = store;
  const held: (() => void)[] = [];
  store.transact = (unit) =>
    new Promise((resolve, reject) => {
      held.push(() => void Promise.resolve(transact.call(store, unit)).then(resolve as never, reject));
    });
  clients.shift()!.destroy();
  for (let i = 0; i < 4; i++) await minute(9);
  expect(calls()).toEqual(['INSUFFICIENT_DATA OK', 'OK ALARM']);
  store.transact = transact;
  for (const goOn of held) goOn();
  await frozen.settled();
  await frozen.close();
  await minute(9);
  expect([calls().length, await state(other)]).toEqual([2, 'ALARM']);
});

it('nobody asks for the lease as long as there is no alarm', async () => {
  const leaseKey = Uint8Array.of(alarmLeaseKind);
  const asked = dbs.map(({ engine }) => vi.spyOn(engine.store, 'transact'));
  const asksForLease = () =>
    asked.some(({ mock }) =>
      mock.calls.some(([{ reads }]) => reads.some((key) => equalBytes(key, leaseKey))),
    );
  await minute(1, 1);
  expect(asksForLease()).toBe(false);
  await clients[0]!.send(
    new PutMetricAlarmCommand({
      ...settings,
      Statistic: 'Sum',
      ComparisonOperator: 'GreaterThanThreshold',
    }),
  );
  await minute(1, 1);
  expect(asksForLease()).toBe(true);
});
