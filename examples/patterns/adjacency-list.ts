/**
 * Adjacency lists: children in the partition of their parent; an edge as an item, turned round by an index.
 *
 * Access patterns                        keys
 *   an order with lines and payments       PK = ORDER#<id>, SK = META, LINE#0001, PAYMENT#<time>, SHIPMENT#<time>
 *   only its lines                         the same, SK begins with LINE#
 *   the groups of a user                   PK = USER#<id>, SK = GROUP#<id>
 *   the users of a group                   GSI1PK = GROUP#<id>, GSI1SK = USER#<id>
 *   whether a user is in a group           both keys: one GetItem
 *
 * Use the first for one-to-many where parent and children are read together; the second for many-to-many: one item
 * per edge, which the index keeps for the other direction, so that there is no second write to forget.
 * Not when a parent has children without bound that are written fast (see write-sharding.ts): one parent is one
 * partition key. The index is read eventually only; a question of rights belongs to the table.
 */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const line = (number: number) => `LINE#${String(number).padStart(4, '0')}`;

/** One edge. The index has the same two values the other way round. */
const membership = (user: string, group: string) => ({
  PK: `USER#${user}`,
  SK: `GROUP#${group}`,
  GSI1PK: `GROUP#${group}`,
  GSI1SK: `USER#${user}`,
});

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(
    client,
    { indexes: { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: ['since'] } } },
    async (table) => {
      await putAll(client, table, [
        { PK: 'ORDER#12345', SK: 'META', status: 'PAID' },
        { PK: 'ORDER#12345', SK: line(1), sku: 'ABC', qty: 2 },
        { PK: 'ORDER#12345', SK: line(2), sku: 'XYZ', qty: 1 },
        { PK: 'ORDER#12345', SK: 'PAYMENT#2025-11-04T10:00:05Z', amount: 149 },
        { PK: 'ORDER#12345', SK: 'SHIPMENT#2025-11-05T08:00:00Z', parcel: 'p-1' },
        { PK: 'USER#u1', SK: 'PROFILE', name: 'Ada' },
        { ...membership('u1', 'g1'), since: '2025-01-01' },
        { ...membership('u1', 'g2'), since: '2025-03-01' },
        { ...membership('u2', 'g1'), since: '2025-02-01' },
      ]);

      const query = (PK: string, prefix: string) =>
        client.send(
          new QueryCommand({
            ...table,
            KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
            ExpressionAttributeValues: { ':pk': PK, ':prefix': prefix },
          }),
        );

      say(
        'An order with all that belongs to it',
        await client.send(
          new QueryCommand({
            ...table,
            KeyConditionExpression: 'PK = :order',
            ExpressionAttributeValues: { ':order': 'ORDER#12345' },
          }),
        ),
      );
      say('Only its lines', await query('ORDER#12345', 'LINE#'));
      say('The groups of user u1', await query('USER#u1', 'GROUP#'));
      say(
        'The users of group g1',
        await client.send(
          new QueryCommand({
            ...table,
            IndexName: 'GSI1',
            KeyConditionExpression: 'GSI1PK = :group AND begins_with(GSI1SK, :users)',
            ExpressionAttributeValues: { ':group': 'GROUP#g1', ':users': 'USER#' },
          }),
        ),
      );
      say(
        'Whether u2 is in g2',
        await client.send(
          new GetCommand({ ...table, Key: { PK: 'USER#u2', SK: 'GROUP#g2' }, ConsistentRead: true }),
        ),
      );
      say(
        'Joining costs one write for the table and one for the index',
        await client.send(
          new PutCommand({ ...table, Item: { ...membership('u2', 'g2'), since: '2025-04-01' } }),
        ),
      );
    },
  );
}

await playIfStarted(import.meta.url, run);
