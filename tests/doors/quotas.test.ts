import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const TableName = 'Orders';
const hourMs = 3_600_000;
const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' as const }];
const AttributeDefinitions = [{ AttributeName: 'pk', AttributeType: 'S' as const }];
const ProvisionedThroughput = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
const indexes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    IndexName: `GSI${at}`,
    KeySchema,
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }));
const table = (count: number) => ({
  ...{ TableName, KeySchema, AttributeDefinitions },
  BillingMode: 'PAY_PER_REQUEST' as const,
  GlobalSecondaryIndexes: indexes(count),
});

it('lets a table have as many global indexes as the quota says', async () => {
  const raised = Stator.inMemory({ quotas: { globalIndexes: 22 } });
  await expect(raised.createTable(table(23))).rejects.toThrow(/exceeds the per-table limit of 22$/);
  await raised.createTable(table(21));
  const add = (IndexName: string) =>
    raised.updateTable({
      ...{ TableName, AttributeDefinitions },
      GlobalSecondaryIndexUpdates: [{ Create: { ...indexes(1)[0]!, IndexName } }],
    });
  await add('more');
  await raised.settled();
  await expect(add('too-many')).rejects.toThrow(/exceeds per-table limit of 22$/);
  await expect(Stator.inMemory().createTable(table(21))).rejects.toThrow(/per-table limit of 20$/);
});

it('lets a table be switched to on-demand once a day under the old rule', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 10, 19));
  const db = Stator.inMemory({ clock, quotas: { switchesToOnDemandPerDay: 1 } });
  const { GlobalSecondaryIndexes: _, ...plain } = table(1);
  await db.createTable({ ...plain, BillingMode: 'PROVISIONED', ProvisionedThroughput });
  const onDemand = () => db.updateTable({ TableName, BillingMode: 'PAY_PER_REQUEST' });
  const back = () => db.updateTable({ TableName, BillingMode: 'PROVISIONED', ProvisionedThroughput });
  await onDemand();
  clock.advanceMs(hourMs);
  await back();
  clock.advanceMs(hourMs);
  await expect(onDemand()).rejects.toThrow(/PayPerRequest mode are limited to once in 1 day\(s\)/);
  clock.advanceMs(22 * hourMs);
  await onDemand();
});

it('refuses quotas that are none', () => {
  expect(() => Stator.inMemory({ quotas: { globalIndexes: 0 } })).toThrow(/from 1 to 100/);
});
