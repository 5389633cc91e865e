/**
 * Time buckets: a stretch of time in the partition key, so that no item collection grows for ever.
 *
 * Access patterns                        keys
 *   a device's readings of a day           PK = DEVICE#<id>#<day>, SK = <time>
 *   its readings of some hours             the same, SK between two times
 *   its last readings, over midnight       the bucket of today, then the one before: newest first, until enough
 *   a service's log of a day, in order     PK = LOGS#<day>#<shard>, SK = <time>#<id>: the shards merged
 *   forget old ones                        an attribute with the time of expiry, and TTL on the table
 *
 * Use it for series that are written at their end and read by range. A bucket should be as long as what is usually
 * read at once: then most reads are one Query. Old buckets are never written again and can be dropped or moved whole.
 * Not with the date alone as partition key if all of a system writes into it: today's key takes every write, and all
 * other keys none. Put something of high cardinality before the date, or a shard behind it.
 */
import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const day = (time: string) => time.slice(0, 10);
const deviceKey = (device: string, time: string) => `DEVICE#${device}#${day(time)}`;
const shards = 4;
const logKey = (time: string, id: string) =>
  `LOGS#${day(time)}#${BigInt(`0x${createHash('md5').update(id).digest('hex')}`) % BigInt(shards)}`;

/** In seconds since 1970, as TTL wants it. The service removes the item some time later, so who cares checks it too. */
const expires = (time: string, days: number) => Date.parse(time) / 1_000 + days * 86_400;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    const times = [
      '2024-03-14T22:00:00Z',
      '2024-03-14T23:30:00Z',
      '2024-03-15T00:10:00Z',
      '2024-03-15T09:00:00Z',
    ];
    await putAll(
      client,
      table,
      times.map((time, i) => ({
        PK: deviceKey('d1', time),
        SK: time,
        celsius: 20 + i,
        expires: expires(time, 90),
      })),
    );

    const query = (
      PK: string,
      from: string,
      to: string,
      rest: { Limit?: number; ScanIndexForward?: boolean } = {},
    ) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :bucket AND SK BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':bucket': PK, ':from': from, ':to': to },
          ...rest,
        }),
      );

    say('The readings of a day', await query('DEVICE#d1#2024-03-14', '2024-03-14', '2024-03-15'));
    say('The readings of its last hour', await query('DEVICE#d1#2024-03-14', '2024-03-14T23', '2024-03-15'));

    say(
      'Those of the day that had not expired ninety days later, an hour before midnight',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :bucket',
          FilterExpression: 'expires > :now',
          ExpressionAttributeValues: {
            ':bucket': 'DEVICE#d1#2024-03-14',
            ':now': expires('2024-03-14T23:00:00Z', 90),
          },
        }),
      ),
    );

    // Three readings, the newest first: one Query for every bucket until there are enough, and no more than a week.
    const answers: QueryCommandOutput[] = [];
    let left = 3;
    for (let at = Date.parse('2024-03-15'); left > 0 && answers.length < 7; at -= 86_400_000) {
      const bucket = `DEVICE#d1#${new Date(at).toISOString().slice(0, 10)}`;
      const answer = await query(bucket, '0', '9', { Limit: left, ScanIndexForward: false });
      answers.push(answer);
      left -= answer.Items?.length ?? 0;
    }
    say(`The last three readings, from ${answers.length} buckets`, together(answers));

    // A line every five minutes.
    const lines = Array.from({ length: 288 }, (_, i) => ({
      time: new Date(Date.parse('2024-03-15') + i * 300_000).toISOString(),
      id: `line-${i}`,
    }));
    await putAll(
      client,
      table,
      lines.map(({ time, id }) => ({ PK: logKey(time, id), SK: `${time}#${id}` })),
    );
    const morning = await Promise.all(
      Array.from({ length: shards }, (_, shard) =>
        query(`LOGS#2024-03-15#${shard}`, '2024-03-15T06:00', '2024-03-15T06:30'),
      ),
    );
    const merged = together(morning);
    merged.Items.sort((a, b) => (a.SK < b.SK ? -1 : 1));
    say(`The log of half an hour, ${shards} Queries merged`, merged);

    // The trap, in numbers: to which key the same day of log lines goes, with the date alone and with a shard.
    const share = (keyOf: (line: { time: string; id: string }) => string) => {
      const written = new Map<string, number>();
      for (const line of lines) written.set(keyOf(line), (written.get(keyOf(line)) ?? 0) + 1);
      return Math.max(...written.values());
    };
    say(
      `Trap: with LOGS#<day>, one key takes ${share(({ time }) => `LOGS#${day(time)}`)} of the day's ${lines.length} writes`,
    );
    say(
      `With LOGS#<day>#<shard>, the busiest of ${shards} takes ${share(({ time, id }) => logKey(time, id))}`,
    );
  });
}

/** Several answers as one, with what they cost in all. */
function together(answers: readonly QueryCommandOutput[]) {
  const Items = answers.flatMap((answer) => answer.Items ?? []);
  const units = answers.reduce((sum, answer) => sum + (answer.ConsumedCapacity?.CapacityUnits ?? 0), 0);
  return {
    Items,
    Count: Items.length,
    ScannedCount: Items.length,
    ConsumedCapacity: { CapacityUnits: units },
  };
}

await playIfStarted(import.meta.url, run);
