/**
 * Tenants in one table: the tenant is the beginning of every partition key, of the table and of each index.
 *
 * Access patterns                        keys
 *   a tenant                               PK = TENANT#<t>, SK = METADATA
 *   its users                              PK = TENANT#<t>, SK = USER#<u>
 *   all of one user                        PK = TENANT#<t>#USER#<u>, SK = PROFILE, SESSION#<s> ...
 *   a user by e-mail, within the tenant    GSI1PK = TENANT#<t>#EMAIL#<address>, GSI1SK = USER
 *
 * Use it for many tenants of moderate size. As the tenant leads the key, an IAM policy with the condition
 * `dynamodb:LeadingKeys` can hold a caller to `TENANT#<t>` and `TENANT#<t>#*`.
 * Not when a tenant must have its own encryption key, its own backups or its own Region: give it a table. A tenant that
 * outgrows a partition key gets a shard behind it (see write-sharding.ts), the others stay as they are.
 */
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type TableShape, withTable } from '../stage.ts';

/** What comes from outside goes through this one place, and the delimiter cannot come in with it. */
const part = (value: string) => {
  if (!/^[\w.@+-]+$/.test(value)) throw new RangeError(`No part of a key: ${value}`);
  return value;
};
const tenantKey = (tenant: string) => `TENANT#${part(tenant)}`;
const userKey = (tenant: string, user: string) => `${tenantKey(tenant)}#USER#${part(user)}`;
const emailKey = (tenant: string, email: string) => `${tenantKey(tenant)}#EMAIL#${part(email.toLowerCase())}`;

const user = (tenant: string, id: string, email: string) => [
  { PK: tenantKey(tenant), SK: `USER#${part(id)}`, email },
  {
    PK: userKey(tenant, id),
    SK: 'PROFILE',
    email,
    GSI1PK: emailKey(tenant, email),
    GSI1SK: 'USER',
    // The same without the tenant, for the trap.
    GSI2PK: `EMAIL#${email}`,
    GSI2SK: userKey(tenant, id),
  },
];

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  const shape: TableShape = {
    indexes: {
      GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: ['email'] },
      GSI2: { key: { GSI2PK: 'S', GSI2SK: 'S' }, only: ['email'] },
    },
  };
  await withTable(client, shape, async (table) => {
    await putAll(client, table, [
      { PK: tenantKey('t1'), SK: 'METADATA', name: 'Acme', plan: 'team' },
      { PK: tenantKey('t2'), SK: 'METADATA', name: 'Initech', plan: 'free' },
      ...user('t1', 'u123', 'ada@example.com'),
      ...user('t1', 'u124', 'grace@example.com'),
      ...user('t2', 'u123', 'ada@example.com'),
      { PK: userKey('t1', 'u123'), SK: 'SESSION#s1', device: 'phone' },
    ]);

    const collection = (PK: string, prefix: string) =>
      client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'PK, SK, email',
          KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
          ExpressionAttributeValues: { ':pk': PK, ':prefix': prefix },
        }),
      );

    say(
      'A tenant',
      await client.send(new GetCommand({ ...table, Key: { PK: tenantKey('t1'), SK: 'METADATA' } })),
    );
    say('Its users', await collection(tenantKey('t1'), 'USER#'));
    say(
      'All of one user',
      await client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'PK, SK, email, device',
          KeyConditionExpression: 'PK = :user',
          ExpressionAttributeValues: { ':user': userKey('t1', 'u123') },
        }),
      ),
    );
    say(
      'A user of t1 by e-mail',
      await client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI1',
          ProjectionExpression: 'PK, SK, email',
          KeyConditionExpression: 'GSI1PK = :email',
          ExpressionAttributeValues: { ':email': emailKey('t1', 'Ada@example.com') },
        }),
      ),
    );
    say(
      'Trap: an index whose key does not begin with the tenant shows one tenant the users of another',
      await client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI2',
          ProjectionExpression: 'PK, SK, email',
          KeyConditionExpression: 'GSI2PK = :email',
          ExpressionAttributeValues: { ':email': 'EMAIL#ada@example.com' },
        }),
      ),
    );

    // A caller of t1 who may choose a name chooses this one.
    const chosen = 't1#USER#u123';
    say(
      'Trap: a tenant called "t1#USER#u123", taken as it is, reads a user of t1',
      await collection(`TENANT#${chosen}`, 'SESSION#'),
    );
    try {
      await collection(tenantKey(chosen), 'SESSION#');
    } catch (error) {
      say(`Checked, it is refused before any request: ${(error as Error).message}`);
    }
  });
}

await playIfStarted(import.meta.url, run);
