/**
 * The order of a sort key's components: what is ranged over must come before what only makes the key unique.
 *
 * Access patterns                        keys
 *   a customer's orders of June            PK = CUST#<id>, SK = ORDER#<date>#<order>
 *   an order by its number alone           PK = ORDER#<order>, SK = META
 *
 * The same three orders are written in both orders of components, and asked the same question. Coarse before fine,
 * and equality before range: a key can be cut off at the right only, never on the left.
 * Where the same items are wanted in a second order, give that order an index; do not make the key longer.
 */
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const dateFirst = (date: string, id: string) => `ORDER#${date}#${id}`;
const idFirst = (date: string, id: string) => `ORDER#${id}#${date}`;

/** Enough that a read of two orders and a read of four do not cost the same. */
const notes = 'x'.repeat(3_500);

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    const orders = [
      { date: '2026-05-30', id: 'o-9300', total: 20 },
      { date: '2026-06-01', id: 'o-9001', total: 149 },
      { date: '2026-06-03', id: 'o-9044', total: 72.5 },
      { date: '2026-07-02', id: 'o-9002', total: 5 },
    ];
    await putAll(
      client,
      table,
      orders.flatMap(({ date, id, total }) => [
        { PK: 'CUST#a1b2', SK: dateFirst(date, id), total, notes },
        { PK: 'CUST#wrong', SK: idFirst(date, id), total, notes, date },
        { PK: `ORDER#${id}`, SK: 'META', customer: 'a1b2', date, total },
      ]),
    );

    const between = (PK: string, from: string, to: string) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk AND SK BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':pk': PK, ':from': from, ':to': to },
        }),
      );

    say(
      'The orders of June, date first',
      await between('CUST#a1b2', 'ORDER#2026-06-01', 'ORDER#2026-06-30~'),
    );
    say(
      'Trap: the same range, id first, finds nothing',
      await between('CUST#wrong', 'ORDER#2026-06-01', 'ORDER#2026-06-30~'),
    );
    say(
      'Trap: and a range of ids is in no order of time',
      await between('CUST#wrong', 'ORDER#o-9001', 'ORDER#o-9044~'),
    );
    say(
      'Trap: what is left is to read all of the customer and to filter, which costs as much as reading all',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk AND begins_with(SK, :orders)',
          FilterExpression: '#date BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#date': 'date' },
          ExpressionAttributeValues: {
            ':pk': 'CUST#wrong',
            ':orders': 'ORDER#',
            ':from': '2026-06-01',
            ':to': '2026-06-30',
          },
        }),
      ),
    );
    say(
      'An order by its number has a key of its own instead',
      await client.send(new GetCommand({ ...table, Key: { PK: 'ORDER#o-9044', SK: 'META' } })),
    );
  });
}

await playIfStarted(import.meta.url, run);
