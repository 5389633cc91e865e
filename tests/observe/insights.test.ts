import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { reportInsights } from '../../src/observe/insights/report-insights.ts';

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
  return reportInsights(db.observation.insights, db.engine, scope, record!, db.nowMs(), 60);
}

async function opened(physics: 'off' | 'shadow' | 'enforce' = 'off'): Promise<Stator> {
  const db = await Stator.open({
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    seed: 1,
    observe: true,
    physics: { mode: physics, effects: { controlPlanePhases: false, changeQuotas: false } },
  });
  open.push(db);
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
  return db;
}
