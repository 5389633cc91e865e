/**
 * A home feed, fanned out on write: a post is copied into the feed of every follower, so a feed is one Query.
 *
 * Access patterns                        keys
 *   who follows an author                  PK = AUTHOR#<id>, SK = FOLLOWER#<user>
 *   a user's feed, newest first            PK = FEED#<user>, SK = <time>#<shard>#POST#<id>, Limit
 *   its next page                          the same from the LastEvaluatedKey of the page before
 *   posts with a tag, newest first         GSI1PK = TAG#<tag>, GSI1SK = <time>#POST#<id>
 *   posts of an author everybody follows   PK = AUTHOR#<id>, SK = POST#<time>#<id>: merged in when the feed is read
 *
 * The shard in the sort key keeps posts of the same moment from different workers apart; it changes nothing about
 * the partition. The copy holds what the list shows, no more: the whole post is one GetItem away.
 * Use it when feeds are read far more often than posts are written. Not for authors with a million followers: a
 * million writes for one post. Their posts stay with them and are read beside the feed, as here.
 */
import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

interface Post {
  readonly author: string;
  readonly id: string;
  readonly time: string;
  readonly text: string;
  readonly tag?: string;
}

const shardOf = (id: string) => Number(BigInt(`0x${createHash('md5').update(id).digest('hex')}`) % 4n);
const feedKey = (user: string, { id, time }: Post) => ({
  PK: `FEED#${user}`,
  SK: `${time}#${shardOf(id)}#POST#${id}`,
});

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(
    client,
    { indexes: { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: [] } } },
    async (table) => {
      await putAll(client, table, [
        ...['u1', 'u2', 'u3'].map((follower) => ({ PK: 'AUTHOR#ada', SK: `FOLLOWER#${follower}` })),
        { PK: 'AUTHOR#grace', SK: 'FOLLOWER#u1' },
      ]);

      const first = {
        author: 'ada',
        id: 'p1',
        time: '2025-11-04T10:00:00Z',
        text: 'On engines',
        tag: 'maths',
      };
      const costs = await publish(client, table, first);
      say(`A post for ${costs.copies} followers: 1 Query, 1 PutItem, 1 BatchWriteItem`);
      await publish(client, table, {
        author: 'grace',
        id: 'p2',
        time: '2025-11-04T10:00:00Z',
        text: 'On compilers',
        tag: 'code',
      });
      await publish(client, table, {
        author: 'ada',
        id: 'p3',
        time: '2025-11-04T12:00:00Z',
        text: 'On notes',
        tag: 'maths',
      });
      // This author has too many followers to copy to.
      const famous = { author: 'star', id: 'p4', time: '2025-11-04T11:00:00Z', text: 'Hello all' };
      await client.send(new PutCommand({ ...table, Item: itemOf(famous) }));

      const feed = (start?: Record<string, unknown>) =>
        client.send(
          new QueryCommand({
            ...table,
            KeyConditionExpression: 'PK = :feed',
            ExpressionAttributeValues: { ':feed': 'FEED#u1' },
            ScanIndexForward: false,
            Limit: 2,
            ExclusiveStartKey: start,
          }),
        );
      const page = await feed();
      say('The feed of u1, newest first', page);
      say('Its next page', await feed(page.LastEvaluatedKey));
      say(
        'Posts with a tag',
        await client.send(
          new QueryCommand({
            ...table,
            IndexName: 'GSI1',
            KeyConditionExpression: 'GSI1PK = :tag',
            ExpressionAttributeValues: { ':tag': 'TAG#maths' },
            ScanIndexForward: false,
            Limit: 25,
          }),
        ),
      );
      say(
        'What the author whom everybody follows has written since the oldest post on the page',
        await client.send(
          new QueryCommand({
            ...table,
            KeyConditionExpression: 'PK = :author AND SK > :since',
            ExpressionAttributeValues: { ':author': 'AUTHOR#star', ':since': 'POST#2025-11-04T10:00:00Z' },
            ScanIndexForward: false,
            Limit: 2,
          }),
        ),
      );
    },
  );
}

const itemOf = (post: Post) => ({
  PK: `AUTHOR#${post.author}`,
  SK: `POST#${post.time}#${post.id}`,
  text: post.text,
  ...(post.tag !== undefined && { GSI1PK: `TAG#${post.tag}`, GSI1SK: `${post.time}#POST#${post.id}` }),
});

/** In production a stream's consumer does the copying. Putting the same copy twice changes nothing, so it may repeat. */
async function publish(
  client: DynamoDBDocumentClient,
  table: Table,
  post: Post,
): Promise<{ copies: number }> {
  await client.send(new PutCommand({ ...table, Item: itemOf(post) }));
  const { Items: followers = [] } = await client.send(
    new QueryCommand({
      ...table,
      KeyConditionExpression: 'PK = :author AND begins_with(SK, :followers)',
      ExpressionAttributeValues: { ':author': `AUTHOR#${post.author}`, ':followers': 'FOLLOWER#' },
    }),
  );
  const copies = followers.map(({ SK }) => ({
    ...feedKey(SK.replace('FOLLOWER#', ''), post),
    author: post.author,
    text: post.text,
  }));
  await putAll(client, table, copies);
  return { copies: copies.length };
}

await playIfStarted(import.meta.url, run);
