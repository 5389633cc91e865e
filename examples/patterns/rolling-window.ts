/**
 * A rolling window: the last ninety days of events, and no more of them to store.
 *
 * Access patterns                        keys
 *   record an event                        PK = USER#<id>, SK = EVENT#<time>#<id>, with `expires` in ninety days
 *   the window                             SK from EVENT#<ninety days ago> on: one Query
 *   the last week, newest first            the same, from a week ago, backwards
 *   how often lately                       the same with Select COUNT
 *
 * Use it for activity, rate limits and readings that nobody asks for later. The sort key makes the window exact whatever
 * the service has deleted so far: what is too old is not even read. Time to Live only keeps the table small, and costs
 * nothing. Not where somebody may want ninety-one days one day: what is gone is gone, unless a follower of the stream has
 * kept it. The trap is a filter on `expires` in place of the key: it is as exact, and reads all that is still there.
 */
import { UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, type Say, type Time, withTable } from '../stage.ts';

const day = 86_400;
const windowDays = 90;
const eventKey = (seconds: number, id = '') =>
  `EVENT#${new Date(seconds * 1000).toISOString()}${id && '#'}${id}`;

export async function run(client: DynamoDBDocumentClient, say: Say, time: Time): Promise<void> {
  await withTable(client, {}, async (table) => {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table.TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    const record = async (id: string, daysAgo = 0) => {
      const at = (await time.now()) - daysAgo * day;
      const Item = { PK: 'USER#u1', SK: eventKey(at, id), expires: at + windowDays * day };
      return client.send(new PutCommand({ ...table, Item }));
    };
    const since = async (days: number, rest: { ScanIndexForward?: false; Select?: 'COUNT' } = {}) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :user AND SK > :from',
          ExpressionAttributeValues: {
            ':user': 'USER#u1',
            ':from': eventKey((await time.now()) - days * day),
          },
          ...rest,
        }),
      );

    say('An event is recorded', await record('e1', 80));
    await record('e2', 40);
    await record('e3', 5);
    await record('e4');
    say('The window', await since(windowDays));
    say('The last week, newest first', await since(7, { ScanIndexForward: false }));
    say('How many in the last sixty days', await since(60, { Select: 'COUNT' }));

    if (!(await time.pass(60 * day))) return;
    await record('e5');
    say('The window, sixty days later', await since(windowDays));
    say(
      'What the table still has of the user: the same, for nobody pays to store the rest',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :user',
          ExpressionAttributeValues: { ':user': 'USER#u1' },
          Select: 'COUNT',
        }),
      ),
    );
    await time.pass(windowDays * day);
    say('The window, after a quarter of silence', await since(windowDays));
  });
}

await playIfStarted(import.meta.url, run);
