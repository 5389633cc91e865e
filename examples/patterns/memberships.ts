/**
 * Users, their orders and their organisations in one table, so that an order is found by whoever knows only its id.
 *
 * Access patterns                        keys
 *   a user                                 PK = USER#<id>, SK = METADATA
 *   a user's orders, newest first          PK = USER#<id>, SK begins with ORDER#, backwards
 *   an order with its items                PK = ORDER#<id>
 *   orders in a status, by date            GSI1PK = STATUS#<status>#<month>#<shard>, GSI1SK = DATE#<date>#<id>
 *   a user by e-mail address               GSI1PK = EMAIL#<address>, GSI1SK = USER
 *   the users of an organisation           PK = ORG#<id>, SK = USER#<id>
 *   the organisations of a user            GSI1PK = USER#<id>, GSI1SK = ORG#<id>
 *
 * A common sample puts the items of an order below the user, as USER#<id> / ORDER#<date>#<id>#ITEM#<id>. Then they come
 * with every page of the user's orders, and nobody finds them who does not know user and date: the trap below. Here
 * the order has a collection of its own, and the user a short entry for each order.
 * The entry is a copy. One transaction writes it with the order, and one changes the status of both.
 */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const shard = 0;
const statusKey = (status: string, date: string) => `STATUS#${status}#${date.slice(0, 7)}#${shard}`;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  const indexes = { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' } as const, only: ['status', 'name'] } };
  await withTable(client, { indexes }, async (table) => {
    await putAll(client, table, [
      {
        PK: 'USER#u123',
        SK: 'METADATA',
        name: 'Ada',
        orderCount: 0,
        GSI1PK: 'EMAIL#ada@example.com',
        GSI1SK: 'USER',
      },
      { PK: 'ORG#org1', SK: 'USER#u123', role: 'owner', GSI1PK: 'USER#u123', GSI1SK: 'ORG#org1' },
      { PK: 'ORG#org1', SK: 'USER#u7', role: 'member', GSI1PK: 'USER#u7', GSI1SK: 'ORG#org1' },
    ]);

    /** An order, its items, the entry below the user and the user's counter: all or nothing. */
    const place = (id: string, date: string, items: readonly string[]) => {
      const { TableName } = table;
      const ConditionExpression = 'attribute_not_exists(PK)';
      const order = {
        PK: `ORDER#${id}`,
        SK: 'METADATA',
        userId: 'u123',
        date,
        status: 'placed',
        GSI1PK: statusKey('placed', date),
        GSI1SK: `DATE#${date}#${id}`,
      };
      return client.send(
        new TransactWriteCommand({
          ReturnConsumedCapacity: 'TOTAL',
          TransactItems: [
            { Put: { TableName, Item: order, ConditionExpression } },
            ...items.map((sku, i) => ({
              Put: {
                TableName,
                Item: { PK: `ORDER#${id}`, SK: `ITEM#${String(i + 1).padStart(3, '0')}`, sku },
              },
            })),
            { Put: { TableName, Item: { PK: 'USER#u123', SK: `ORDER#${date}#${id}`, status: 'placed' } } },
            {
              Update: {
                TableName,
                Key: { PK: 'USER#u123', SK: 'METADATA' },
                UpdateExpression: 'SET orderCount = orderCount + :one',
                ConditionExpression: 'attribute_exists(PK)',
                ExpressionAttributeValues: { ':one': 1 },
              },
            },
          ],
        }),
      );
    };
    const placed = await place('o456', '2024-03-15', ['ABC', 'XYZ']);
    say(`An order of two items is placed for ${placed.ConsumedCapacity?.[0]?.CapacityUnits} units`);
    await place('o457', '2024-03-20', ['ABC']);

    const query = (PK: string, prefix?: string) =>
      new QueryCommand({
        ...table,
        KeyConditionExpression: prefix === undefined ? 'PK = :pk' : 'PK = :pk AND begins_with(SK, :prefix)',
        ExpressionAttributeValues: { ':pk': PK, ...(prefix !== undefined && { ':prefix': prefix }) },
        ScanIndexForward: false,
      });
    const inIndex = (value: string, prefix: string) =>
      new QueryCommand({
        ...table,
        IndexName: 'GSI1',
        KeyConditionExpression: 'GSI1PK = :value AND begins_with(GSI1SK, :prefix)',
        ExpressionAttributeValues: { ':value': value, ':prefix': prefix },
      });

    say(
      'A user, with the number of orders',
      await client.send(new GetCommand({ ...table, Key: { PK: 'USER#u123', SK: 'METADATA' } })),
    );
    say("The user's orders, newest first", await client.send(query('USER#u123', 'ORDER#')));
    say('An order with its items, by whoever knows its id', await client.send(query('ORDER#o456')));
    say(
      'Orders that are placed, of March',
      await client.send(inIndex(statusKey('placed', '2024-03-01'), 'DATE#')),
    );
    say('A user by e-mail address', await client.send(inIndex('EMAIL#ada@example.com', 'USER')));
    say('The users of an organisation', await client.send(query('ORG#org1', 'USER#')));
    say('The organisations of a user', await client.send(inIndex('USER#u123', 'ORG#')));

    await putAll(client, table, [
      { PK: 'USER#u9', SK: 'ORDER#2024-03-15#o999', status: 'placed' },
      { PK: 'USER#u9', SK: 'ORDER#2024-03-15#o999#ITEM#i1', sku: 'ABC' },
      { PK: 'USER#u9', SK: 'ORDER#2024-03-15#o999#ITEM#i2', sku: 'XYZ' },
    ]);
    say(
      "Trap: items below the user are mixed into the user's orders",
      await client.send(query('USER#u9', 'ORDER#')),
    );
    say('Trap: and the order is not found by its id', await client.send(query('ORDER#o999')));
  });
}

await playIfStarted(import.meta.url, run);
