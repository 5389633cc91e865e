import {
  DeleteTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  UpdateTableCommand,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

throughEveryDoor('DeleteTable', (door) => {
  const deleteTable = (TableName?: string) =>
    door.client.send(new DeleteTableCommand({ TableName: TableName as string }));

  async function deleted(TableName: string) {
    const { TableDescription: answer } = await deleteTable(TableName);
    await waitUntilTableNotExists({ client: door.client, ...waiting }, { TableName });
    return answer!;
  }

  it('answers with a table in deletion, after which there is none', async () => {
    const TableName = await door.createTable();
    await door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));
    const answer = await deleted(TableName);
    expect(answer).toMatchObject({ TableName, TableStatus: 'DELETING' });
    expect(answer.TableArn).toMatch(new RegExp(`:table/${TableName}$`));
    const found = await door.client.send(
      new ListTablesCommand({ ExclusiveStartTableName: TableName.slice(0, -1) }),
    );
    expect(found.TableNames).not.toContain(TableName);
    const notFound = `Requested resource not found: Table: ${TableName} not found`;
    await expectRefused(door, deleteTable(TableName), 'ResourceNotFoundException', notFound);
    const read = door.client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
    await expectRefused(door, read, 'ResourceNotFoundException', 'Requested resource not found');
    const write = door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));
    await expectRefused(door, write, 'ResourceNotFoundException', 'Requested resource not found');
  });

  it('does not say how the table was made', async () => {
    const answer = await deleted(
      await door.createTable({
        AttributeDefinitions: ['pk', 'sk', 'other'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S' as const,
        })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        LocalSecondaryIndexes: [
          {
            IndexName: 'local',
            KeySchema: [
              { AttributeName: 'pk', KeyType: 'HASH' },
              { AttributeName: 'other', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'global',
            KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    );
    expect(Object.keys(answer)).toEqual(expect.arrayContaining(['TableName', 'TableArn', 'ItemCount']));
    for (const member of [
      'KeySchema',
      'AttributeDefinitions',
      'CreationDateTime',
      'LocalSecondaryIndexes',
      'GlobalSecondaryIndexes',
      'WarmThroughput',
    ]) {
      expect(answer).not.toHaveProperty(member);
    }
  });

  it('leaves the name free for another table, which shares nothing with the first', async () => {
    const TableName = await door.createTable();
    await door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: '1' } } }));
    const first = await door.client.send(new DescribeTableCommand({ TableName }));
    await deleted(TableName);
    await door.createTable({
      TableName,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }],
    });
    const second = await door.client.send(new DescribeTableCommand({ TableName }));
    expect(second.Table!.TableArn).toBe(first.Table!.TableArn);
    expect(second.Table!.TableId).not.toBe(first.Table!.TableId);
    const read = (pk: { S: string } | { N: string }) =>
      door.client.send(new GetItemCommand({ TableName, Key: { pk }, ConsistentRead: true }));
    expect((await read({ N: '1' })).Item).toBeUndefined();
    await expectInvalid(door, read({ S: '1' }), 'The provided key element does not match the schema');
  });

  it('is refused for a protected table', async () => {
    const TableName = await door.createTable({ DeletionProtectionEnabled: true });
    await expectInvalid(
      door,
      deleteTable(TableName),
      'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
    );
    await door.client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    await deleted(TableName);
  });

  it('takes an ARN', async () => {
    const TableName = await door.createTable();
    const { Table: table } = await door.client.send(new DescribeTableCommand({ TableName }));
    await deleteTable(table!.TableArn);
    await waitUntilTableNotExists({ client: door.client, ...waiting }, { TableName });
  });

  it('needs a name', async () => {
    await expectInvalid(
      door,
      deleteTable(),
      "The parameter 'TableName' is required but was not present in the request",
    );
  });
});
