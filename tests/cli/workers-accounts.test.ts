import {
  BatchGetItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

const places = new Places();

it('keeps every worker to the rule about accounts', async () => {
  const key = (AccessKeyId: string, AccountId: string) => ({ AccessKeyId, AccountId, SecretAccessKey: 's' });
  const files = { 'keys.json': [key('a', '111111111111'), key('b', '222222222222')] };
  const directory = await places.directory(files);
  const stator = places.start(directory, [
    ...['--port', '0', '--workers', '2', '--json', '--auth', 'verify', '--credentials', 'keys.json'],
  ]);
  const { endpoint } = JSON.parse(await stator.out.until(/"listening"/)) as { endpoint: string };
  /** A client with a connection of its own: the workers take connections in turn. */
  const clientOf = (accessKeyId: string) =>
    new DynamoDBClient({
      ...{ endpoint, region: 'us-east-1', maxAttempts: 1 },
      credentials: { accessKeyId, secretAccessKey: 's' },
    });
  const owner = clientOf('b');
  const created = await owner.send(
    new CreateTableCommand({
      TableName: 'orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  const Key = { id: { S: 'x' } };
  await owner.send(new PutItemCommand({ TableName: 'orders', Item: Key }));
  const TableName = created.TableDescription!.TableArn!;
  const absent = TableName.replace('orders', 'absent');
  for (let i = 0; i < 6; i++) {
    const other = clientOf('a');
    for (const named of [TableName, absent])
      for (const request of [
        () => other.send(new GetItemCommand({ TableName: named, Key })),
        () => other.send(new ScanCommand({ TableName: named })),
        () => other.send(new BatchGetItemCommand({ RequestItems: { [named]: { Keys: [Key] } } })),
      ])
        await expect(request()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    const own = clientOf('b');
    expect((await own.send(new GetItemCommand({ TableName, Key }))).Item).toEqual(Key);
    own.destroy();
    other.destroy();
  }
  owner.destroy();
});
