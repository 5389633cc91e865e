import { afterEach, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const TableName = 'phases';
const AttributeDefinitions = [
  { AttributeName: 'pk', AttributeType: 'S' as const },
  { AttributeName: 'gk', AttributeType: 'S' as const },
];
const index = (IndexName: string) => ({
  IndexName,
  KeySchema: [{ AttributeName: 'gk', KeyType: 'HASH' as const }],
  Projection: { ProjectionType: 'ALL' as const },
});
const inUse = 'Attempt to change a resource which is still in use: ';

describe('an index that is added or deleted, as slowly as on the service,', () => {
  let db: Stator;
  let clock: VirtualClock;
  afterEach(() => db.close());

  async function open(): Promise<void> {
    clock = new VirtualClock(Date.UTC(2026, 10, 15));
    db = Stator.inMemory({ physics: 'enforce', clock, seed: 1 });
    await db.createTable({
      TableName,
      AttributeDefinitions: [AttributeDefinitions[0]!],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    clock.advanceMs(10_000);
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, gk: { S: 'g' } } });
  }

  const create = (name = 'by-gk') =>
    db.updateTable({
      TableName,
      AttributeDefinitions,
      GlobalSecondaryIndexUpdates: [{ Create: index(name) }],
    });
  const drop = () =>
    db.updateTable({ TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'by-gk' } }] });
  const query = () =>
    db.query({
      TableName,
      IndexName: 'by-gk',
      KeyConditionExpression: 'gk = :g',
      ExpressionAttributeValues: { ':g': { S: 'g' } },
    });

  async function status() {
    const { Table } = await db.describeTable({ TableName });
    const found = Table!.GlobalSecondaryIndexes?.[0];
    return [Table!.TableStatus, found?.IndexStatus, found?.Backfilling];
  }

  async function expectRefusals(refusals: readonly (readonly [() => Promise<unknown>, string, string])[]) {
    for (const [call, name, message] of refusals)
      await expect(call()).rejects.toMatchObject({ name, message });
  }

  const oneAtATime =
    'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table';
  const stream = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const };

  it('is allocated, backfilled and ACTIVE in their times, and refuses in its own words meanwhile', async () => {
    await open();
    await create();
    expect(await status()).toEqual(['UPDATING', 'CREATING', false]);
    const backfilling = 'Cannot read from backfilling global secondary index: by-gk';
    await expectRefusals([
      [query, 'ValidationException', backfilling],
      [
        drop,
        'ResourceInUseException',
        `${inUse}Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: phases Index: by-gk`,
      ],
      [() => create('other'), 'LimitExceededException', oneAtATime],
      [
        () =>
          db.updateTable({
            TableName,
            BillingMode: 'PROVISIONED',
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
          }),
        'ResourceInUseException',
        `${inUse}Can't change table IOPS when an index is being created. Table: phases Indexes: [by-gk]`,
      ],
      [
        () => db.updateTable({ TableName, StreamSpecification: stream }),
        'ResourceInUseException',
        `${inUse}Can't change stream status when an index is being created`,
      ],
      [
        () => db.updateTable({ TableName, OnDemandThroughput: { MaxReadRequestUnits: 10 } }),
        'ResourceInUseException',
        `${inUse}OnDemandThroughput cannot be updated while index creation is in progress for indexes: [by-gk]`,
      ],
      [
        () => db.deleteTable({ TableName }),
        'ResourceInUseException',
        `${inUse}Cannot delete table while indexes are being created, updated, or deleted.`,
      ],
    ]);
    // What the service admits meanwhile.
    await db.updateTable({ TableName, DeletionProtectionEnabled: true });
    clock.advanceMs(15_000);
    await db.updateTable({ TableName, DeletionProtectionEnabled: false });
    expect(await status()).toEqual(['UPDATING', 'CREATING', false]);

    clock.advanceMs(56_000);
    expect(await status()).toEqual(['ACTIVE', 'CREATING', true]);
    await expectRefusals([
      [query, 'ValidationException', backfilling],
      [() => create('other'), 'LimitExceededException', oneAtATime],
      [
        () => db.deleteTable({ TableName }),
        'ResourceInUseException',
        `${inUse}Cannot delete table while indexes are being created, updated, or deleted.`,
      ],
    ]);
    clock.advanceMs(1_003_000);
    expect(await status()).toEqual(['ACTIVE', 'ACTIVE', undefined]);
    expect((await query()).Items).toEqual([{ pk: { S: 'a' }, gk: { S: 'g' } }]);
  });

  it('can be deleted while it is backfilled, and takes a moment to go', async () => {
    await open();
    await create();
    clock.advanceMs(56_000);
    await drop();
    expect(await status()).toEqual(['UPDATING', 'DELETING', undefined]);
    await expectRefusals([
      [drop, 'ResourceInUseException', `${inUse}Index is being deleted.  Table: phases Index: by-gk`],
      [() => create('other'), 'LimitExceededException', oneAtATime],
      [query, 'ValidationException', 'The table does not have the specified index: by-gk'],
    ]);
    clock.advanceMs(5_000);
    expect(await status()).toEqual(['ACTIVE', undefined, undefined]);
    await create();
  });

  it('has to wait for other changes of the table', async () => {
    await open();
    await db.updateTable({ TableName, StreamSpecification: stream });
    await expect(create()).rejects.toMatchObject({
      name: 'ResourceInUseException',
      message: `${inUse}Can't create or delete an index when stream status is being updated.`,
    });
  });
});
