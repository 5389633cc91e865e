import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { stepsAtOnceMax, stepsPerSlice } from '../../src/model/slices.ts';
import { heldFor } from '../held-steps.ts';

const now = Date.parse('2026-03-03T10:00:00Z');
let db: Stator;
let server: StatorServer;
beforeEach(async () => {
  db = await Stator.open({ observe: true, clock: new VirtualClock(now) });
  server = await db.listen({ port: 0 });
});
afterEach(() => db.close());

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

async function send(type: string, body: string, target?: string): Promise<Reply> {
  const service = target?.startsWith('AnyScale') ? 'application-autoscaling' : 'monitoring';
  const reply = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': type,
      'x-amz-date': '20260303T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=a/20260303/us-east-1/${service}/aws4_request, SignedHeaders=host;x-amz-date, Signature=00`,
      ...(target !== undefined && { 'x-amz-target': target }),
    },
    body,
  });
  const text = await reply.text();
  return { status: reply.status, type: /"__type":"[^"]*?(\w+)"/.exec(text)?.[1], text };
}

function byJson(operation: string, body: object | string): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send('application/x-amz-json-1.0', text, `GraniteServiceVersion20100801.${operation}`);
}

function byForm(parameters: Readonly<Record<string, string>>): Promise<Reply> {
  const form = new URLSearchParams({ Version: '2010-08-01', ...parameters });
  return send('application/x-www-form-urlencoded', form.toString());
}

/** A body of so many bytes. */
function bodyOf(bytes: number): string {
  const body = JSON.stringify({ Namespace: 'App', MetricData: [{ MetricName: 'm', Value: 1 }] });
  return body + ' '.repeat(bytes - body.length);
}

describe('PutMetricData', () => {
  it('takes a body of 1 MB, and refuses a longer one in every protocol', async () => {
    expect(await byJson('PutMetricData', bodyOf(1_048_576))).toMatchObject({ status: 200, text: '' });
    expect(await byJson('PutMetricData', bodyOf(1_048_577))).toMatchObject({
      status: 413,
      type: 'RequestEntityTooLarge',
      text: expect.stringContaining('Request size 1048577 exceeded 1048576 bytes'),
    });
    const form = await byForm({ Action: 'PutMetricData', Namespace: 'x'.repeat(1_100_000) });
    expect(form.status).toBe(413);
    expect(form.text).toContain('<Code>RequestEntityTooLarge</Code>');
    // Other operations have the limits of the server.
    expect(await byJson('ListMetrics', `{}${' '.repeat(1_100_000)}`)).toMatchObject({ status: 200 });
  });

  it('lets other requests through while it records 150,000 values', async () => {
    const Values = Array.from({ length: 150 }, (_, i) => i);
    const MetricData = Array.from({ length: 1_000 }, (_, i) => ({ MetricName: `m${i}`, Values }));
    const { most, total } = await heldFor(async () =>
      expect(await byJson('PutMetricData', { Namespace: 'App', MetricData })).toMatchObject({ status: 200 }),
    );
    expect(total).toBeGreaterThanOrEqual(150_000);
    expect(most).toBeLessThanOrEqual(stepsPerSlice + stepsAtOnceMax);
    const scope = { accountId: '000000000000', region: 'us-east-1' };
    const listed = await db.observation.list(scope, { namespace: 'App' });
    expect(listed).toHaveLength(1_000);
    const minute = now / 60_000;
    for (const at of [0, 500, 999])
      expect(await db.observation.read(listed[at]!, minute, minute + 1)).toMatchObject([
        { count: 150, sum: 11_175 },
      ]);
  });
});

describe('times that are no dates', () => {
  const seconds = now / 1000;
  const wrong = ['1e308', '-1e308', '1e16', '-1e16', '253402300800', '1e400', '-1e400'];
  const windows = wrong.flatMap((time) => [
    [time, String(seconds)],
    [String(seconds - 60), time],
    [time, time],
  ]);
  const queries = [
    { Id: 'a', MetricStat: { Metric: { Namespace: 'x', MetricName: 'y' }, Period: 60, Stat: 'Sum' } },
    { Id: 'b', Expression: 'TIME_SERIES(1)', Period: 60 },
    { Id: 'c', Expression: 'FILL(a, 0)' },
  ];

  it.each(windows)('%s and %s are refused with their reason', async (start, end) => {
    const times = `"StartTime":${start},"EndTime":${end}`;
    const said = /must be a time in the years 0001 to 9999|must be a finite number of seconds/;
    const data = await byJson('GetMetricData', `{${times},"MetricDataQueries":${JSON.stringify(queries)}}`);
    expect(data).toMatchObject({ status: 400, text: expect.stringMatching(said) });
    const metric = '"Namespace":"x","MetricName":"y","Period":60,"Statistics":["Sum"]';
    const statistics = await byJson('GetMetricStatistics', `{${times},${metric}}`);
    expect(statistics).toMatchObject({ status: 400, text: expect.stringMatching(said) });
    const form = await byForm({
      ...{ Action: 'GetMetricData', StartTime: start!, EndTime: end! },
      'MetricDataQueries.member.1.Id': 'a',
      'MetricDataQueries.member.1.Expression': 'TIME_SERIES(1)',
    });
    expect(form).toMatchObject({ status: 400, text: expect.stringMatching(said) });
  });

  it.each(wrong)('%s is refused in reports of rules and in scheduled actions', async (time) => {
    const said = /must be a time in the years 0001 to 9999|must be a finite number of seconds/;
    const rule = `{"RuleName":"x","StartTime":0,"EndTime":${time},"Period":60}`;
    expect(await byJson('GetInsightRuleReport', rule)).toMatchObject({
      ...{ status: 400, text: expect.stringMatching(said) },
    });
    const action = [
      '{"ServiceNamespace":"dynamodb","ResourceId":"table/orders","ScalableDimension":"dynamodb:table:ReadCapacityUnits"',
      '"ScheduledActionName":"x","Schedule":"rate(1 day)","ScalableTargetAction":{"MinCapacity":1}',
    ];
    for (const name of ['StartTime', 'EndTime'])
      expect(
        await send(
          'application/x-amz-json-1.1',
          `${action.join(',')},"${name}":${time}}`,
          'AnyScaleFrontendService.PutScheduledAction',
        ),
      ).toMatchObject({ status: 400, text: expect.stringMatching(said) });
  });

  it('NaN, other texts and missing times are refused', async () => {
    for (const time of ['NaN', 'Infinity', 'tomorrow', '2026-99-99'])
      expect(
        await byForm({
          ...{ Action: 'GetMetricStatistics', StartTime: time, EndTime: '2026-03-03T10:00:00Z' },
          ...{ Namespace: 'x', MetricName: 'y', Period: '60', 'Statistics.member.1': 'Sum' },
        }),
      ).toMatchObject({ status: 400, text: expect.stringContaining('<Code>MalformedInput</Code>') });
    expect(await byJson('GetMetricData', { MetricDataQueries: queries, EndTime: seconds })).toMatchObject({
      ...{ status: 400, type: 'ValidationError', text: expect.stringContaining("'startTime'") },
    });
    expect(await byJson('GetMetricStatistics', { Namespace: 'x', MetricName: 'y' })).toMatchObject({
      ...{ status: 400, type: 'MissingRequiredParameterException' },
    });
  });

  it('the whole of time that has dates is a window', async () => {
    await byJson('PutMetricData', { Namespace: 'x', MetricData: [{ MetricName: 'y', Value: 3 }] });
    const all = { StartTime: -62_135_596_800, EndTime: 253_402_300_799 };
    const found = await byJson('GetMetricData', { ...all, MetricDataQueries: queries.slice(0, 1) });
    expect(found).toMatchObject({ status: 200, text: expect.stringContaining('"Values":[3]') });
  });
});
