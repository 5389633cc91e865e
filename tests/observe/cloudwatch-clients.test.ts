import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { installed, output } from '../clients/installed-programs.ts';

const clis = await installed('aws', ['--version']);
const pythons = await installed('python3', ['-c', 'import boto3']);

let db: Stator;
let server: StatorServer;
beforeEach(async () => {
  // The clock stands still: no alarm is evaluated between two commands, however slow they are.
  db = await Stator.open({ observe: true, clock: new VirtualClock(Date.now()) });
  server = await db.listen({ port: 0 });
});
afterEach(() => db.close());

describe('clients of CloudWatch and Application Auto Scaling', () => {
  it.runIf(clis.length > 0).each(clis.length > 0 ? clis : ['awscli'])('%s', async (program) => {
    const aws = async (...args: string[]) => {
      const text = await output(program, ['--endpoint-url', server.url, '--output', 'json', ...args]);
      return text === '' ? undefined : (JSON.parse(text) as Record<string, never>);
    };
    await aws(
      ...['cloudwatch', 'put-metric-data', '--namespace', 'App', '--metric-name', 'orders & more'],
      ...['--value', '3', '--unit', 'Count', '--dimensions', 'Shop=<north>'],
    );
    expect(await aws('cloudwatch', 'list-metrics', '--namespace', 'App')).toEqual({
      Metrics: [
        {
          Namespace: 'App',
          MetricName: 'orders & more',
          Dimensions: [{ Name: 'Shop', Value: '<north>' }],
        },
      ],
    });
    const day = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)].map((at) =>
      at.toISOString(),
    );
    const statistics = await aws(
      ...['cloudwatch', 'get-metric-statistics', '--namespace', 'App', '--metric-name', 'orders & more'],
      ...['--dimensions', 'Name=Shop,Value=<north>', '--period', '3600', '--statistics', 'Sum', 'Average'],
      ...['--start-time', day[0]!, '--end-time', day[1]!],
    );
    const { Datapoints } = statistics as unknown as { Datapoints: { Sum: number; Unit: string }[] };
    expect(Datapoints.reduce((sum, { Sum }) => sum + Sum, 0)).toBe(3);
    await aws(
      ...['cloudwatch', 'put-metric-alarm', '--alarm-name', 'too many', '--namespace', 'App'],
      ...['--metric-name', 'orders & more', '--statistic', 'Sum', '--period', '60', '--threshold', '1.5'],
      ...['--evaluation-periods', '1', '--comparison-operator', 'GreaterThanThreshold'],
      ...['--treat-missing-data', 'notBreaching', '--alarm-actions', 'page'],
    );
    await aws(
      ...['cloudwatch', 'set-alarm-state', '--alarm-name', 'too many', '--state-value', 'ALARM'],
      ...['--state-reason', 'a test'],
    );
    expect(await aws('cloudwatch', 'describe-alarms')).toMatchObject({
      MetricAlarms: [{ AlarmName: 'too many', Threshold: 1.5, StateValue: 'ALARM', StateReason: 'a test' }],
    });
    await db.settled();
    const history = await aws('cloudwatch', 'describe-alarm-history', '--alarm-name', 'too many');
    expect(history).toMatchObject({
      AlarmHistoryItems: expect.arrayContaining([
        expect.objectContaining({ HistorySummary: 'Failed to execute action page' }),
      ]),
    });
    await aws('cloudwatch', 'delete-alarms', '--alarm-names', 'too many');
    await expect(
      aws(
        ...[
          'cloudwatch',
          'put-metric-data',
          '--namespace',
          'AWS/DynamoDB',
          '--metric-name',
          'x',
          '--value',
          '1',
        ],
      ),
    ).rejects.toThrow(/\(InvalidParameterValue\).*The value AWS\/ for parameter Namespace is invalid/);
    await expect(
      aws(
        ...['cloudwatch', 'get-metric-statistics', '--namespace', 'App', '--metric-name', 'x'],
        ...['--period', '7', '--statistics', 'Sum', '--start-time', day[0]!, '--end-time', day[1]!],
      ),
    ).rejects.toThrow(/\(InvalidParameterValue\).*multiple of 60/);

    await db.createTable(
      {
        TableName: 'orders',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
      },
      { region: 'eu-west-1' },
    );
    const target = [
      ...['--service-namespace', 'dynamodb', '--resource-id', 'table/orders'],
      ...['--scalable-dimension', 'dynamodb:table:WriteCapacityUnits'],
    ];
    const scaling = (...args: string[]) => aws('application-autoscaling', ...args);
    await scaling('register-scalable-target', ...target, '--min-capacity', '5', '--max-capacity', '50');
    const policy = await scaling(
      ...[
        'put-scaling-policy',
        ...target,
        '--policy-name',
        'writes',
        '--policy-type',
        'TargetTrackingScaling',
      ],
      '--target-tracking-scaling-policy-configuration',
      '{"TargetValue":70,"PredefinedMetricSpecification":{"PredefinedMetricType":"DynamoDBWriteCapacityUtilization"}}',
    );
    expect((policy as unknown as { Alarms: object[] }).Alarms).toHaveLength(4);
    expect(await scaling('describe-scalable-targets', '--service-namespace', 'dynamodb')).toMatchObject({
      ScalableTargets: [{ ResourceId: 'table/orders', MinCapacity: 5, MaxCapacity: 50 }],
    });
    await scaling('deregister-scalable-target', ...target);
    expect(await aws('cloudwatch', 'describe-alarms')).toMatchObject({ MetricAlarms: [] });
    await expect(scaling('deregister-scalable-target', ...target)).rejects.toThrow(/ObjectNotFoundException/);
  });

  it.runIf(pythons.length > 0).each(pythons.length > 0 ? pythons : ['python3-boto3'])(
    '%s',
    async (python) => {
      const script = [
        'import boto3, sys, datetime',
        "cw = boto3.client('cloudwatch', endpoint_url=sys.argv[1])",
        "cw.put_metric_data(Namespace='App', MetricData=[{'MetricName':'m','Values':[1.5,2.5],'Counts':[2,1]}])",
        'now = datetime.datetime.utcnow()',
        "q = [{'Id':'m1','ReturnData':False,'MetricStat':{'Metric':{'Namespace':'App','MetricName':'m'},'Period':60,'Stat':'Sum'}},{'Id':'e1','Expression':'m1*2','Label':'twice'}]",
        'r = cw.get_metric_data(MetricDataQueries=q, StartTime=now-datetime.timedelta(hours=1), EndTime=now+datetime.timedelta(hours=1))',
        "assert [x['Label'] for x in r['MetricDataResults']] == ['twice'], r",
        "assert sum(r['MetricDataResults'][0]['Values']) == 11.0, r",
        "assert isinstance(r['MetricDataResults'][0]['Timestamps'][0], datetime.datetime), r",
        'try:',
        "  cw.set_alarm_state(AlarmName='none', StateValue='OK', StateReason='x')",
        '  raise AssertionError()',
        "except cw.exceptions.ResourceNotFound as e: assert e.response['Error']['Code'] == 'ResourceNotFound', e",
        "print('done')",
      ].join('\n');
      expect(await output(python, ['-c', script, server.url])).toBe('done\n');
    },
  );

  it('by JSON, with the errors of the query protocol in a header', async () => {
    const call = (operation: string, body: object) =>
      fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
          'x-amz-date': '20260303T000000Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=a/20260303/us-east-1/monitoring/aws4_request, SignedHeaders=host;x-amz-date, Signature=00',
        },
        body: JSON.stringify(body),
      });
    const put = await call('PutMetricData', {
      Namespace: 'App',
      MetricData: [{ MetricName: 'm', Value: 1 }],
    });
    expect([put.status, await put.text()]).toEqual([200, '']);
    const listed = await call('ListMetrics', {});
    expect(await listed.json()).toEqual({ Metrics: [{ Namespace: 'App', MetricName: 'm', Dimensions: [] }] });
    const wrong = await call('SetAlarmState', { AlarmName: 'x', StateValue: 'OK', StateReason: '' });
    expect([wrong.status, wrong.headers.get('x-amzn-query-error')]).toEqual([404, 'ResourceNotFound;Sender']);
    const unknown = await call('PutDashboard', {});
    expect(await unknown.json()).toMatchObject({
      __type: expect.stringContaining('UnknownOperationException'),
    });
  });

  it('checks signatures under verify', async () => {
    const credential = { accessKeyId: 'AKIA', secretAccessKey: 'secret', accountId: '111122223333' };
    const verified = await db.listen({ port: 0, auth: 'verify', credentials: [credential] });
    const client = (secretAccessKey: string) =>
      new CloudWatchClient({
        ...{ endpoint: verified.url, region: 'us-east-1' },
        credentials: { accessKeyId: 'AKIA', secretAccessKey },
      });
    const now = Date.now();
    const request = {
      StartTime: new Date(now - 60_000),
      EndTime: new Date(now),
      MetricDataQueries: [{ Id: 'e', Expression: 'TIME_SERIES(1)' }],
    };
    const { MetricDataResults } = await client('secret').send(new GetMetricDataCommand(request));
    expect(MetricDataResults![0]!.Values![0]).toBe(1);
    // A SEARCH that finds nothing is answered with no result, and is no mistake.
    const nothing = [{ Id: 'e', Expression: "SEARCH('{None} x', 'Sum', 60)" }];
    expect(
      await client('secret').send(new GetMetricDataCommand({ ...request, MetricDataQueries: nothing })),
    ).toMatchObject({ MetricDataResults: [], Messages: [] });
    const hidden = [{ ...nothing[0]!, ReturnData: false }];
    await expect(
      client('secret').send(new GetMetricDataCommand({ ...request, MetricDataQueries: hidden })),
    ).rejects.toThrow(/must have ReturnData true/);
    await expect(client('wrong').send(new GetMetricDataCommand(request))).rejects.toThrow(/signature/);
  });
});

describe('alarms', () => {
  it('follow the clock of the database', async () => {
    const clock = new VirtualClock(Date.parse('2026-03-03T10:00:00Z'));
    const virtual = Stator.inMemory({ clock, alarmActions: {} });
    const { url } = await virtual.listen({ port: 0 });
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new CloudWatchClient({ endpoint: url, region: 'us-east-1', credentials });
    const sdk = await import('@aws-sdk/client-cloudwatch');
    await client.send(
      new sdk.PutMetricAlarmCommand({
        ...{
          AlarmName: 'busy',
          Namespace: 'App',
          MetricName: 'm',
          Statistic: 'Sum',
          Period: 60,
          Threshold: 5,
        },
        ...{ EvaluationPeriods: 3, DatapointsToAlarm: 2, ComparisonOperator: 'GreaterThanThreshold' },
      }),
    );
    const states: string[] = [];
    for (const value of [1, 9, 1, 9, 9, 1, 1, 1]) {
      const Timestamp = new Date(clock.nowMs());
      await client.send(
        new sdk.PutMetricDataCommand({
          Namespace: 'App',
          MetricData: [{ MetricName: 'm', Value: value, Timestamp }],
        }),
      );
      clock.advanceMs(60_000);
      await virtual.settled();
      const { MetricAlarms } = await client.send(new sdk.DescribeAlarmsCommand({ AlarmNames: ['busy'] }));
      states.push(MetricAlarms![0]!.StateValue!);
    }
    expect(states).toEqual(['OK', 'OK', 'OK', 'ALARM', 'ALARM', 'ALARM', 'OK', 'OK']);
    const fork = virtual.fork();
    expect(
      await fork.monitoring.book.get({ account: '000000000000', region: 'us-east-1' }, 'busy'),
    ).toBeDefined();
    await fork.close();
    await virtual.close();
  });
});
