import { rm } from 'node:fs/promises';
import { CloudWatchClient, GetInsightRuleReportCommand } from '@aws-sdk/client-cloudwatch';
import { afterEach, describe, expect, it } from 'vitest';
import { metricKind } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { prefixEnd } from '../../src/model/values/bytes.ts';
import { reportInsights } from '../../src/observe/insights/report-insights.ts';
import { newDirectory } from '../storage/directories.ts';

const open: Stator[] = [];
const scope = { account: '000000000000', region: 'us-east-1' };

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

describe('contributor insights', () => {
  it('rank keys by what they consume, writes three times as heavy', async () => {
    const db = await opened();
    await db.updateContributorInsights({ TableName: 'Orders', ContributorInsightsAction: 'ENABLE' });
    await db.updateContributorInsights({
      TableName: 'Orders',
      IndexName: 'byStatus',
      ContributorInsightsAction: 'ENABLE',
    });
    for (let i = 0; i < 30; i++)
      await db.putItem({
        TableName: 'Orders',
        Item: { pk: { S: i < 20 ? 'hot' : `cold${i}` }, sk: { S: String(i) }, status: { S: 'open' } },
      });
    for (let i = 0; i < 10; i++)
      await db.getItem({
        TableName: 'Orders',
        Key: { pk: { S: 'hot' }, sk: { S: '0' } },
        ConsistentRead: true,
      });
    const report = await insightsOf(db);
    const [table, index] = report.resources;
    const accessed = table!.rules.find(({ kind }) => kind === 'PKC')!;
    expect(accessed.labels).toEqual(['pk']);
    expect(accessed.total).toBe(3 * 30 + 10);
    expect(accessed.contributors[0]).toMatchObject({ keys: ['hot'], value: 70, atMost: 70 });
    const full = table!.rules.find(({ kind }) => kind === 'SKC')!;
    expect(full.contributors[0]).toMatchObject({ keys: ['hot', '0'], value: 13 });
    expect(index!.rules.find(({ kind }) => kind === 'PKC')!.contributors).toMatchObject([
      { keys: ['open'], value: 90 },
    ]);
  });

  it.each(['shared by processes', 'of one process after the other'])('add up in a store %s', async (how) => {
    const directory = await newDirectory();
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const isShared = how === 'shared by processes';
    const openHere = async () => {
      const db = await Stator.open({ store: { directory, shared: isShared }, clock, observe: true });
      open.push(db);
      return db;
    };
    const first = await openHere();
    await createOrders(first);
    await first.updateContributorInsights({ TableName: 'Orders', ContributorInsightsAction: 'ENABLE' });
    const put = (db: Stator, pk: string) => db.putItem({ TableName: 'Orders', Item: item(pk) });
    for (let i = 0; i < 5; i++) await put(first, 'hot');
    await put(first, 'first only');
    await first.observation.flush();
    if (!isShared) await first.close();
    const second = await openHere();
    for (let i = 0; i < 3; i++) await put(second, 'hot');
    clock.advanceMs(60_000);
    await put(second, 'hot');
    await second.observation.flush();
    for (const db of isShared ? [first, second] : [second]) {
      const rule = (await insightsOf(db)).resources[0]!.rules.find(({ kind }) => kind === 'PKC')!;
      expect(rule.total).toBe(3 * 10);
      expect(rule.contributors).toMatchObject([
        { keys: ['hot'], value: 27, datapoints: [{ value: 24 }, { value: 3 }] },
        { keys: ['first only'], value: 3 },
      ]);
    }
    // Three hours later nothing of it is left.
    clock.advanceMs(181 * 60_000);
    await put(second, 'late');
    await second.observation.flush();
    const prefix = Uint8Array.of(metricKind, 0x69);
    const { entries } = await second.engine.store.range({ from: prefix, to: prefixEnd(prefix)!, limit: 100 });
    expect(entries).toHaveLength(2);
    for (const db of open.splice(0)) await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('answer through the API of CloudWatch, by the names that DescribeContributorInsights gives', async () => {
    const db = await opened();
    await db.updateContributorInsights({ TableName: 'Orders', ContributorInsightsAction: 'ENABLE' });
    for (const pk of ['a', 'b', 'b']) await db.putItem({ TableName: 'Orders', Item: item(pk) });
    const { ContributorInsightsRuleList = [] } = await db.describeContributorInsights({
      TableName: 'Orders',
    });
    const client = new CloudWatchClient({
      ...{ endpoint: (await db.listen({ port: 0 })).url, region: 'us-east-1' },
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    });
    const window = { StartTime: new Date(db.nowMs() - 3_600_000), EndTime: new Date(db.nowMs() + 60_000) };
    const reportOf = (RuleName: string, more: object = {}) =>
      client.send(new GetInsightRuleReportCommand({ RuleName, ...window, Period: 300, ...more }));
    const accessed = ContributorInsightsRuleList.find((name) => name.includes('-SKC-'))!;
    const Timestamp = new Date(Date.UTC(2026, 0, 1));
    expect(
      await reportOf(accessed, { Metrics: ['Sum', 'UniqueContributors', 'MaxContributorValue'] }),
    ).toMatchObject({
      ...{
        KeyLabels: ['pk', 'sk'],
        AggregationStatistic: 'Sum',
        AggregateValue: 9,
        ApproximateUniqueCount: 2,
      },
      Contributors: [
        { Keys: ['b', 'x'], ApproximateAggregateValue: 6, Datapoints: [{ Timestamp, ApproximateValue: 6 }] },
        { Keys: ['a', 'x'], ApproximateAggregateValue: 3 },
      ],
      MetricDatapoints: [{ Timestamp, Sum: 9, UniqueContributors: 2, MaxContributorValue: 6 }],
    });
    expect((await reportOf(accessed, { MaxContributorCount: 1 })).Contributors).toHaveLength(1);
    const throttled = ContributorInsightsRuleList.find((name) => name.includes('-PKT-'))!;
    expect(await reportOf(throttled)).toMatchObject({
      KeyLabels: ['pk'],
      AggregateValue: 0,
      Contributors: [],
    });
    await expect(reportOf('none')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(reportOf(accessed, { OrderBy: 'Name' })).rejects.toThrow(/OrderBy/);
    client.destroy();
  });

  it('rank throttled keys', async () => {
    const db = await opened('enforce');
    await db.updateContributorInsights({
      TableName: 'Orders',
      ContributorInsightsAction: 'ENABLE',
      ContributorInsightsMode: 'THROTTLED_KEYS',
    });
    let refused = 0;
    for (let i = 0; i < 1_000; i++)
      await db.putItem({ TableName: 'Orders', Item: { pk: { S: 'hot' }, sk: { S: 'x' } } }).catch(() => {
        refused++;
      });
    expect(refused).toBeGreaterThan(0);
    const [table] = (await insightsOf(db)).resources;
    expect(table!.rules.map(({ kind }) => kind)).toEqual(['PKT', 'SKT']);
    expect(table!.rules[0]!.contributors).toMatchObject([{ keys: ['hot'], value: refused }]);
    const points = await db.observation.read(
      {
        accountId: scope.account,
        region: scope.region,
        namespace: 'AWS/DynamoDB',
        name: 'WriteThrottleEvents',
        dimensions: [{ name: 'TableName', value: 'Orders' }],
      },
      0,
      Number.MAX_SAFE_INTEGER,
      1,
    );
    expect(points.reduce((sum, point) => sum + point.sum, 0)).toBe(refused);
  });

  it('keep shadow throttles apart from real ones', async () => {
    const db = await opened('shadow');
    for (let i = 0; i < 1_000; i++)
      await db.putItem({ TableName: 'Orders', Item: { pk: { S: 'hot' }, sk: { S: 'x' } } });
    const sums = async (namespace: string) => {
      const found = await db.observation.list(
        { accountId: scope.account, region: scope.region },
        { namespace, name: 'WriteThrottleEvents' },
      );
      let sum = 0;
      for (const metric of found)
        for (const point of await db.observation.read(metric, 0, Number.MAX_SAFE_INTEGER)) sum += point.sum;
      return sum;
    };
    expect(await sums('AWS/DynamoDB')).toBe(0);
    expect(await sums('Stator/Shadow')).toBeGreaterThan(0);
  });
});

async function insightsOf(db: Stator) {
  const record = await db.engine.catalogue.record(scope, 'Orders');
  return reportInsights(db.observation, db.engine, scope, record!, db.nowMs(), 60);
}

async function opened(physics: 'off' | 'shadow' | 'enforce' = 'off'): Promise<Stator> {
  const db = await Stator.open({
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    seed: 1,
    observe: true,
    physics: { mode: physics, effects: { controlPlanePhases: false, changeQuotas: false } },
  });
  open.push(db);
  await createOrders(db);
  return db;
}

function item(pk: string) {
  return { pk: { S: pk }, sk: { S: 'x' } };
}

async function createOrders(db: Stator): Promise<void> {
  await db.createTable({
    TableName: 'Orders',
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['pk', 'sk', 'status'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byStatus',
        KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      },
    ],
  });
}
