import { DescribeTableCommand, TagResourceCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { opened, tableWith } from './load.ts';

const TableName = 'Tracking';
let db: Stator;
afterEach(() => db.close());

it('in enforce, deletion protection and tags rest for seconds between changes', async () => {
  const all = await opened(tableWith(), { physics: 'enforce' });
  db = all.db;
  const { client, clock } = all;
  const protect = (DeletionProtectionEnabled: boolean) =>
    client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
  await protect(true);
  clock.advanceMs(14_999);
  await expect(protect(false)).rejects.toThrow(
    'Deletion protection setting for table Tracking modified within the previous 15000 milliseconds. Please try again after 2026-11-18T09:01:15.000Z',
  );
  clock.advanceMs(1);
  await protect(false);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const ResourceArn = Table!.TableArn!;
  const tag = () => client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'a', Value: 'b' }] }));
  await tag();
  await expect(tag()).rejects.toThrow('Subscriber limit exceeded: Table tags are being updated: Tracking');
  clock.advanceMs(1_600);
  await tag();
});

it('quotas on changes hold in shadow, and not where they are switched off', async () => {
  const provisioned = (WriteCapacityUnits: number) => ({
    BillingMode: 'PROVISIONED' as const,
    ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits },
  });
  const all = await opened(tableWith(provisioned(20)), {});
  db = all.db;
  const { client, clock } = all;
  const lower = async (units: number) => {
    clock.advanceMs(1_000);
    return client.send(new UpdateTableCommand({ TableName, ...provisioned(units) }));
  };
  for (const units of [19, 18, 17, 16]) await lower(units);
  await expect(lower(15)).rejects.toThrow('Provisioned throughput decreases are limited');
  db.engine.capacity.modes.setServer({ effects: { changeQuotas: false } });
  await lower(14);
  db.engine.capacity.modes.setServer({ effects: { changeQuotas: true } });
  await expect(lower(13)).rejects.toThrow('Number of decreases today: 5');
  db.engine.capacity.modes.setServer({ mode: 'off' });
  await lower(12);
});
