/**
 * A composite sort key: a value that is asked for exactly, then one that is ranged over; numbers are padded.
 *
 * Access patterns                        keys
 *   a user's active projects               PK = USER#<id>, SK begins with STATUS#active#
 *   those of March                         PK = USER#<id>, SK between STATUS#active#DATE#2024-03-01 and ...#2024-03-31~
 *   the first three of a ranking           PK = BOARD#<id>, SK = RANK#<six digits>, Limit 3
 *   ranks 40 to 50                         PK = BOARD#<id>, SK between two ranks
 *
 * Use it when the exact part has few values, the range part has an order, and both come in every question.
 * Not when the exact part changes often: a key cannot be updated, so every change of status is a delete and a put, both
 * paid for. Then keep status out of the key and put both into an index (see sparse-index.ts), which moves by itself.
 */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const projectKey = (status: string, date: string) => `STATUS#${status}#DATE#${date}`;
const rankKey = (rank: number) => `RANK#${String(rank).padStart(6, '0')}`;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    await putAll(client, table, [
      { PK: 'USER#u1', SK: projectKey('active', '2024-02-28'), date: '2024-02-28', name: 'Bridge' },
      { PK: 'USER#u1', SK: projectKey('active', '2024-03-15'), date: '2024-03-15', name: 'Tunnel' },
      { PK: 'USER#u1', SK: projectKey('active', '2024-03-31'), date: '2024-03-31', name: 'Tower' },
      { PK: 'USER#u1', SK: projectKey('archived', '2024-03-02'), date: '2024-03-02', name: 'Pier' },
      { PK: 'USER#u1', SK: projectKey('archived', '2024-03-20'), date: '2024-03-20', name: 'Dam' },
      ...[1, 2, 7, 10, 42, 100].map((rank) => ({ PK: 'BOARD#b1', SK: rankKey(rank) })),
      ...[1, 2, 7, 10, 42, 100].map((rank) => ({ PK: 'UNPADDED#b1', SK: `item#${rank}` })),
    ]);

    const between = (PK: string, from: string, to: string) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk AND SK BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':pk': PK, ':from': from, ':to': to },
        }),
      );

    say(
      'Active projects by date',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :user AND begins_with(SK, :active)',
          ExpressionAttributeValues: { ':user': 'USER#u1', ':active': 'STATUS#active#' },
        }),
      ),
    );
    // BETWEEN includes both ends; '~' sorts after every letter and digit, so a time behind the date is included too.
    say(
      'Active projects of March',
      await between('USER#u1', projectKey('active', '2024-03-01'), projectKey('active', '2024-03-31~')),
    );
    say(
      'Trap: the middle of a key cannot be left out: March in any status reads everything, and filters',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :user',
          FilterExpression: '#date BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#date': 'date' },
          ExpressionAttributeValues: { ':user': 'USER#u1', ':from': '2024-03-01', ':to': '2024-03-31' },
        }),
      ),
    );

    say(
      'The first three of the ranking',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :board',
          ExpressionAttributeValues: { ':board': 'BOARD#b1' },
          Limit: 3,
        }),
      ),
    );
    say('Ranks 7 to 50', await between('BOARD#b1', rankKey(7), rankKey(50)));
    say(
      'Trap: unpadded, item#7 comes after item#10 and item#100',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :board',
          ExpressionAttributeValues: { ':board': 'UNPADDED#b1' },
        }),
      ),
    );
    say(
      'Trap: and a range over unpadded numbers means something else: 1 to 50 has no 7',
      await between('UNPADDED#b1', 'item#1', 'item#50'),
    );
  });
}

await playIfStarted(import.meta.url, run);
