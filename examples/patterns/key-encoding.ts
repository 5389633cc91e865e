/**
 * How a value becomes a key: its type, its padding, its delimiter. Keys are compared as UTF-8 bytes (S), as numbers (N)
 * or as unsigned bytes (B), and by nothing else.
 *
 *   value            encoded as                                  sorts
 *   number           type N                                      as a number, negative ones too; but no prefix fits in
 *   number in text   padded to a fixed width                     as a number, as long as the width lasts
 *   signed number    an offset added, then padded                as a number, on both sides of zero
 *   time             ISO 8601, UTC, fixed precision              as time, and people can read it
 *   time             epoch, type N, or padded                    as time; as bare text only while the digits are as many
 *   words            in one case, normalised (NFC)               as bytes: Z before a, é after z
 *
 * Access patterns                        keys
 *   a player's scores, the best first      PK = S, SK = N
 *   depths of a dive, signed               PK = S, SK = DEPTH#<value + offset, padded>
 *
 * Use S with prefixes for keys that several kinds of items share; N where a key holds one number and nothing else.
 * Choose a delimiter that no value contains, or encode the values; `#` is a convention, and low in the order of bytes.
 */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const offset = 1_000_000;
const signed = (value: number) => {
  if (Math.abs(value) >= offset) throw new RangeError(`Too large for this key: ${value}`);
  return String(value + offset).padStart(7, '0');
};

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, { key: { PK: 'S', SK: 'N' } }, async (table) => {
    await putAll(
      client,
      table,
      [100, 9, -3, 10, 2.5].map((SK) => ({ PK: 'SCORES', SK })),
    );
    say(
      'Type N: the best first, from 9 up',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :scores AND SK >= :least',
          ExpressionAttributeValues: { ':scores': 'SCORES', ':least': 9 },
          ScanIndexForward: false,
        }),
      ),
    );
    say(
      'Type N: all',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :scores',
          ExpressionAttributeValues: { ':scores': 'SCORES' },
        }),
      ),
    );
  });

  await withTable(client, { key: { PK: 'S', SK: 'B' } }, async (table) => {
    await putAll(
      client,
      table,
      [256, 1, 255].map((number) => ({ PK: 'BYTES', SK: Buffer.from([number >> 8, number & 255]) })),
    );
    const answer = await client.send(
      new QueryCommand({
        ...table,
        KeyConditionExpression: 'PK = :bytes',
        ExpressionAttributeValues: { ':bytes': 'BYTES' },
      }),
    );
    const Items = (answer.Items ?? []).map(({ SK }) => ({ SK: Buffer.from(SK).toString('hex') }));
    say('Type B: numbers as bytes of a fixed width, the highest first', { ...answer, Items });
  });

  await withTable(client, {}, async (table) => {
    const sorted = (PK: string) =>
      client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'SK',
          KeyConditionExpression: 'PK = :pk',
          ExpressionAttributeValues: { ':pk': PK },
        }),
      );
    const texts = (PK: string, values: readonly string[]) => values.map((SK) => ({ PK, SK }));

    await putAll(client, table, [
      ...texts('numbers', ['100', '9', '-3', '10', '2.5']),
      ...texts(
        'signed',
        [100, 9, -3, 10].map((value) => `DEPTH#${signed(value)}`),
      ),
      // One second before the number of seconds gains a digit, and the second after.
      ...texts('epoch', ['999999999', '1000000000']),
      ...texts('iso', ['2001-09-09T01:46:39.000Z', '2001-09-09T01:46:40.000Z']),
      ...texts('words', ['Zebra', 'apple', 'zebra', 'étude', 'Apple']),
    ]);
    await putAll(client, table, texts('accents', ['étude'.normalize('NFC'), 'étude'.normalize('NFD')]));

    say('Trap: numbers as text: 10 and 100 before 9, and the sign first of all', await sorted('numbers'));
    say('With an offset and padding: -3, 9, 10, 100', await sorted('signed'));
    say('Trap: epoch seconds as text, when they gain a digit, sort the later first', await sorted('epoch'));
    say('The same two moments as ISO 8601', await sorted('iso'));
    say('Trap: words sort as bytes, so capitals come first and accents last', await sorted('words'));
    // They look the same, so only their number is shown.
    say('Trap: the same word, composed and decomposed, is two keys', {
      ...(await sorted('accents')),
      Items: [],
    });

    // The delimiter within a value: two different pairs make one key, and the second write replaces the first.
    const joined = (a: string, b: string) => `${a}#${b}`;
    const encoded = (a: string, b: string) => `${encodeURIComponent(a)}#${encodeURIComponent(b)}`;
    for (const [how, key] of [
      ['joined', joined],
      ['encoded', encoded],
    ] as const) {
      await putAll(client, table, [{ PK: how, SK: key('a#b', 'c'), first: 'a#b' }]);
      await putAll(client, table, [{ PK: how, SK: key('a', 'b#c'), first: 'a' }]);
    }
    say(
      'Trap: ("a#b", "c") and ("a", "b#c") joined are the same key: one of them is lost',
      await sorted('joined'),
    );
    say('Encoded they are two', await sorted('encoded'));
  });
}

await playIfStarted(import.meta.url, run);
