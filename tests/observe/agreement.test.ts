import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/engine/events.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { percentileOf } from '../../src/observe/minute-point.ts';
import { prometheusText } from '../../src/observe/prometheus.ts';

/** What a naive observer counts: every event, kept whole. */
class Naive {
  readonly events: { readonly minute: number; readonly event: RequestEvent }[] = [];
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  request(event: RequestEvent): void {
    this.events.push({ minute: Math.floor(this.clock.nowMs() / 60_000), event });
  }
}

const startMs = Date.UTC(2026, 0, 1);
const scope = { accountId: '000000000000', region: 'us-east-1' };
const open: Stator[] = [];

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

describe('numbers', () => {
  it.each([1, 2, 3])('agree between events, the API of CloudWatch and Prometheus (seed %i)', async (seed) => {
    const clock = new VirtualClock(startMs);
    const naive = new Naive(clock);
    const db = await Stator.open({ clock, seed, observe: true, observer: naive, physics: 'off' });
    open.push(db);
    await load(db, clock, seed);

    const minuteNow = Math.floor(clock.nowMs() / 60_000) + 1;
    const cloudWatch = new CloudWatchClient({
      ...{ endpoint: (await db.listen({ port: 0 })).url, region: scope.region },
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    });
    /** A statistic of CloudWatch for every minute that has one. */
    const perMinute = async (
      MetricName: string,
      dimensions: Readonly<Record<string, string>>,
      Stat: string,
    ) => {
      const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
      const Metric = { Namespace: 'AWS/DynamoDB', MetricName, Dimensions };
      const { MetricDataResults } = await cloudWatch.send(
        new GetMetricDataCommand({
          ...{ StartTime: new Date(startMs), EndTime: new Date(minuteNow * 60_000) },
          MetricDataQueries: [{ Id: 'm', MetricStat: { Metric, Period: 60, Stat } }],
        }),
      );
      const { Timestamps = [], Values = [] } = MetricDataResults![0]!;
      return new Map(Timestamps.map((time, i) => [time.getTime() / 60_000, Values[i]!]));
    };
    const { observation } = db;
    const text = await prometheusText([await observation.processMetrics(undefined)], observation.slices);
    for (const table of ['Apples', 'Pears']) {
      for (const access of ['Read', 'Write'] as const) {
        const key = metricKey(`Consumed${access}CapacityUnits`, { TableName: table });
        const units = (from: number, to: number) =>
          sum(
            naive.events
              .filter(({ minute }) => minute >= from && minute < to)
              .flatMap(({ event }) => event.charges)
              .filter((charge) => charge.table.name === table && charge.access === access.toLowerCase())
              .map(({ consumed }) => consumed.table),
          );
        for (const point of await db.observation.read(key, startMs / 60_000, minuteNow))
          expect(point.sum).toBeCloseTo(units(point.minute, point.minute + 1), 6);
        const total = units(0, minuteNow);
        const shown = await perMinute(`Consumed${access}CapacityUnits`, { TableName: table }, 'Sum');
        expect(sum([...shown.values()])).toBeCloseTo(total, 6);
        for (const [minute, value] of shown) expect(value).toBeCloseTo(units(minute, minute + 1), 6);
        const [whole] = await db.observation.read(key, startMs / 60_000, minuteNow, 100_000);
        expect(whole?.sum ?? 0).toBeCloseTo(total, 6);
        const name = `stator_consumed_${access.toLowerCase()}_capacity_units_total`;
        expect(prometheus(text, name, { table })).toBeCloseTo(total, 6);
      }
      for (const operation of ['GetItem', 'PutItem', 'Query', 'Scan']) {
        const answered = naive.events.filter(
          ({ event }) =>
            event.operation === operation &&
            event.outcome.kind === 'answered' &&
            event.touches[0]?.tableName === table,
        );
        const key = metricKey('SuccessfulRequestLatency', { Operation: operation, TableName: table });
        const [point] = await db.observation.read(key, startMs / 60_000, minuteNow, 100_000);
        expect(point?.count ?? 0).toBe(answered.length);
        const dimensions = { TableName: table, Operation: operation };
        const counts = await perMinute('SuccessfulRequestLatency', dimensions, 'SampleCount');
        for (const [minute, samples] of counts)
          expect(samples).toBe(answered.filter((each) => each.minute === minute).length);
        expect(sum([...counts.values()])).toBe(answered.length);
        expect(
          prometheus(text, 'stator_successful_request_latency_milliseconds_count', { table, operation }) ?? 0,
        ).toBe(answered.length);
        const durations = answered.map(({ event }) => event.durationMs).sort((a, b) => a - b);
        const middle = durations[Math.ceil(durations.length / 2) - 1];
        if (middle !== undefined && middle > 0.01)
          expect(percentileOf(point!, 0.5)! / middle).toBeCloseTo(1, 1);
      }
      const failures = naive.events.filter(
        ({ event }) =>
          event.outcome.kind === 'refused' &&
          event.outcome.error.name === 'ConditionalCheckFailedException' &&
          event.touches[0]?.tableName === table,
      ).length;
      expect(prometheus(text, 'stator_conditional_check_failed_requests_total', { table }) ?? 0).toBe(
        failures,
      );
    }
    const userErrors = naive.events.filter(
      ({ event }) =>
        event.outcome.kind === 'refused' && event.outcome.error.name !== 'ConditionalCheckFailedException',
    ).length;
    expect(prometheus(text, 'stator_user_errors_total', {})).toBe(userErrors);
    expect(sum([...(await perMinute('UserErrors', {}, 'Sum')).values()])).toBe(userErrors);
    cloudWatch.destroy();
    const { patterns } = await db.patterns({ minutes: 1_000 });
    const ofItems = naive.events.filter(({ event }) => event.touches[0]?.access !== 'control');
    expect(sum(patterns.map(({ requests }) => requests))).toBe(ofItems.length);
  });
});

async function load(db: Stator, clock: VirtualClock, seed: number): Promise<void> {
  const random = sequence(seed);
  for (const TableName of ['Apples', 'Pears'])
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    });
  for (let i = 0; i < 600; i++) {
    const TableName = random() < 0.7 ? 'Apples' : 'Pears';
    const pk = { S: `k${Math.floor(random() * 20)}` };
    const calls = [
      () => db.putItem({ TableName, Item: { pk, text: { S: 'x'.repeat(Math.floor(random() * 5_000)) } } }),
      () => db.getItem({ TableName, Key: { pk }, ConsistentRead: random() < 0.5 }),
      () => db.putItem({ TableName, Item: { pk }, ConditionExpression: 'attribute_not_exists(pk)' }),
      () =>
        db.query({
          TableName,
          KeyConditionExpression: '#p = :p',
          ExpressionAttributeNames: { '#p': 'pk' },
          ExpressionAttributeValues: { ':p': pk },
        }),
      () => db.scan({ TableName, Limit: 3 }),
      () => db.getItem({ TableName: 'missing', Key: { pk } }),
      () => db.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: { pk } } }] }),
    ];
    await calls[Math.floor(random() * calls.length)]!().catch(() => {});
    if (random() < 0.05) clock.advanceMs(Math.floor(random() * 200_000));
  }
}

function metricKey(name: string, dimensions: Readonly<Record<string, string>>) {
  const sorted = Object.keys(dimensions)
    .sort()
    .map((each) => ({ name: each, value: dimensions[each]! }));
  return { ...scope, namespace: 'AWS/DynamoDB', name, dimensions: sorted };
}

/** The value of the line with a name and exactly these labels beside account and Region. */
function prometheus(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined {
  const wanted = new Set(Object.entries(labels).map(([label, value]) => `${label}="${value}"`));
  for (const line of text.split('\n')) {
    const found = /^(\w+)\{(.*)\} (\S+)$/.exec(line);
    if (found?.[1] !== name) continue;
    const has = found[2]!.split(',').filter((label) => !/^(account|region)=/.test(label));
    if (has.length === wanted.size && has.every((label) => wanted.has(label))) return Number(found[3]);
  }
  return undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function sequence(seed: number): () => number {
  let state = seed * 7_919;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
