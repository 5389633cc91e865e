import { expect, it, onTestFinished, vi } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { stepsAtOnceMax, stepsPerSlice } from '../../src/model/slices.ts';
import { HeaderFields } from '../../src/wire/header-fields.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { heldFor } from '../held-steps.ts';

/** What one more table or alarm costs, and how long the event loop is held, where there are many already. */
const many = 300;

async function opened() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const db = await Stator.open({ clock, observe: true, physics: 'off' });
  onTestFinished(() => db.close());
  return { clock, db };
}

const createTable = (db: Stator, TableName: string) =>
  db.createTable({
    TableName,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
  });

async function call(db: Stator, operation: string, input: object): Promise<unknown> {
  const body = JSON.stringify(input);
  const reply = await db.requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({
      host: 'stator',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/monitoring/aws4_request, SignedHeaders=host, Signature=00',
    }),
    sent: body,
    body,
  });
  const text = Buffer.from(bodyBytes(reply.body)).toString();
  expect([operation, reply.status, text]).toEqual([operation, 200, text]);
  return text === '' ? {} : JSON.parse(text);
}

const putAlarm = (db: Stator, name: string) =>
  call(db, 'PutMetricAlarm', {
    AlarmName: name,
    ...{ Namespace: 'App', MetricName: 'm', Statistic: 'Sum', Period: 60, EvaluationPeriods: 5 },
    ...{ Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
  });

it('one more table looks at itself only', async () => {
  const { clock, db } = await opened();
  for (let i = 0; i < many; i++) await createTable(db, `table${i}`);
  clock.advanceMs(60_000);
  await db.settled();
  const record = vi.spyOn(db.engine.catalogue, 'record');
  onTestFinished(() => record.mockRestore());
  for (let i = 0; i < 10; i++) {
    await createTable(db, `another${i}`);
    await db.settled();
  }
  expect(record.mock.calls.length).toBeLessThan(10 * 10);
  const [point] = await db.observation.read(
    {
      ...{ accountId: '000000000000', region: 'us-east-1', namespace: 'AWS/Usage', name: 'TableCount' },
      dimensions: [
        { name: 'Class', value: 'None' },
        { name: 'Resource', value: 'TableCount' },
        { name: 'Service', value: 'DynamoDB' },
        { name: 'Type', value: 'Resource' },
      ],
    },
    clock.nowMs() / 60_000,
    clock.nowMs() / 60_000 + 5,
  );
  expect(point?.max ?? many + 10).toBe(many + 10);
});

it('one more alarm reads itself only', async () => {
  const { db } = await opened();
  for (let i = 0; i < many; i++) await putAlarm(db, `alarm${i}`);
  await db.settled();
  const { store } = db.engine;
  let entries = 0;
  const range = store.range.bind(store);
  vi.spyOn(store, 'range').mockImplementation((request) => {
    const page = range(request);
    if (!(page instanceof Promise)) entries += page.entries.length;
    return page;
  });
  for (let i = 0; i < 20; i++) {
    await putAlarm(db, `another${i}`);
    await db.settled();
  }
  expect(entries).toBeLessThan(20 * 20);
});

it('holds the event loop for a slice at a time', async () => {
  const { clock, db } = await opened();
  for (let i = 0; i < many; i++) await createTable(db, `table${i}`);
  for (let i = 0; i < many; i++) await putAlarm(db, `alarm${i}`);
  await db.settled();
  const server = await db.listen({ port: 0 });
  const doctor = await heldFor(async () => (await fetch(`${server.url}/_stator/doctor`)).text());
  const exposed = await heldFor(async () => (await fetch(`${server.url}/_stator/metrics`)).text());
  const alarms = await heldFor(async () => {
    clock.advanceMs(60_000);
    await db.settled();
  });
  const described = await heldFor(() => call(db, 'DescribeAlarms', { MaxRecords: 100 }));
  const searched = await heldFor(() =>
    call(db, 'GetMetricData', {
      StartTime: clock.nowMs() / 1000 - 86_400,
      EndTime: clock.nowMs() / 1000,
      MetricDataQueries: [
        { Id: 'e', Expression: `SUM(FILL(SEARCH('{AWS/DynamoDB,TableName} Provisioned', 'Sum', 60), 0))` },
      ],
    }),
  );
  for (const { most } of [doctor, exposed, alarms, described, searched])
    expect(most).toBeLessThan(stepsPerSlice + stepsAtOnceMax);
  for (const { total } of [doctor, alarms, searched]) expect(total).toBeGreaterThan(2 * stepsPerSlice);
  expect(exposed.total).toBeGreaterThan(stepsPerSlice);
});
