import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  TagResourceCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

throughEveryDoor('Regions and accounts', (door) => {
  const key = { pk: { S: 'a' } };
  const read = (client: DynamoDBClient, TableName: string) =>
    client.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
  const arnOf = async (client: DynamoDBClient, TableName: string) =>
    (await client.send(new DescribeTableCommand({ TableName }))).Table!.TableArn!;

  async function createIn(client: DynamoDBClient, TableName: string): Promise<void> {
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await waitUntilTableExists({ client, ...waiting }, { TableName });
  }

  async function deleteIn(client: DynamoDBClient, TableName: string): Promise<void> {
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, ...waiting }, { TableName });
  }

  it('Regions are worlds apart', async () => {
    const name = door.newName();
    const [here, there] = [door.clientOf({ region: 'eu-west-1' }), door.clientOf({ region: 'eu-central-1' })];
    await createIn(here, name);
    await here.send(new PutItemCommand({ TableName: name, Item: { ...key, v: { S: 'here' } } }));
    await expectRefused(door, read(there, name), 'ResourceNotFoundException', 'Requested resource not found');
    const after = { ExclusiveStartTableName: name.slice(0, -1) };
    expect((await here.send(new ListTablesCommand(after))).TableNames).toContain(name);
    expect((await there.send(new ListTablesCommand(after))).TableNames).not.toContain(name);
    await createIn(there, name);
    expect((await read(there, name)).Item).toBeUndefined();
    const [ownArn, otherArn] = [await arnOf(here, name), await arnOf(there, name)];
    expect(ownArn).toContain(':dynamodb:eu-west-1:');
    expect(otherArn).toBe(ownArn.replace('eu-west-1', 'eu-central-1'));
    await deleteIn(there, name);
    expect((await read(here, name)).Item).toEqual({ ...key, v: { S: 'here' } });
    await deleteIn(here, name);
  });

  it.runIf(process.env.STATOR_TEST_ENDPOINT !== 'aws')(
    'an access key of 12 digits is an account of its own',
    async () => {
      const name = door.newName();
      const one = door.clientOf({ accessKeyId: '111111111111' });
      const two = door.clientOf({ accessKeyId: '222222222222' });
      await createIn(one, name);
      await one.send(new PutItemCommand({ TableName: name, Item: { ...key, v: { N: '1' } } }));
      await expectRefused(door, read(two, name), 'ResourceNotFoundException', 'Requested resource not found');
      await createIn(two, name);
      expect((await read(two, name)).Item).toBeUndefined();
      expect(await arnOf(one, name)).toBe(`arn:aws:dynamodb:us-east-1:111111111111:table/${name}`);
      expect(await arnOf(two, name)).toBe(`arn:aws:dynamodb:us-east-1:222222222222:table/${name}`);
      // An ARN names the account by itself.
      expect((await read(two, await arnOf(one, name))).Item).toEqual({ ...key, v: { N: '1' } });
      await deleteIn(one, name);
      await deleteIn(two, name);
    },
  );

  it.runIf(process.env.STATOR_TEST_ENDPOINT !== 'aws')('all other access keys share one', async () => {
    const name = await door.createTable();
    const other = door.clientOf({ accessKeyId: 'AKIAIOSFODNN7EXAMPLE' });
    expect(await arnOf(other, name)).toBe(`arn:aws:dynamodb:us-east-1:000000000000:table/${name}`);
  });

  it.runIf(process.env.STATOR_TEST_ENDPOINT !== 'aws')('any name is a Region', async () => {
    const client = door.clientOf({ region: 'fakeRegion' });
    const name = door.newName();
    await createIn(client, name);
    const arn = await arnOf(client, name);
    expect(arn).toBe(`arn:aws:dynamodb:fakeRegion:000000000000:table/${name}`);
    await client.send(new TagResourceCommand({ ResourceArn: arn, Tags: [{ Key: 'a', Value: 'b' }] }));
    expect((await read(client, arn)).Item).toBeUndefined();
    await deleteIn(client, name);
  });

  it.runIf(process.env.STATOR_TEST_ENDPOINT !== 'aws')('a table may be created by its ARN', async () => {
    const name = door.newName();
    const client = door.clientOf({ accessKeyId: '333333333333' });
    const arn = (ofName: string) => `arn:aws:dynamodb:us-east-1:333333333333:table/${ofName}`;
    await createIn(client, arn(name));
    expect(await arnOf(client, name)).toBe(arn(name));
    await deleteIn(client, name);
    await expectInvalid(
      door,
      createIn(client, arn('ab')),
      "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
    );
  });

  it.runIf(process.env.STATOR_TEST_ENDPOINT !== 'aws')('an ARN of another Region is refused', async () => {
    const arn = 'arn:aws:dynamodb:eu-west-1:000000000000:table/abc';
    await expectInvalid(
      door,
      read(door.client, arn),
      `Invalid table ARN: the Region of ${arn} is not that of the endpoint, us-east-1`,
    );
  });
});
