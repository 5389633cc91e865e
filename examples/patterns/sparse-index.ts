/**
 * Sparse indexes: an item is in an index only while it has the index's keys, so an index can hold what is still to do.
 *
 * Access patterns                        keys
 *   open orders, oldest first              GSI2PK = OPEN, GSI2SK = <date>#<order>: only while it is open
 *   articles that run low                  GSI1PK = LOW, GSI1SK = SKU#<sku>: only while the stock is below its threshold
 *   ship an order                          UpdateItem that also removes GSI2PK and GSI2SK
 *
 * Use it for queues and exceptions: few items out of many. The index costs storage and writes for these few only, and a
 * Query reads nothing else. Not for something that is true of most items; then a sorted index is no worse. One key OPEN
 * for all is a hot key once there are very many orders a second: shard it (see write-sharding.ts).
 * The index follows the table with a delay, so a worker checks the item by a condition when it takes it.
 */
import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type TableShape, withTable } from '../stage.ts';

const orderKey = (id: string) => ({ PK: `ORDER#${id}`, SK: 'META' });
const openKeys = (date: string, id: string) => ({ GSI2PK: 'OPEN', GSI2SK: `${date}#${id}` });

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  const shape: TableShape = {
    indexes: {
      GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: ['qty'] },
      GSI2: { key: { GSI2PK: 'S', GSI2SK: 'S' }, only: [] },
    },
  };
  await withTable(client, shape, async (table) => {
    // Two hundred orders, of which two are open.
    const notes = 'x'.repeat(400);
    await putAll(
      client,
      table,
      Array.from({ length: 200 }, (_, i) => {
        const [id, date] = [`o-${1_000 + i}`, `2026-06-${String((i % 30) + 1).padStart(2, '0')}`];
        const open = i === 40 || i === 150;
        return {
          ...orderKey(id),
          status: open ? 'OPEN' : 'SHIPPED',
          date,
          notes,
          ...(open && openKeys(date, id)),
        };
      }),
    );
    await putAll(client, table, [{ PK: 'SKU#ABC', SK: 'STOCK', qty: 12, threshold: 10 }]);

    const openOrders = () =>
      client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI2',
          KeyConditionExpression: 'GSI2PK = :open',
          ExpressionAttributeValues: { ':open': 'OPEN' },
          Limit: 25,
        }),
      );
    say('Open orders: two of two hundred, and only these two are read', await openOrders());
    say(
      'An order is shipped, and leaves the index with its keys: one write for the table, one for the index',
      await client.send(
        new UpdateCommand({
          ...table,
          Key: orderKey('o-1040'),
          UpdateExpression: 'SET #status = :shipped REMOVE GSI2PK, GSI2SK',
          ConditionExpression: '#status = :open',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':shipped': 'SHIPPED', ':open': 'OPEN' },
        }),
      ),
    );
    say('Open orders now', await openOrders());
    say(
      'Trap: a status that changes while the keys stay leaves the order in the queue',
      await client.send(
        new UpdateCommand({
          ...table,
          Key: orderKey('o-1150'),
          UpdateExpression: 'SET #status = :shipped',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':shipped': 'SHIPPED' },
        }),
      ),
    );
    say('Open orders, so it seems', await openOrders());

    // Sold: from 12 to 9, which is below the threshold.
    const { Attributes: stock } = await client.send(
      new UpdateCommand({
        ...table,
        Key: { PK: 'SKU#ABC', SK: 'STOCK' },
        UpdateExpression: 'SET qty = qty - :sold',
        ConditionExpression: 'qty >= :sold',
        ExpressionAttributeValues: { ':sold': 3 },
        ReturnValues: 'ALL_NEW',
      }),
    );
    if (stock?.qty < stock?.threshold)
      await client.send(
        new UpdateCommand({
          ...table,
          Key: { PK: 'SKU#ABC', SK: 'STOCK' },
          UpdateExpression: 'SET GSI1PK = :low, GSI1SK = :sku',
          // Somebody may have filled the shelf in between.
          ConditionExpression: 'qty < threshold',
          ExpressionAttributeValues: { ':low': 'LOW', ':sku': 'SKU#ABC' },
        }),
      );
    say(
      'Articles that run low',
      await client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI1',
          KeyConditionExpression: 'GSI1PK = :low',
          ExpressionAttributeValues: { ':low': 'LOW' },
        }),
      ),
    );
  });
}

await playIfStarted(import.meta.url, run);
