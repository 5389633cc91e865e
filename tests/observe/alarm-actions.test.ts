import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
let address: string;
let directory: string;
let clock: VirtualClock;
let db: Stator;
let client: CloudWatchClient;

beforeEach(async () => {
  receiver = new WebhookReceiver();
  address = await receiver.start();
  directory = await newDirectory();
  clock = new VirtualClock(Date.parse('2026-03-03T10:00:00Z'));
  db = Stator.inMemory({
    clock,
    alarmActions: {
      page: { webhook: `${address}/page` },
      note: { file: join(directory, 'alarms.jsonl') },
      nowhere: { file: join(directory, 'missing', 'alarms.jsonl') },
      silent: { webhook: 'http://127.0.0.1:1/' },
    },
  });
  client = new CloudWatchClient({
    ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  });
});

afterEach(async () => {
  client.destroy();
  await db.close();
  receiver.stop();
});

const alarm: PutMetricAlarmCommandInput = {
  ...{ AlarmName: 'busy', Namespace: 'App', MetricName: 'm', Statistic: 'Sum', Period: 60, Threshold: 5 },
  ...{ EvaluationPeriods: 1, ComparisonOperator: 'GreaterThanThreshold' },
};

/** A minute with one value, or with none. */
async function minute(value: number | undefined): Promise<void> {
  if (value !== undefined)
    await client.send(
      new PutMetricDataCommand({
        Namespace: 'App',
        MetricData: [{ MetricName: 'm', Value: value, Timestamp: new Date(clock.nowMs()) }],
      }),
    );
  clock.advanceMs(60_000);
  await db.settled();
}

async function summaries(): Promise<string[]> {
  const { AlarmHistoryItems = [] } = await client.send(
    new DescribeAlarmHistoryCommand({ AlarmName: 'busy', HistoryItemType: 'Action' }),
  );
  return AlarmHistoryItems.map(({ HistorySummary }) => HistorySummary!).sort();
}

describe('actions of alarms', () => {
  it('post to webhooks and add lines to files, once for each change of state', async () => {
    await client.send(
      new PutMetricAlarmCommand({
        ...{ ...alarm, AlarmDescription: 'too much of m', TreatMissingData: 'missing' },
        ...{ AlarmActions: ['page', 'note'], OKActions: ['note'], InsufficientDataActions: ['page'] },
      }),
    );
    for (const value of [1, 9, 9, 9, 1, 1]) await minute(value);
    for (let i = 0; i < 4; i++) await minute(undefined);
    expect(receiver.calls.map(({ method, path, type }) => [method, path, type])).toEqual([
      ['POST', '/page', 'application/json'],
      ['POST', '/page', 'application/json'],
    ]);
    const [alarmed, unknown] = receiver.calls.map(({ body }) => body);
    expect(alarmed).toEqual({
      alarmName: 'busy',
      alarmArn: 'arn:aws:cloudwatch:us-east-1:000000000000:alarm:busy',
      ...{ alarmDescription: 'too much of m', accountId: '000000000000', region: 'us-east-1' },
      ...{ oldState: 'OK', newState: 'ALARM', at: '2026-03-03T10:02:00.000Z' },
      reason: expect.stringMatching(/^Threshold Crossed: 1 .*datapoint.*\[9\.0 .*greater than.*5\.0/),
      reasonData: expect.any(String),
    });
    expect(JSON.parse(alarmed!.reasonData!)).toMatchObject({ statistic: 'Sum', threshold: 5, period: 60 });
    expect(unknown).toMatchObject({ oldState: 'OK', newState: 'INSUFFICIENT_DATA' });
    const lines = (await readFile(join(directory, 'alarms.jsonl'), 'utf8')).trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(told.map(({ oldState, newState }) => `${oldState} ${newState}`)).toEqual([
      'INSUFFICIENT_DATA OK',
      'OK ALARM',
      'ALARM OK',
    ]);
    expect(await summaries()).toEqual([
      ...Array<string>(3).fill('Successfully executed action note'),
      ...Array<string>(2).fill('Successfully executed action page'),
    ]);
  });

  it('are names of the configuration: nothing that a caller writes is called or written', async () => {
    const actions = [
      `${address}/stolen`,
      join(directory, 'stolen'),
      'arn:aws:sns:us-east-1:000000000000:topic',
      'constructor',
      '__proto__',
    ];
    await client.send(new PutMetricAlarmCommand({ ...alarm, AlarmActions: actions }));
    await minute(9);
    expect(receiver.calls).toEqual([]);
    await expect(readFile(join(directory, 'stolen'))).rejects.toThrow(/ENOENT/);
    expect(await summaries()).toEqual(actions.map((name) => `Failed to execute action ${name}`).sort());
  });

  it('follow no redirect, and tell what fails without holding the alarm up', async () => {
    receiver.reply = ({ url }, response) => {
      if (url === '/page') response.writeHead(302, { location: `${address}/elsewhere` });
      response.end();
    };
    await client.send(new PutMetricAlarmCommand({ ...alarm, AlarmActions: ['page', 'nowhere', 'silent'] }));
    await minute(9);
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/page']);
    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({}));
    expect(MetricAlarms![0]!.StateValue).toBe('ALARM');
    expect(await summaries()).toEqual([
      'Failed to execute action nowhere',
      'Failed to execute action page',
      'Failed to execute action silent',
    ]);
    const { AlarmHistoryItems = [] } = await client.send(
      new DescribeAlarmHistoryCommand({ AlarmName: 'busy', HistoryItemType: 'Action' }),
    );
    const data = AlarmHistoryItems.map(({ HistoryData }) => HistoryData).join('\n');
    expect(data).toContain('the webhook answered 302');
    expect(data).toContain('no such file or directory');
  });

  it('wait while they are disabled', async () => {
    await client.send(new PutMetricAlarmCommand({ ...alarm, AlarmActions: ['page'], OKActions: ['page'] }));
    await client.send(new DisableAlarmActionsCommand({ AlarmNames: ['busy'] }));
    await minute(9);
    expect(receiver.calls).toEqual([]);
    await client.send(new EnableAlarmActionsCommand({ AlarmNames: ['busy'] }));
    // The alarm stays in ALARM, which is no change.
    await minute(9);
    expect(receiver.calls).toEqual([]);
    await minute(1);
    expect(receiver.calls.map(({ body }) => body.newState)).toEqual(['OK']);
  });
});

describe('an alarm', () => {
  const run = async (settings: object, values: readonly (number | undefined)[]) => {
    await client.send(new PutMetricAlarmCommand({ ...alarm, ...settings }));
    const states: string[] = [];
    for (const value of values) {
      await minute(value);
      const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ['busy'] }));
      states.push({ OK: '-', ALARM: 'A', INSUFFICIENT_DATA: '?' }[MetricAlarms![0]!.StateValue!]!);
    }
    return states.join('');
  };
  const no = undefined;

  it.each([
    ['missing', '---AAAAA?'],
    ['ignore', '---AAAAAA'],
    ['breaching', 'AAAAAAAAA'],
    ['notBreaching', '---AAAA--'],
  ])('with 2 of 3 and missing data %s', async (TreatMissingData, expected) => {
    const settings = { EvaluationPeriods: 3, DatapointsToAlarm: 2, TreatMissingData };
    // Five minutes are looked at, so that the two that breach count until the first of them is out of sight.
    expect(await run(settings, [1, no, 9, 9, no, no, no, no, no])).toBe(expected);
  });

  it('on metric math and on a percentile', async () => {
    const stat = (Stat: string) => ({
      Metric: { Namespace: 'App', MetricName: 'm' },
      ...{ Period: 60, Stat },
    });
    const rest: PutMetricAlarmCommandInput = {
      ...{ AlarmName: 'mean', Threshold: 5, EvaluationPeriods: 1 },
      ComparisonOperator: 'GreaterThanThreshold',
    };
    await client.send(
      new PutMetricAlarmCommand({
        ...rest,
        Metrics: [
          { Id: 'm1', MetricStat: stat('Sum'), ReturnData: false },
          { Id: 'm2', MetricStat: stat('SampleCount'), ReturnData: false },
          { Id: 'ratio', Expression: 'IF(m2 > 0, m1 / m2, 0)' },
        ],
      }),
    );
    const metric = { Namespace: 'App', MetricName: 'm', Period: 60 };
    await client.send(
      new PutMetricAlarmCommand({ ...rest, ...metric, AlarmName: 'slow', ExtendedStatistic: 'p90' }),
    );
    for (const value of [4, 4, 4, 4, 4, 4, 4, 4, 4, 40])
      await client.send(
        new PutMetricDataCommand({
          Namespace: 'App',
          MetricData: [{ MetricName: 'm', Value: value, Timestamp: new Date(clock.nowMs()) }],
        }),
      );
    await minute(undefined);
    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({}));
    // The mean is 7.6; nine tenths of the values are no more than 4.
    expect(MetricAlarms!.map(({ AlarmName, StateValue }) => [AlarmName, StateValue])).toEqual([
      ['mean', 'ALARM'],
      ['slow', 'OK'],
    ]);
  });

  it('that could never be evaluated is refused', async () => {
    const { MetricName: _, Namespace: __, Statistic: ___, Period: ____, ...rest } = alarm;
    const m = {
      ...{ Id: 'm', ReturnData: false },
      MetricStat: { Metric: { Namespace: 'App', MetricName: 'm' }, Period: 60, Stat: 'Sum' },
    };
    const put = (Expression: string, more: object = {}) =>
      client.send(new PutMetricAlarmCommand({ ...rest, Metrics: [m, { Id: 'e', Expression }], ...more }));
    await expect(put('foo(m)')).rejects.toThrow("Error in expression 'e': Unknown function: FOO");
    await expect(put("SUM(SEARCH('App', 'Sum', 60))")).rejects.toThrow(
      'SEARCH is not supported on Metric Alarms.',
    );
    for (const notOne of ['5', 'AVG(m)', 'METRICS()'])
      await expect(put(notOne)).rejects.toThrow("The expression 'e' must return a single time series.");
    await expect(put('m', { Statistic: 'Sum' })).rejects.toThrow(
      'Statistic should not be set if list of Metrics is set.',
    );
    const wrongPeriod = { ...m, MetricStat: { ...m.MetricStat, Period: 90 } };
    await expect(put('m', { Metrics: [wrongPeriod, { Id: 'e', Expression: 'm' }] })).rejects.toThrow(
      'The parameter Metrics.member.1.MetricStat.Period must be a value in the set',
    );
    for (const good of ['m * 2', 'SUM(METRICS())', 'FILL(m, 0)', 'FIRST(REMOVE_EMPTY(METRICS()))'])
      await put(good);
  });

  it('forgets its history after thirty days, though nobody puts it again', async () => {
    await run({ TreatMissingData: 'notBreaching' }, [9, 1]);
    const items = async () => {
      const { AlarmHistoryItems } = await client.send(new DescribeAlarmHistoryCommand({ AlarmName: 'busy' }));
      return AlarmHistoryItems!.map(({ HistoryItemType }) => HistoryItemType);
    };
    expect(await items()).not.toEqual([]);
    clock.advanceMs(31 * 86_400_000);
    await db.settled();
    expect(await items()).toEqual([]);
  });
});
