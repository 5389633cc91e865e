/**
 * Time in the sort key: ISO 8601 text sorts as time does, and a Query reads it from either end.
 *
 * Access patterns                         keys
 *   a case's events in order of time        PK = CASE#<id>, SK = EVENT#<time>#<event>
 *   the newest two                          the same, ScanIndexForward false and Limit 2
 *   the events of a day, or since a moment  SK between two times
 *   the newest first, read forwards         PK = FEED#<id>, SK = EVENT#<inverted time>#<event>
 *
 * Use ISO 8601 in UTC with one fixed precision and an id behind it, so that two events of one moment are two items.
 * Read backwards for "newest first". An inverted timestamp is for the rare place where nobody can ask for the order,
 * such as a tool that only reads forwards, or one partition that lists several kinds, each newest first; people can no
 * longer read such a key.
 */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

/** `toISOString` gives UTC with milliseconds, always 24 characters. */
const eventKey = (time: Date, id: string) => `EVENT#${time.toISOString()}#${id}`;

/** The further in the future, the smaller; 13 digits last until the year 2286, and so does the order. */
const inverted = (time: Date) => String(9_999_999_999_999 - time.getTime()).padStart(13, '0');

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    const events = [
      { time: new Date('2026-06-29T23:59:59.999Z'), id: 'e1', what: 'opened' },
      { time: new Date('2026-06-30T10:00:00Z'), id: 'e2', what: 'evidence' },
      { time: new Date('2026-06-30T10:00:00Z'), id: 'e3', what: 'assigned' },
      // Nine in the morning in New York, two in the afternoon in London: the key says 13:00 UTC.
      { time: new Date('2026-06-30T09:00:00-04:00'), id: 'e4', what: 'reviewed' },
      { time: new Date('2026-07-01T08:30:00.250Z'), id: 'e5', what: 'closed' },
    ];
    await putAll(client, table, [
      ...events.map(({ time, id, what }) => ({ PK: 'CASE#c1', SK: eventKey(time, id), what })),
      ...events.map(({ time, id, what }) => ({ PK: 'FEED#c1', SK: `EVENT#${inverted(time)}#${id}`, what })),
    ]);

    say(
      'The timeline, oldest first',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :case AND begins_with(SK, :events)',
          ExpressionAttributeValues: { ':case': 'CASE#c1', ':events': 'EVENT#' },
        }),
      ),
    );
    say(
      'The newest two',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :case AND begins_with(SK, :events)',
          ExpressionAttributeValues: { ':case': 'CASE#c1', ':events': 'EVENT#' },
          ScanIndexForward: false,
          Limit: 2,
        }),
      ),
    );
    say(
      'The events of one day',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :case AND begins_with(SK, :day)',
          ExpressionAttributeValues: { ':case': 'CASE#c1', ':day': 'EVENT#2026-06-30' },
        }),
      ),
    );
    say(
      'The events of one hour: the end is the next hour, which nothing equals because an id follows',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :case AND SK BETWEEN :from AND :to',
          ExpressionAttributeValues: {
            ':case': 'CASE#c1',
            ':from': 'EVENT#2026-06-30T10',
            ':to': 'EVENT#2026-06-30T11',
          },
        }),
      ),
    );
    say(
      'The newest two by inverted time, read forwards',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :feed AND begins_with(SK, :events)',
          ExpressionAttributeValues: { ':feed': 'FEED#c1', ':events': 'EVENT#' },
          Limit: 2,
        }),
      ),
    );

    await putAll(client, table, [
      { PK: 'MIXED#precision', SK: '2026-06-30T10:00:00Z', order: 'first' },
      { PK: 'MIXED#precision', SK: '2026-06-30T10:00:00.500Z', order: 'half a second later' },
      { PK: 'MIXED#zones', SK: '2026-06-30T09:00:00-04:00', order: 'second, 13:00 UTC' },
      { PK: 'MIXED#zones', SK: '2026-06-30T10:00:00Z', order: 'first' },
    ]);
    const all = (PK: string) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': PK },
        }),
      );
    say(
      "Trap: with and without milliseconds, the later comes first, because '.' is less than 'Z'",
      await all('MIXED#precision'),
    );
    say('Trap: local time with an offset sorts by the clock on the wall', await all('MIXED#zones'));
  });
}

await playIfStarted(import.meta.url, run);
