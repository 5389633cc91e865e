/**
 * Materialised aggregates: sums that are kept as the events come in, for every question that will be asked of them.
 *
 * Access patterns                        keys
 *   sales of a shop on a day, in a month   PK = SHOP#<id>, SK = DAY#<date> or MONTH#<yyyy-mm>
 *   the days of a month                    PK = SHOP#<id>, SK between DAY#2026-06-01 and DAY#2026-06-30
 *   the five best sellers of a month       GSI1PK = BEST#<shop>#<month>, GSI1SK = the amount, a number
 *   whether a sale has been counted        PK = SALE#<id>, SK = META
 *
 * Use it when the same totals are read again and again. The events stay, so an aggregate can be computed anew, and a new
 * one can be begun. Not for totals that somebody asks for once: export the table and ask there.
 * An event must count once although it may arrive twice: the item of the sale is put on condition that it is new. For
 * a day's item that all shops write at once, shard it (see sharded-counter.ts).
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, type Say, type Table, type TableShape, withTable } from '../stage.ts';

interface Sale {
  readonly id: string;
  readonly shop: string;
  readonly date: string;
  readonly sku: string;
  readonly amount: number;
}

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  const shape: TableShape = { indexes: { GSI1: { key: { GSI1PK: 'S', amount: 'N' }, only: [] } } };
  await withTable(client, shape, async (table) => {
    const sales: Sale[] = [
      { id: 's1', shop: 'north', date: '2026-06-01', sku: 'ABC', amount: 100 },
      { id: 's2', shop: 'north', date: '2026-06-01', sku: 'XYZ', amount: 25 },
      { id: 's3', shop: 'north', date: '2026-06-02', sku: 'ABC', amount: 50 },
      { id: 's4', shop: 'north', date: '2026-06-30', sku: 'QRS', amount: 80 },
      { id: 's5', shop: 'north', date: '2026-07-01', sku: 'ABC', amount: 10 },
    ];
    for (const sale of sales) await count(client, table, sale);
    say(`The same sale again: ${await count(client, table, sales[0]!)}`);

    const total = (SK: string) => client.send(new GetCommand({ ...table, Key: { PK: 'SHOP#north', SK } }));
    say('The month', await total('MONTH#2026-06'));
    say('One day of it', await total('DAY#2026-06-01'));
    say(
      'Its days',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :shop AND SK BETWEEN :first AND :last',
          ExpressionAttributeValues: {
            ':shop': 'SHOP#north',
            ':first': 'DAY#2026-06-01',
            ':last': 'DAY#2026-06-30',
          },
        }),
      ),
    );
    say(
      'The two best sellers of the month: the index keeps them sorted while they grow',
      await client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI1',
          KeyConditionExpression: 'GSI1PK = :month',
          ExpressionAttributeValues: { ':month': 'BEST#north#2026-06' },
          ScanIndexForward: false,
          Limit: 2,
        }),
      ),
    );
  });
}

/** One sale and its three sums. A consumer of the table's stream would do the sums; the condition is the same. */
async function count(client: DynamoDBDocumentClient, table: Table, sale: Sale): Promise<string> {
  try {
    await client.send(
      new PutCommand({
        ...table,
        Item: { PK: `SALE#${sale.id}`, SK: 'META', sku: sale.sku, paid: sale.amount },
        ConditionExpression: 'attribute_not_exists(PK)',
      }),
    );
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'counted already';
    throw error;
  }
  const add = (Key: Record<string, string>, index?: string) =>
    client.send(
      new UpdateCommand({
        ...table,
        Key,
        UpdateExpression: `ADD amount :amount, sales :one${index === undefined ? '' : ' SET GSI1PK = :index'}`,
        ExpressionAttributeValues: {
          ':amount': sale.amount,
          ':one': 1,
          ...(index !== undefined && { ':index': index }),
        },
      }),
    );
  const month = sale.date.slice(0, 7);
  await add({ PK: `SHOP#${sale.shop}`, SK: `DAY#${sale.date}` });
  await add({ PK: `SHOP#${sale.shop}`, SK: `MONTH#${month}` });
  await add({ PK: `SHOP#${sale.shop}#${month}`, SK: `SKU#${sale.sku}` }, `BEST#${sale.shop}#${month}`);
  return 'counted';
}

await playIfStarted(import.meta.url, run);
