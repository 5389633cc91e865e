/**
 * Four shapes of a primary key, the same data in each, and what each can answer.
 *
 *   shape                     together     ranges         hot key             for
 *   partition key only        nothing      none           unlikely            looking up by id: sessions, tokens
 *   partition and sort key    per key      by sort key    as the key is       most entities
 *   the same, overloaded      several      by prefix      look at each kind   one table for a whole service
 *                             kinds
 *   a key of few values       all          by sort key    certain             nothing; shard it (write-sharding.ts)
 *
 * Access patterns: an order by its id; a customer's orders; a customer with their orders; all orders of a status.
 * A key with few values works as long as there is little: then one value's items are in one place, which takes 1,000
 * writes and 3,000 reads a second, and every Query of it reads what it then filters away.
 */
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

/** 60 orders of three customers, every tenth still open, of about one kilobyte each. */
const orders = Array.from({ length: 60 }, (_, i) => ({
  id: `o-${9000 + i}`,
  customer: ['a1b2', 'c3d4', 'e5f6'][i % 3]!,
  date: `2026-06-${String((i % 30) + 1).padStart(2, '0')}`,
  status: i % 10 === 0 ? 'OPEN' : 'SHIPPED',
  notes: 'x'.repeat(900),
}));

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  say('Partition key only');
  await withTable(client, { key: { id: 'S' } }, async (table) => {
    await putAll(client, table, orders);
    say('An order by its id', await client.send(new GetCommand({ ...table, Key: { id: 'o-9003' } })));
    say('The orders of a customer: no request can ask for them, short of reading the whole table');
  });

  say('Partition key and sort key');
  await withTable(client, { key: { customer: 'S', placed: 'S' } }, async (table) => {
    await putAll(
      client,
      table,
      orders.map((order) => ({ ...order, placed: `${order.date}#${order.id}` })),
    );
    say(
      "A customer's orders of three days",
      await client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'customer, placed',
          KeyConditionExpression: 'customer = :customer AND placed BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':customer': 'a1b2', ':from': '2026-06-01', ':to': '2026-06-03~' },
        }),
      ),
    );
  });

  say('Partition key and sort key, overloaded');
  await withTable(client, {}, async (table) => {
    await putAll(client, table, [
      { PK: 'CUST#a1b2', SK: 'PROFILE', name: 'Acme Co' },
      ...orders.map((order) => ({
        PK: `CUST#${order.customer}`,
        SK: `ORDER#${order.date}#${order.id}`,
        ...order,
      })),
    ]);
    say(
      'A customer with their newest two orders, from the end of the collection: PROFILE sorts after ORDER#',
      await client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'PK, SK, #name',
          ExpressionAttributeNames: { '#name': 'name' },
          KeyConditionExpression: 'PK = :customer',
          ExpressionAttributeValues: { ':customer': 'CUST#a1b2' },
          ScanIndexForward: false,
          Limit: 3,
        }),
      ),
    );
  });

  say('A key of few values');
  await withTable(client, { key: { status: 'S', id: 'S' } }, async (table) => {
    await putAll(client, table, orders);
    const share = orders.filter(({ status }) => status === 'SHIPPED').length;
    say(`Trap: ${share} of ${orders.length} orders have the one key SHIPPED`);
    say(
      "Trap: a customer's shipped orders are all shipped orders, filtered: what is thrown away is paid for",
      await client.send(
        new QueryCommand({
          ...table,
          Select: 'COUNT',
          KeyConditionExpression: '#status = :shipped',
          FilterExpression: 'customer = :customer',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':shipped': 'SHIPPED', ':customer': 'a1b2' },
        }),
      ),
    );
  });
}

await playIfStarted(import.meta.url, run);
