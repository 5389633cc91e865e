import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import type { ListsRun } from './lists.ts';

const accounts = 12;
const openingBalance = 100;

/**
 * Clients move money between accounts while others add all of them up, and answers what they saw that cannot be: a sum
 * that is not the one of the beginning, or a debt.
 */
export async function runAccounts(run: ListsRun): Promise<string[]> {
  const anomalies: string[] = [];
  await run.clients[0]!.send(
    new BatchWriteItemCommand({
      RequestItems: {
        [run.tableName]: Array.from({ length: accounts }, (_, i) => ({
          PutRequest: { Item: { ...keyOf(i), balance: { N: String(openingBalance) } } },
        })),
      },
    }),
  );
  await Promise.all(
    Array.from({ length: run.concurrency }, async (_, number) => {
      const client = run.clients[number % run.clients.length]!;
      const random = seededRandom(run.seed + number);
      for (let i = number; i < run.requests; i += run.concurrency) {
        if (random.chance(0.3)) anomalies.push(...(await audit(client, run.tableName)));
        else await transfer(client, run.tableName, random);
      }
    }),
  );
  anomalies.push(...(await audit(run.clients[0]!, run.tableName)));
  return anomalies;
}

function keyOf(account: number) {
  return { pk: { S: `account-${account}` } };
}

async function audit(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const TransactItems = Array.from({ length: accounts }, (_, i) => ({ Get: { TableName, Key: keyOf(i) } }));
  const { Responses } = await client.send(new TransactGetItemsCommand({ TransactItems }));
  const balances = Responses!.map(({ Item }) => Number(Item!.balance!.N));
  const sum = balances.reduce((all, balance) => all + balance, 0);
  const isRight = sum === accounts * openingBalance && balances.every((balance) => balance >= 0);
  return isRight ? [] : [`accounts of ${sum} in all: ${balances.join(', ')}`];
}

async function transfer(client: DynamoDBClient, TableName: string, random: SeededRandom): Promise<void> {
  const from = random.below(accounts);
  const to = (from + 1 + random.below(accounts - 1)) % accounts;
  const values = { ':amount': { N: String(1 + random.below(60)) } };
  try {
    await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          {
            Update: {
              TableName,
              Key: keyOf(from),
              UpdateExpression: 'SET balance = balance - :amount',
              ConditionExpression: 'balance >= :amount',
              ExpressionAttributeValues: values,
            },
          },
          {
            Update: {
              TableName,
              Key: keyOf(to),
              UpdateExpression: 'SET balance = balance + :amount',
              ExpressionAttributeValues: values,
            },
          },
        ],
      }),
    );
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
  }
}
