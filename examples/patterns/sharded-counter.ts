/**
 * Sharded counters: a number that many count at once, in N items that are added up when it is read.
 *
 * Access patterns                        keys
 *   count one, where few count             PK = COUNTER#<id>, SK = TOTAL: one UpdateItem with ADD
 *   count one, where everybody counts      PK = VOTES#<item>#<0..N-1>, SK = COUNT: a random one of them
 *   the total                              one BatchGetItem of all N
 *   like a post once                       PK = POST#<id>, SK = LIKE#<user>, on condition that it is not there
 *
 * Use one item up to some hundreds of counts a second: it is exact, and read at once. Shards beyond that. The total is
 * a sum of reads at slightly different moments, so it may be behind, but it loses nothing.
 * ADD repeats when a request is sent again after an answer was lost, so count what may happen once by its item, as the
 * like here, and let the counter follow (see denormalised-copies.ts).
 */
import { randomInt } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, type Say, type Table, withTable } from '../stage.ts';

const shards = 10;
const shardKey = (item: string, shard: number) => ({ PK: `VOTES#${item}#${shard}`, SK: 'COUNT' });

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    const add = (Key: { PK: string; SK: string }) =>
      client.send(
        new UpdateCommand({
          ...table,
          Key,
          UpdateExpression: 'ADD votes :one',
          ExpressionAttributeValues: { ':one': 1 },
          ReturnValues: 'UPDATED_NEW',
        }),
      );

    await add({ PK: 'COUNTER#page', SK: 'TOTAL' });
    say(
      'A counter in one item: made by the first count, and told in the answer',
      await add({ PK: 'COUNTER#page', SK: 'TOTAL' }),
    );
    say(
      'Its value',
      await client.send(new GetCommand({ ...table, Key: { PK: 'COUNTER#page', SK: 'TOTAL' } })),
    );

    // Fifty voters at once, none of whom waits for another's item.
    await Promise.all(Array.from({ length: 50 }, () => add(shardKey('item1', randomInt(shards)))));
    const total = await sumOfShards(client, table, 'item1');
    say(`The votes for item1, added up over ${shards} shards: ${total.votes}, for ${total.units} units`);

    const like = (user: string) =>
      client.send(
        new PutCommand({
          ...table,
          Item: { PK: 'POST#p1', SK: `LIKE#${user}` },
          ConditionExpression: 'attribute_not_exists(PK)',
        }),
      );
    say('A like', await like('u1'));
    try {
      await like('u1');
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      say(`The same like sent again counts nothing: ${error.name}`);
    }

    say(
      'Trap: ADD sent again after a lost answer counts twice',
      await add({ PK: 'COUNTER#page', SK: 'TOTAL' }),
    );
  });
}

async function sumOfShards(client: DynamoDBDocumentClient, { TableName }: Table, item: string) {
  const Keys = Array.from({ length: shards }, (_, shard) => shardKey(item, shard));
  const { Responses, ConsumedCapacity } = await client.send(
    new BatchGetCommand({
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  // A shard that nobody has drawn yet is no item.
  const votes = (Responses?.[TableName] ?? []).reduce((sum, shard) => sum + shard.votes, 0);
  return { votes, units: ConsumedCapacity?.[0]?.CapacityUnits };
}

await playIfStarted(import.meta.url, run);
