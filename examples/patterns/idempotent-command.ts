/**
 * Commands that may arrive twice: the result is written together with the effect, under the command's own id.
 *
 * Access patterns                        keys
 *   carry out a command                    IDEMPOTENCY#<command> / RESULT put if it is not there, and the effects, in one
 *                                          TransactWriteItems
 *   what came of a command                 PK = IDEMPOTENCY#<command>, SK = RESULT: one GetItem
 *   an e-mail address belongs to one       UNIQUE#EMAIL#<address> / LOCK put if it is not there, in the same transaction
 *
 * Use it where a client sends again because it heard nothing: payments, orders, approvals. Give the record an expiry, so
 * that TTL clears it away when nobody can send that command any more. A ClientRequestToken does the same for ten
 * minutes, and for the same request only; the record is for the client's own time and outlives a change of program.
 * Not for effects outside of the table: those need a consumer that knows the command too. A transaction writes twice, so
 * it costs twice; not for hot items, where transactions collide.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

interface Transfer {
  readonly command: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

const resultKey = (command: string) => ({ PK: `IDEMPOTENCY#${command}`, SK: 'RESULT' });
const balanceKey = (account: string) => ({ PK: `ACCOUNT#${account}`, SK: 'BALANCE' });

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    await putAll(client, table, [
      { ...balanceKey('a'), balance: 100 },
      { ...balanceKey('b'), balance: 0 },
    ]);
    const balance = (account: string) =>
      client.send(new GetCommand({ ...table, Key: balanceKey(account), ConsistentRead: true }));

    const command = { command: 'cmd-123', from: 'a', to: 'b', amount: 70 };
    say(`cmd-123 moves 70: ${await transfer(client, table, command)}`);
    say(`cmd-123 again, because its answer was lost: ${await transfer(client, table, command)}`);
    say(`cmd-124 moves 70 more: ${await transfer(client, table, { ...command, command: 'cmd-124' })}`);
    say('The one account', await balance('a'));
    say('The other', await balance('b'));
    say(
      'What came of cmd-123',
      await client.send(new GetCommand({ ...table, Key: resultKey('cmd-123'), ConsistentRead: true })),
    );

    say(`u1 signs up: ${await signUp(client, table, 'u1', 'ada@example.com')}`);
    say(`u2 signs up with the same address: ${await signUp(client, table, 'u2', 'ada@example.com')}`);
    say(
      'And of u2 nothing was written',
      await client.send(
        new GetCommand({ ...table, Key: { PK: 'USER#u2', SK: 'PROFILE' }, ConsistentRead: true }),
      ),
    );
  });
}

async function transfer(client: DynamoDBDocumentClient, table: Table, given: Transfer): Promise<string> {
  const { TableName } = table;
  try {
    const { ConsumedCapacity } = await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName,
              Item: { ...resultKey(given.command), moved: given.amount },
              ConditionExpression: 'attribute_not_exists(PK)',
            },
          },
          {
            Update: {
              TableName,
              Key: balanceKey(given.from),
              UpdateExpression: 'SET balance = balance - :amount',
              ConditionExpression: 'balance >= :amount',
              ExpressionAttributeValues: { ':amount': given.amount },
            },
          },
          {
            Update: {
              TableName,
              Key: balanceKey(given.to),
              UpdateExpression: 'SET balance = balance + :amount',
              ExpressionAttributeValues: { ':amount': given.amount },
            },
          },
        ],
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    return `done, for ${ConsumedCapacity?.[0]?.CapacityUnits} units`;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    // One reason for each action, in their order.
    const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (reasons[0] === 'ConditionalCheckFailed') {
      const { Item: earlier } = await client.send(
        new GetCommand({ ...table, Key: resultKey(given.command), ConsistentRead: true }),
      );
      return `done before, ${earlier?.moved} were moved (${reasons.join(', ')})`;
    }
    return `not done (${reasons.join(', ')})`;
  }
}

/** A table has one unique key; another unique value is an item of its own, which only one can put. */
async function signUp(
  client: DynamoDBDocumentClient,
  table: Table,
  user: string,
  email: string,
): Promise<string> {
  const put = (Item: Record<string, string>) => ({
    Put: { TableName: table.TableName, Item, ConditionExpression: 'attribute_not_exists(PK)' },
  });
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          put({ PK: `USER#${user}`, SK: 'PROFILE', email }),
          put({ PK: `UNIQUE#EMAIL#${email}`, SK: 'LOCK', user }),
        ],
      }),
    );
    return 'done';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return `not done (${(error.CancellationReasons ?? []).map(({ Code }) => Code).join(', ')})`;
  }
}

await playIfStarted(import.meta.url, run);
