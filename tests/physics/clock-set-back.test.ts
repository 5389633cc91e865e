import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { opened, resourceOf, tableWith } from './load.ts';

const TableName = 'Tracking';
const yearMs = 365 * 86_400_000;
let db: Stator;
afterEach(() => db.close());

/** A clock that was ahead by a year and is put right must leave nothing behind that waits for that year. */
describe('a clock that is set back by a year', () => {
  it('ends what readers see of the past', async () => {
    const byStatus = {
      IndexName: 'by-status',
      KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'ALL' as const },
    };
    const definitions = [
      ...tableWith().AttributeDefinitions!,
      { AttributeName: 'status', AttributeType: 'S' as const },
    ];
    const all = await opened(
      tableWith({ AttributeDefinitions: definitions, GlobalSecondaryIndexes: [byStatus] }),
      { physics: 'enforce' },
    );
    db = all.db;
    const { client, clock } = all;
    const Key = { pk: { S: 'a' }, sk: { S: '1' } };
    const write = () =>
      client.send(new PutItemCommand({ TableName, Item: { ...Key, status: { S: 'open' } } }));
    const inIndex = async () =>
      (
        await client.send(
          new QueryCommand({
            TableName,
            IndexName: 'by-status',
            KeyConditionExpression: '#s = :s',
            ExpressionAttributeNames: { '#s': 'status' },
            ExpressionAttributeValues: { ':s': { S: 'open' } },
          }),
        )
      ).Count;
    clock.advanceMs(yearMs);
    await write();
    expect(await inIndex()).toBe(0);
    clock.advanceMs(-yearMs);
    expect(await inIndex()).toBe(1);
    for (let i = 0; i < 30; i++)
      expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toBeDefined();
    // And a change after it becomes visible in its own time, not in that of the one before.
    await client.send(new PutItemCommand({ TableName, Item: Key }));
    clock.advanceMs(501);
    expect(await inIndex()).toBe(0);
  });

  it('forgets changes of settings that are ahead of it', async () => {
    const all = await opened(tableWith(), { physics: 'enforce' });
    db = all.db;
    const { client, clock } = all;
    const setClass = async (TableClass: 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS') => {
      await client.send(new UpdateTableCommand({ TableName, TableClass }));
      clock.advanceMs(10_000);
    };
    const setExpiry = (Enabled: boolean) =>
      client.send(
        new UpdateTimeToLiveCommand({
          TableName,
          TimeToLiveSpecification: { Enabled, AttributeName: 'until' },
        }),
      );
    clock.advanceMs(yearMs);
    await setExpiry(true);
    await setClass('STANDARD_INFREQUENT_ACCESS');
    await setClass('STANDARD');
    await expect(setClass('STANDARD_INFREQUENT_ACCESS')).rejects.toThrow('limited to 2 times in 30 day(s)');
    await expect(setExpiry(false)).rejects.toThrow('modified multiple times within a fixed interval');
    clock.advanceMs(-yearMs);
    await setClass('STANDARD_INFREQUENT_ACCESS');
    await setExpiry(false);
  });

  it('lets a debt be paid from there on', async () => {
    const units = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
    const all = await opened(tableWith({ BillingMode: 'PROVISIONED', ProvisionedThroughput: units }), {
      physics: 'enforce',
    });
    db = all.db;
    const { client, clock } = all;
    const write = () =>
      client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, sk: { S: '1' } } }));
    await write();
    const resource = resourceOf(db);
    clock.advanceMs(yearMs);
    await write();
    resource.write.spend(1e12);
    await expect(write()).rejects.toThrow('provisioned throughput');
    clock.advanceMs(-yearMs);
    await expect(write()).rejects.toThrow('provisioned throughput');
    // However much was charged, a quarter of an hour pays it.
    clock.advanceMs(901_000);
    await write();
  });
});
