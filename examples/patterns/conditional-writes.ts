/**
 * Conditions: what must hold is said with the write, and the service refuses the write where it does not.
 *
 * Access patterns                        write
 *   create once                            Put, if attribute_not_exists(PK) AND attribute_not_exists(SK)
 *   take from stock, never below zero      Update SET available = available - :q, if available >= :q
 *   change what nobody else has changed    Update SET ..., version = version + 1, if version = the one that was read
 *   from one state to the next             Update SET status, if status IN the states that allow it
 *   count                                  Update SET likes = if_not_exists(likes, :zero) + :one
 *
 * Use a condition wherever a program would otherwise read, decide and write: between the two somebody else writes. A
 * condition that fails is an answer, not trouble; it costs what the write would have cost. Count such answers, and do
 * not let them wake anybody. One condition sees one item; for several see idempotent-command.ts.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

const stock = { PK: 'SKU#ABC', SK: 'STOCK' };
const order = { PK: 'ORDER#o-9001', SK: 'META' };

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    const create = () =>
      client.send(
        new PutCommand({
          ...table,
          Item: { ...order, status: 'OPEN', version: 7, notes: 'none' },
          ConditionExpression: 'attribute_not_exists(PK) AND attribute_not_exists(SK)',
        }),
      );
    say('An order is created', await create());
    say(`And not created twice: ${await outcome(create())}`);

    await putAll(client, table, [{ ...stock, available: 5 }]);
    const take = (quantity: number) =>
      client.send(
        new UpdateCommand({
          ...table,
          Key: stock,
          UpdateExpression: 'SET available = available - :q',
          ConditionExpression: 'available >= :q',
          ExpressionAttributeValues: { ':q': quantity },
          ReturnValues: 'UPDATED_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
    say('Three are taken from stock', await take(3));
    say(`Three more are not: ${await outcome(take(3))}`);
    const twenty = await Promise.all(Array.from({ length: 20 }, () => outcome(take(1))));
    say(`Of twenty who take one each at once, ${twenty.filter((one) => one === 'done').length} get one`);
    say('What is left', await client.send(new GetCommand({ ...table, Key: stock, ConsistentRead: true })));

    say(`Paid by who has read version 7: ${await outcome(pay(client, table, 7))}`);
    say(`Paid again by who has read version 7 too: ${await outcome(pay(client, table, 7))}`);
    // Who is refused reads again and decides again; here, that there is nothing left to do.
    say(
      'What they find then',
      await client.send(new GetCommand({ ...table, Key: order, ConsistentRead: true })),
    );

    const ship = () =>
      client.send(
        new UpdateCommand({
          ...table,
          Key: order,
          UpdateExpression: 'SET #status = :shipped, version = version + :one',
          ConditionExpression: '#status IN (:paid, :packed)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':shipped': 'SHIPPED',
            ':paid': 'PAID',
            ':packed': 'PACKED',
            ':one': 1,
          },
        }),
      );
    say(`From PAID to SHIPPED: ${await outcome(ship())}`);
    say(`From SHIPPED to SHIPPED: ${await outcome(ship())}`);

    // The trap: two programs that read first and then write what they made of it.
    const read = async () =>
      (await client.send(new GetCommand({ ...table, Key: stock, ConsistentRead: true }))).Item
        ?.available as number;
    await putAll(client, table, [{ ...stock, available: 10 }]);
    const [first, second] = [await read(), await read()];
    await putAll(client, table, [{ ...stock, available: first - 4 }]);
    await putAll(client, table, [{ ...stock, available: second - 5 }]);
    say(`Trap: of 10, one took 4 and another 5, both having read first; left are ${await read()}`);
  });
}

function pay(client: DynamoDBDocumentClient, table: Table, readVersion: number): Promise<unknown> {
  return client.send(
    new UpdateCommand({
      ...table,
      Key: order,
      UpdateExpression: 'SET #status = :paid, version = version + :one',
      ConditionExpression: 'version = :read',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':paid': 'PAID', ':read': readVersion, ':one': 1 },
    }),
  );
}

async function outcome(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return 'done';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // With ReturnValuesOnConditionCheckFailure the refusal brings the item, and nobody has to read it again.
    const available = error.Item?.available?.N;
    return available === undefined ? error.name : `${error.name}, available ${available}`;
  }
}

await playIfStarted(import.meta.url, run);
