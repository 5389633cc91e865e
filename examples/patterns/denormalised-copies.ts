/**
 * Copies on purpose: what a read would have to join is written where it is read, and put right afterwards.
 *
 *   copy                                   saves                    costs, and is put right by
 *   the group's name on each membership    a read for every label   one write per member at a rename; a job, or a
 *                                                                   consumer of the stream, with a condition
 *   the total of orders on the customer    adding up all orders     one write with each order, in one transaction
 *                                                                   or later
 *   both directions of an edge             a second read            nothing, if an index turns it round, as in
 *                                                                   adjacency-list.ts
 *   a small LATEST item                    reading the newest one   one write per event: put, if newer
 *
 * Access patterns                        keys
 *   a user's groups with their names       PK = USER#<id>, SK = GROUP#<id>: one Query
 *   all copies of one group's name         GSI1PK = GROUP#<id>
 *   a customer with the total              PK = CUST#<id>, SK = PROFILE
 *   where a parcel is                      PK = PARCEL#<id>, SK = LATEST
 *
 * Use it for what is read often and changes seldom. Not for what must never be seen out of date, and not without a
 * way to find and mend the copies: every copy here says of which version it is.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

const membership = (user: string, group: string, groupName: string, nameVersion: number) => ({
  PK: `USER#${user}`,
  SK: `GROUP#${group}`,
  GSI1PK: `GROUP#${group}`,
  GSI1SK: `USER#${user}`,
  groupName,
  nameVersion,
});

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(
    client,
    { indexes: { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: ['nameVersion'] } } },
    async (table) => {
      await putAll(client, table, [
        { PK: 'GROUP#g1', SK: 'META', name: 'Analysts', version: 1 },
        membership('u1', 'g1', 'Analysts', 1),
        membership('u2', 'g1', 'Analysts', 1),
        { PK: 'CUST#a1b2', SK: 'PROFILE', name: 'Acme Co', orderTotal: 0 },
      ]);
      const groupsOf = (user: string) =>
        client.send(
          new QueryCommand({
            ...table,
            ProjectionExpression: 'SK, groupName, nameVersion',
            KeyConditionExpression: 'PK = :user AND begins_with(SK, :groups)',
            ExpressionAttributeValues: { ':user': `USER#${user}`, ':groups': 'GROUP#' },
          }),
        );

      say('The groups of a user, with names', await groupsOf('u1'));
      await client.send(
        new UpdateCommand({
          ...table,
          Key: { PK: 'GROUP#g1', SK: 'META' },
          UpdateExpression: 'SET #name = :name, version = version + :one',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: { ':name': 'Engineers', ':one': 1 },
        }),
      );
      say('After a rename, and before the copies are mended', await groupsOf('u1'));
      say(`Mended: ${await mendNames(client, table, 'g1')} copies`);
      say(
        'A user joins while all this happens, with the new name',
        await client.send(new PutCommand({ ...table, Item: membership('u3', 'g1', 'Engineers', 2) })),
      );
      say(
        `Mended once more, which is safe and finds nothing to do: ${await mendNames(client, table, 'g1')} copies`,
      );
      say('The groups of the user now', await groupsOf('u1'));

      await order(client, table, 'o-1', 149);
      await order(client, table, 'o-2', 72.5);
      say(`Sent again, an order is not added again: ${await order(client, table, 'o-2', 72.5)}`);
      say(
        'A customer with the total of the orders',
        await client.send(new GetCommand({ ...table, Key: { PK: 'CUST#a1b2', SK: 'PROFILE' } })),
      );
      const { Items: orders = [] } = await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :customer AND begins_with(SK, :orders)',
          ExpressionAttributeValues: { ':customer': 'CUST#a1b2', ':orders': 'ORDER#' },
        }),
      );
      say(`Reconciled from the orders themselves: ${orders.reduce((sum, { total }) => sum + total, 0)}`);

      // Events arrive out of order; the summary goes forward only.
      for (const [time, place] of [
        ['2026-06-08T10:00:00Z', 'Hamburg'],
        ['2026-06-08T14:00:00Z', 'Berlin'],
        ['2026-06-08T12:00:00Z', 'Hanover'],
      ] as const) {
        await putAll(client, table, [{ PK: 'PARCEL#p1', SK: `EVENT#${time}`, place }]);
        const kept = await unlessRefused(
          client.send(
            new PutCommand({
              ...table,
              Item: { PK: 'PARCEL#p1', SK: 'LATEST', time, place },
              ConditionExpression: 'attribute_not_exists(PK) OR #time < :time',
              ExpressionAttributeNames: { '#time': 'time' },
              ExpressionAttributeValues: { ':time': time },
            }),
          ),
        );
        say(`${place} at ${time}: ${kept ? 'the latest' : 'older than the latest, which stays'}`);
      }
      say(
        'Where the parcel is',
        await client.send(new GetCommand({ ...table, Key: { PK: 'PARCEL#p1', SK: 'LATEST' } })),
      );
    },
  );
}

/** Brings every copy of a group's name up to the group's own; a copy that is newer already is left alone. */
async function mendNames(client: DynamoDBDocumentClient, table: Table, group: string): Promise<number> {
  const { Item: truth } = await client.send(
    new GetCommand({ ...table, Key: { PK: `GROUP#${group}`, SK: 'META' }, ConsistentRead: true }),
  );
  const { Items: copies = [] } = await client.send(
    new QueryCommand({
      ...table,
      IndexName: 'GSI1',
      KeyConditionExpression: 'GSI1PK = :group',
      ExpressionAttributeValues: { ':group': `GROUP#${group}` },
    }),
  );
  const stale = copies.filter(({ nameVersion }) => nameVersion < truth?.version);
  const mended = await Promise.all(
    stale.map(({ PK, SK }) =>
      unlessRefused(
        client.send(
          new UpdateCommand({
            ...table,
            Key: { PK, SK },
            UpdateExpression: 'SET groupName = :name, nameVersion = :version',
            ConditionExpression: 'nameVersion < :version',
            ExpressionAttributeValues: { ':name': truth?.name, ':version': truth?.version },
          }),
        ),
      ),
    ),
  );
  return mended.filter(Boolean).length;
}

/** The order once, then the total. If the program dies between the two, the reconciliation above finds it. */
async function order(
  client: DynamoDBDocumentClient,
  table: Table,
  id: string,
  total: number,
): Promise<string> {
  const placed = await unlessRefused(
    client.send(
      new PutCommand({
        ...table,
        Item: { PK: 'CUST#a1b2', SK: `ORDER#${id}`, total },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    ),
  );
  if (!placed) return 'refused';
  await client.send(
    new UpdateCommand({
      ...table,
      Key: { PK: 'CUST#a1b2', SK: 'PROFILE' },
      UpdateExpression: 'ADD orderTotal :total',
      ExpressionAttributeValues: { ':total': total },
    }),
  );
  return 'placed';
}

async function unlessRefused(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

await playIfStarted(import.meta.url, run);
