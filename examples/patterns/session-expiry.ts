/**
 * Sessions that end by themselves: an attribute with the time of expiry, and Time to Live on the table.
 *
 * Access patterns                        keys
 *   sign in                                PK = SESSION#<token>, with `expires` in a day
 *   whose session is this                  one GetItem, and a look at `expires`
 *   use it, and so prolong it              the same key, SET expires if it has not passed
 *   sign out everywhere                    GSI1PK = USER#<id>: one Query, then a delete for each
 *
 * Use it for whatever is worthless after its time: sessions, codes, locks, caches. Deleting costs nothing, indexes
 * included. Time to Live cleans up and decides nothing: the service deletes minutes after the time, or days, and until
 * then the item can be read and written like any other. So every reader compares, and every writer has a condition. Not
 * for anything that has to happen at its time.
 */
import { ConditionalCheckFailedException, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, type Say, type Table, type TableShape, type Time, withTable } from '../stage.ts';

const day = 86_400;
const sessionKey = (token: string) => ({ PK: `SESSION#${token}` });
const shape = {
  key: { PK: 'S' },
  indexes: { GSI1: { key: { GSI1PK: 'S' }, only: ['expires'] } },
} satisfies TableShape;

export async function run(client: DynamoDBDocumentClient, say: Say, time: Time): Promise<void> {
  await withTable(client, shape, async (table) => {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table.TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    const signIn = async (token: string, user: string) =>
      client.send(
        new PutCommand({
          ...table,
          Item: {
            ...sessionKey(token),
            GSI1PK: `USER#${user}`,
            user,
            expires: (await time.now()) + day,
          },
        }),
      );
    say('Sign in', await signIn('t1', 'ada'));
    await signIn('t2', 'ada');
    say('Whose session it is', await client.send(new GetCommand({ ...table, Key: sessionKey('t1') })));

    const passes = await time.pass(day / 2);
    say(`t1 is used${passes ? ', half a day later' : ''}: ${await prolonged(client, table, time, 't1')}`);
    if (!passes) return;
    await time.pass((3 * day) / 4);
    say(`t2 is used, more than a day after its beginning: ${await prolonged(client, table, time, 't2')}`);
    say(`t1 is used: ${await prolonged(client, table, time, 't1')}`);
    say(
      "The user's sessions: those that have passed are out of the index too",
      await client.send(
        new QueryCommand({
          ...table,
          IndexName: 'GSI1',
          KeyConditionExpression: 'GSI1PK = :user',
          // Where the service is late, this leaves them out.
          FilterExpression: 'expires > :now',
          ExpressionAttributeValues: { ':user': 'USER#ada', ':now': await time.now() },
        }),
      ),
    );
    await time.pass(2 * day);
    say('Two days later', await client.send(new GetCommand({ ...table, Key: sessionKey('t1') })));
  });
}

/** Refused when the time has passed, whether the item is still there or not; an update alone would make it anew. */
async function prolonged(
  client: DynamoDBDocumentClient,
  table: Table,
  time: Time,
  token: string,
): Promise<string> {
  const now = await time.now();
  try {
    await client.send(
      new UpdateCommand({
        ...table,
        Key: sessionKey(token),
        UpdateExpression: 'SET expires = :later',
        ConditionExpression: 'expires > :now',
        ExpressionAttributeValues: { ':now': now, ':later': now + day },
      }),
    );
    return 'good for another day';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return 'over, sign in again';
  }
}

await playIfStarted(import.meta.url, run);
