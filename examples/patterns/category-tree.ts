/**
 * A tree as paths: lexicographic order on a delimited path is the order of the tree, so a subtree is one range.
 *
 * Access patterns                        keys
 *   a category                             PK = CATALOG, SK = CATEGORY#Electronics#Audio
 *   a category's whole subtree             PK = CATALOG, SK begins with CATEGORY#Electronics#Audio#
 *   its direct children only               GSI1PK = PARENT#<path>, GSI1SK = <name>
 *   the way from the root to it            the prefixes of the path: one BatchGetItem
 *
 * Use it for trees that are read much more than they are rearranged, such as catalogues. One partition key holds the
 * whole tree, which is fine for some thousands of nodes that are mostly read; cache it, or key it by root, beyond.
 * Not for trees whose nodes are renamed or moved often: the path is in the key of every descendant.
 */
import { BatchGetCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

/** A name may contain the delimiter; encoded, it never does, and the path has as many parts as the tree is deep. */
const pathOf = (names: readonly string[]) => names.map((name) => encodeURIComponent(name)).join('#');
const nodeKey = (names: readonly string[]) => `CATEGORY#${pathOf(names)}`;

const node = (...names: string[]) => ({
  PK: 'CATALOG',
  SK: nodeKey(names),
  GSI1PK: `PARENT#${pathOf(names.slice(0, -1))}`,
  GSI1SK: names.at(-1),
});

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(
    client,
    { indexes: { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: [] } } },
    async (table) => {
      await putAll(client, table, [
        node('Electronics'),
        node('Electronics', 'Audio'),
        node('Electronics', 'Audio', 'Headphones'),
        node('Electronics', 'Audio', 'Headphones', 'Wireless'),
        node('Electronics', 'Audio', 'Speakers'),
        node('Electronics', 'Audiobooks'),
        node('Electronics', 'Cables'),
        node('Electronics', 'C# tools'),
      ]);

      const subtree = (prefix: string) =>
        client.send(
          new QueryCommand({
            ...table,
            ProjectionExpression: 'SK',
            KeyConditionExpression: 'PK = :catalog AND begins_with(SK, :prefix)',
            ExpressionAttributeValues: { ':catalog': 'CATALOG', ':prefix': prefix },
          }),
        );

      say('Everything below Electronics, Audio', await subtree(`${nodeKey(['Electronics', 'Audio'])}#`));
      say(
        'Its direct children only',
        await client.send(
          new QueryCommand({
            ...table,
            IndexName: 'GSI1',
            ProjectionExpression: 'GSI1SK',
            KeyConditionExpression: 'GSI1PK = :parent',
            ExpressionAttributeValues: { ':parent': `PARENT#${pathOf(['Electronics', 'Audio'])}` },
          }),
        ),
      );

      const path = ['Electronics', 'Audio', 'Headphones'];
      const { Responses, ConsumedCapacity } = await client.send(
        new BatchGetCommand({
          RequestItems: {
            [table.TableName]: {
              Keys: path.map((_, i) => ({ PK: 'CATALOG', SK: nodeKey(path.slice(0, i + 1)) })),
              ProjectionExpression: 'SK',
            },
          },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );
      // The answers of a batch come in any order.
      const Items = (Responses?.[table.TableName] ?? []).sort((a, b) => (a.SK < b.SK ? -1 : 1));
      say('The way from the root to Headphones', {
        Items,
        Count: Items.length,
        ScannedCount: Items.length,
        ConsumedCapacity: ConsumedCapacity?.[0],
      });

      say(
        'A name with the delimiter in it is one level, because it is encoded',
        await subtree('CATEGORY#Electronics#C'),
      );
      await putAll(client, table, [{ PK: 'CATALOG', SK: 'CATEGORY#Electronics#C# tools' }]);
      say(
        'Trap: written as it is, it is a child of a category C that nobody has made',
        await subtree('CATEGORY#Electronics#C#'),
      );
      say(
        'Trap: a prefix without the last delimiter takes Audiobooks for Audio',
        await subtree('CATEGORY#Electronics#Audio'),
      );
    },
  );
}

await playIfStarted(import.meta.url, run);
