/**
 * Versions: the present state under a key that never changes, and every earlier one beside it.
 *
 * Access patterns                        keys
 *   the policy as it stands                PK = POLICY#<id>, SK = CURRENT
 *   one version; the history               PK = POLICY#<id>, SK = VERSION#<number, six digits>
 *   a document and its last versions       PK = DOC#<id>, SK = v000000 (present), v000001, v000002 ...
 *   save, if nobody else has               the same, on condition that the version is the one that was read
 *
 * With CURRENT apart, versions are immutable and CURRENT says which of them holds. With v0, the present state sorts
 * before its history and both come with one Query. Use either where somebody will ask what was so before.
 * Not for data that changes many times a second: the history grows without end, and all of it has one partition key.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

const versionKey = (version: number) => `VERSION#${String(version).padStart(6, '0')}`;
const vKey = (version: number) => `v${String(version).padStart(6, '0')}`;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    for (const [read, text] of ['Draft', 'Reviewed', 'In force'].entries())
      await publish(client, table, read, text);

    say(
      'The policy as it stands',
      await client.send(new GetCommand({ ...table, Key: { PK: 'POLICY#p1', SK: 'CURRENT' } })),
    );
    say(
      'Version 2',
      await client.send(new GetCommand({ ...table, Key: { PK: 'POLICY#p1', SK: versionKey(2) } })),
    );
    say(
      'All versions, the newest first',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :policy AND begins_with(SK, :versions)',
          ExpressionAttributeValues: { ':policy': 'POLICY#p1', ':versions': 'VERSION#' },
          ScanIndexForward: false,
        }),
      ),
    );

    try {
      await publish(client, table, 2, 'Too late');
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      say(`Who has read version 2 and publishes a third is refused: ${error.name}`);
    }

    // The present state is v0. A save puts the state that it replaces beside it, under the number it had.
    await client.send(
      new PutCommand({ ...table, Item: { PK: 'DOC#d1', SK: vKey(0), version: 1, text: 'One' } }),
    );
    await save(client, table, 'Two');
    await save(client, table, 'Three');
    say(
      'A document and the history behind it',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :doc',
          ExpressionAttributeValues: { ':doc': 'DOC#d1' },
        }),
      ),
    );

    await putAll(
      client,
      table,
      [1, 2, 9, 10].map((version) => ({ PK: 'UNPADDED#d1', SK: `v${version}` })),
    );
    say(
      'Trap: without leading zeros the newest is said to be v9',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :doc',
          ExpressionAttributeValues: { ':doc': 'UNPADDED#d1' },
          ScanIndexForward: false,
        }),
      ),
    );
  });
}

/**
 * Both or neither: the version under a number that can be taken once only, and CURRENT, if it is still the one that was
 * read. Written one after the other, a program that dies in between would leave a number taken and not in force.
 */
async function publish(
  client: DynamoDBDocumentClient,
  { TableName }: Table,
  read: number,
  text: string,
): Promise<void> {
  const version = read + 1;
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName,
            Item: { PK: 'POLICY#p1', SK: versionKey(version), text },
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Put: {
            TableName,
            Item: { PK: 'POLICY#p1', SK: 'CURRENT', version, text },
            ConditionExpression: 'attribute_not_exists(PK) OR version = :read',
            ExpressionAttributeValues: { ':read': read },
          },
        },
      ],
    }),
  );
}

/** A strong read, because what it finds is what the condition then insists on. */
async function save(client: DynamoDBDocumentClient, table: Table, text: string): Promise<void> {
  const { Item: present } = await client.send(
    new GetCommand({ ...table, Key: { PK: 'DOC#d1', SK: vKey(0) }, ConsistentRead: true }),
  );
  const version = present?.version as number;
  // A second attempt after a crash writes the same copy again, which does no harm.
  await client.send(new PutCommand({ ...table, Item: { ...present, SK: vKey(version) } }));
  await client.send(
    new PutCommand({
      ...table,
      Item: { PK: 'DOC#d1', SK: vKey(0), version: version + 1, text },
      ConditionExpression: 'version = :read',
      ExpressionAttributeValues: { ':read': version },
    }),
  );
}

await playIfStarted(import.meta.url, run);
