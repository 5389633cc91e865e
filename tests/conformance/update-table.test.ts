import {
  DescribeTableCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const units = (ReadCapacityUnits: number, WriteCapacityUnits: number) => ({
  ReadCapacityUnits,
  WriteCapacityUnits,
});
const stream = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;

throughEveryDoor('UpdateTable', (door) => {
  const update = (TableName: string, change: Omit<UpdateTableCommandInput, 'TableName'>) =>
    door.client.send(new UpdateTableCommand({ TableName, ...change }));

  async function described(TableName: string) {
    await waitUntilTableExists({ client: door.client, ...waiting }, { TableName });
    return (await door.client.send(new DescribeTableCommand({ TableName }))).Table!;
  }

  describe('of provisioned throughput', () => {
    let name: string;
    beforeAll(async () => {
      name = await door.createTable({
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'gk', AttributeType: 'S' },
        ],
        ProvisionedThroughput: units(2, 2),
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by-gk',
            KeySchema: [{ AttributeName: 'gk', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput: units(2, 2),
          },
        ],
      });
    });

    it('answers with the old units and comes to the new ones', async () => {
      const { TableDescription: answer } = await update(name, { ProvisionedThroughput: units(3, 2) });
      expect(answer).toMatchObject({ TableStatus: 'UPDATING', ProvisionedThroughput: units(2, 2) });
      const table = await described(name);
      expect(table.ProvisionedThroughput).toMatchObject({ ...units(3, 2), NumberOfDecreasesToday: 0 });
      expect(table.ProvisionedThroughput!.LastIncreaseDateTime).toBeInstanceOf(Date);
      expect(table.ProvisionedThroughput!.LastDecreaseDateTime).toBeUndefined();
    });

    it('counts decreases', async () => {
      await update(name, { ProvisionedThroughput: units(1, 1) });
      const { ProvisionedThroughput: throughput } = await described(name);
      expect(throughput).toMatchObject({ ...units(1, 1), NumberOfDecreasesToday: 1 });
      expect(throughput!.LastDecreaseDateTime).toBeInstanceOf(Date);
    });

    it('changes an index by itself', async () => {
      await update(name, {
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'by-gk', ProvisionedThroughput: units(4, 4) } }],
      });
      const table = await described(name);
      expect(table.GlobalSecondaryIndexes![0]!.ProvisionedThroughput).toMatchObject(units(4, 4));
      expect(table.ProvisionedThroughput).toMatchObject(units(1, 1));
    });

    it('is refused when nothing would change', async () => {
      await expectInvalid(
        door,
        update(name, { ProvisionedThroughput: units(1, 1) }),
        'The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 1. Requested ReadCapacityUnits: 1. Current WriteCapacityUnits provisioned for the table: 1. Requested WriteCapacityUnits: 1. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
      );
    });

    it('keeps on-demand ceilings out', async () => {
      await expectInvalid(
        door,
        update(name, { OnDemandThroughput: { MaxReadRequestUnits: 1 } }),
        `${P}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
      );
    });

    it('switches to on demand and back, with all indexes', async () => {
      await update(name, { BillingMode: 'PAY_PER_REQUEST' });
      const onDemand = await described(name);
      expect(onDemand.BillingModeSummary).toMatchObject({ BillingMode: 'PAY_PER_REQUEST' });
      expect(onDemand.BillingModeSummary!.LastUpdateToPayPerRequestDateTime).toBeInstanceOf(Date);
      expect(onDemand.ProvisionedThroughput).toMatchObject(units(0, 0));
      expect(onDemand.GlobalSecondaryIndexes![0]!.ProvisionedThroughput).toMatchObject(units(0, 0));
      await expectInvalid(
        door,
        update(name, { BillingMode: 'PROVISIONED' }),
        `${P}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
      );
      await expectInvalid(
        door,
        update(name, { BillingMode: 'PROVISIONED', ProvisionedThroughput: units(1, 1) }),
        `${P}ProvisionedThroughput must be specified for index: by-gk`,
      );
      await update(name, {
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: units(5, 6),
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'by-gk', ProvisionedThroughput: units(7, 8) } }],
      });
      const provisioned = await described(name);
      expect(provisioned.BillingModeSummary).toMatchObject({ BillingMode: 'PROVISIONED' });
      expect(provisioned.ProvisionedThroughput).toMatchObject(units(5, 6));
      expect(provisioned.GlobalSecondaryIndexes![0]!.ProvisionedThroughput).toMatchObject(units(7, 8));
    });
  });

  describe('of an on-demand table', () => {
    let name: string;
    beforeAll(async () => {
      name = await door.createTable();
    });

    it('merges ceilings and takes them away', async () => {
      await update(name, { OnDemandThroughput: { MaxReadRequestUnits: 10 } });
      const { TableDescription: both } = await update(name, {
        OnDemandThroughput: { MaxWriteRequestUnits: 20 },
      });
      expect(both!.OnDemandThroughput).toEqual({ MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 });
      const { TableDescription: one } = await update(name, {
        OnDemandThroughput: { MaxReadRequestUnits: -1 },
      });
      expect(one!.TableStatus).toBe('ACTIVE');
      expect(one!.OnDemandThroughput).toEqual({ MaxReadRequestUnits: -1, MaxWriteRequestUnits: 20 });
      await expect
        .poll(async () => (await described(name)).OnDemandThroughput, { timeout: 30_000, interval: 1_000 })
        .toMatchObject({ MaxWriteRequestUnits: 20 });
      if (!door.onAws)
        expect((await described(name)).OnDemandThroughput).toEqual({ MaxWriteRequestUnits: 20 });
      await expectInvalid(
        door,
        update(name, { OnDemandThroughput: { MaxReadRequestUnits: 0 } }),
        `${P}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
      );
    });

    it('refuses throughput', async () => {
      await expectInvalid(
        door,
        update(name, { ProvisionedThroughput: units(1, 1) }),
        `${P}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
      );
    });

    it('turns a stream on and off, each time a new one', async () => {
      await expectInvalid(
        door,
        update(name, { StreamSpecification: { StreamEnabled: false } }),
        `Table has no stream to disable: TableName: ${name}`,
      );
      await update(name, { StreamSpecification: stream });
      const first = await described(name);
      expect(first.StreamSpecification).toEqual(stream);
      await expectInvalid(
        door,
        update(name, { StreamSpecification: stream }),
        `Table already has an enabled stream: TableName: ${name}`,
      );
      await update(name, { StreamSpecification: { StreamEnabled: false } });
      const off = await described(name);
      expect(off.StreamSpecification).toBeUndefined();
      expect(off.LatestStreamArn).toBe(first.LatestStreamArn);
    });

    it('protects and unprotects at once', async () => {
      const { TableDescription: answer } = await update(name, { DeletionProtectionEnabled: true });
      expect(answer).toMatchObject({ TableStatus: 'ACTIVE', DeletionProtectionEnabled: true });
      expect((await described(name)).DeletionProtectionEnabled).toBe(true);
      if (door.onAws) {
        // The service wants a quarter of a minute between two changes of this setting.
        await expect
          .poll(() => update(name, { DeletionProtectionEnabled: false }).then(() => 'done', String), {
            timeout: 60_000,
            interval: 5_000,
          })
          .toBe('done');
      } else {
        await update(name, { DeletionProtectionEnabled: false });
      }
      expect((await described(name)).DeletionProtectionEnabled).toBe(false);
    });

    it('changes the class', async () => {
      await update(name, { TableClass: 'STANDARD_INFREQUENT_ACCESS' });
      const { TableClassSummary: summary } = await described(name);
      expect(summary!.TableClass).toBe('STANDARD_INFREQUENT_ACCESS');
      expect(summary!.LastUpdateDateTime).toBeInstanceOf(Date);
    });

    it.each<[string, Omit<UpdateTableCommandInput, 'TableName'>, string]>([
      [
        'nothing',
        {},
        'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required',
      ],
      [
        'two changes at once',
        { DeletionProtectionEnabled: true, StreamSpecification: stream },
        `${P}DeletionProtection modification must be the only operation in the request`,
      ],
      [
        'an update of no index',
        { GlobalSecondaryIndexUpdates: [{}] },
        `${P}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
      ],
      [
        'two updates of one index',
        {
          GlobalSecondaryIndexUpdates: [1, 2].map((i) => ({
            Update: { IndexName: 'one', ProvisionedThroughput: units(i, i) },
          })),
        },
        `${P}Only one global secondary index update per index is allowed simultaneously. Index: one`,
      ],
    ])('refuses %s', async (_, change, message) => {
      await expectInvalid(door, update(name, change), message);
    });
  });

  it('names the table that it does not find', async () => {
    const name = door.newName();
    await expectRefused(
      door,
      update(name, { DeletionProtectionEnabled: true }),
      'ResourceNotFoundException',
      `Requested resource not found: Table: ${name} not found`,
    );
  });
});
