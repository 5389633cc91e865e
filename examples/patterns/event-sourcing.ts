/**
 * Event sourcing: what happened is the truth, numbered without gaps; a state is computed from it, or from a snapshot on.
 *
 * Access patterns                        keys
 *   append an event                        PK = ACCOUNT#<id>, SK = EVENT#<number, ten digits>, if it is not there yet
 *   all events; those after a number       PK = ACCOUNT#<id>, SK begins with EVENT#, or between two numbers
 *   the newest snapshot                    PK = ACCOUNT#<id>, SK begins with SNAPSHOT#, backwards, Limit 1
 *
 * Two writers who have both read event 4 both want to write event 5, and the key can be taken only once: that is all
 * the locking there is. Events are never changed. Snapshots only save reading, and may be thrown away.
 * Use it where the history is itself asked for: accounts, cases, audits. Not for aggregates with thousands of writes a
 * second, which all go to one partition key, nor where only the latest value matters.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Attributes, playIfStarted, type Say, type Table, withTable } from '../stage.ts';

const padded = (number: number) => String(number).padStart(10, '0');
const account = 'ACCOUNT#a1';

/** The state is a pure function of the events: the same events, the same balance. */
const balanceAfter = (events: readonly Attributes[], start = 0) =>
  events.reduce((balance, { amount }) => balance + (amount as number), start);

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    for (const [i, amount] of [100, -30, 50, -20].entries()) await append(client, table, i + 1, amount);

    const all = await events(client, table, 1);
    say('All events', all);
    say(`The balance: ${balanceAfter(all.Items ?? [])}`);

    try {
      await append(client, table, 4, 999);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      say(
        `Who has read three events and writes a fourth is too late: ${error.name}; read on and decide again`,
      );
    }

    await client.send(
      new PutCommand({ ...table, Item: { PK: account, SK: `SNAPSHOT#${padded(4)}`, last: 4, balance: 100 } }),
    );
    await append(client, table, 5, 7);
    const snapshot = await client.send(
      new QueryCommand({
        ...table,
        KeyConditionExpression: 'PK = :account AND begins_with(SK, :snapshots)',
        ExpressionAttributeValues: { ':account': account, ':snapshots': 'SNAPSHOT#' },
        ScanIndexForward: false,
        Limit: 1,
      }),
    );
    say('The newest snapshot', snapshot);
    // Without any snapshot it would be the events from the first on.
    const { last = 0, balance = 0 } = snapshot.Items?.[0] ?? {};
    const later = await events(client, table, last + 1);
    say('The events after it', later);
    say(`The balance from the snapshot on: ${balanceAfter(later.Items ?? [], balance)}`);
  });
}

async function append(
  client: DynamoDBDocumentClient,
  table: Table,
  number: number,
  amount: number,
): Promise<void> {
  await client.send(
    new PutCommand({
      ...table,
      Item: { PK: account, SK: `EVENT#${padded(number)}`, amount },
      ConditionExpression: 'attribute_not_exists(PK)',
    }),
  );
}

/** Strong, because a decision is made on it. */
function events(client: DynamoDBDocumentClient, table: Table, from: number) {
  return client.send(
    new QueryCommand({
      ...table,
      KeyConditionExpression: 'PK = :account AND SK BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':account': account, ':from': `EVENT#${padded(from)}`, ':to': 'EVENT#~' },
      ConsistentRead: true,
    }),
  );
}

await playIfStarted(import.meta.url, run);
