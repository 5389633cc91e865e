import {
  type DynamoDBClient,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { ListsRun } from './lists.ts';

/**
 * Pairs of transactions that each take a place if the other place is free: run one after another, in whatever order,
 * exactly one of a pair can. Answers the pairs that did otherwise.
 */
export async function runPairs(run: ListsRun): Promise<string[]> {
  const anomalies: string[] = [];
  const pairs = Math.ceil(run.requests / 2);
  await Promise.all(
    Array.from({ length: run.concurrency }, async (_, number) => {
      for (let pair = number; pair < pairs; pair += run.concurrency) {
        const [one, other] = [run.clients[0]!, run.clients[run.clients.length - 1]!];
        const taken = await Promise.all([
          take(one, run.tableName, `${pair}-left`, `${pair}-right`),
          take(other, run.tableName, `${pair}-right`, `${pair}-left`),
        ]);
        const count = taken.filter(Boolean).length;
        if (count !== 1) anomalies.push(`${count} of pair ${pair} took their places`);
      }
    }),
  );
  return anomalies;
}

async function take(client: DynamoDBClient, TableName: string, own: string, other: string): Promise<boolean> {
  try {
    await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          {
            ConditionCheck: {
              TableName,
              Key: { pk: { S: other } },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
          { Put: { TableName, Item: { pk: { S: own } } } },
        ],
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}
