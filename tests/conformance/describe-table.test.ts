import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

throughEveryDoor('DescribeTable', (door) => {
  const describeTable = (TableName?: string) =>
    door.client.send(new DescribeTableCommand({ TableName: TableName as string }));

  it('finds a table by name and by ARN', async () => {
    const name = await door.createTable();
    const { Table: byName } = await describeTable(name);
    const { Table: byArn } = await describeTable(byName!.TableArn);
    expect(byName).toMatchObject({ TableName: name, TableStatus: 'ACTIVE' });
    expect(byArn).toEqual(byName);
  });

  it('names the table that it does not find', async () => {
    const name = door.newName();
    await expectRefused(
      door,
      describeTable(name),
      'ResourceNotFoundException',
      `Requested resource not found: Table: ${name} not found`,
    );
  });

  it.each([
    [undefined, "The parameter 'TableName' is required but was not present in the request"],
    [
      'ab',
      "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
    ],
    [
      'a b',
      "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ],
  ])('refuses the name %s', async (name, message) => {
    await expectInvalid(door, describeTable(name), message);
  });
});
