/**
 * A graph: nodes and typed edges as items; one step is one Query, in either direction.
 *
 * Access patterns                        keys
 *   a node                                 PK = NODE#<id>, SK = NODE#<id>
 *   where its edges of a kind lead         PK = NODE#<id>, SK = EDGE#<kind>#<other>
 *   which edges of a kind lead to it       GSI1PK = NODE#<id>, GSI1SK = EDGE#<kind>#<from>
 *   two steps, such as friends of friends  one Query, then one for every node found
 *
 * Use it for steps of known number from a known node: who reports to whom, what depends on what. Every edge carries
 * what a list of neighbours shows. Not for questions about paths of any length, or about the graph as a whole: the
 * number of requests is the number of nodes visited, as the last lines show.
 */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

const node = (id: string, label: string) => ({ PK: `NODE#${id}`, SK: `NODE#${id}`, label });
const edge = (from: string, kind: string, to: string) => ({
  PK: `NODE#${from}`,
  SK: `EDGE#${kind}#${to}`,
  GSI1PK: `NODE#${to}`,
  GSI1SK: `EDGE#${kind}#${from}`,
  from,
  to,
});

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(
    client,
    { indexes: { GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: ['from'] } } },
    async (table) => {
      await putAll(client, table, [
        node('web', 'Web shop'),
        node('orders', 'Orders'),
        node('stock', 'Stock'),
        node('mail', 'Mail'),
        edge('web', 'calls', 'orders'),
        edge('web', 'calls', 'stock'),
        edge('orders', 'calls', 'stock'),
        edge('orders', 'calls', 'mail'),
        edge('orders', 'owned-by', 'team-a'),
        edge('stock', 'owned-by', 'team-b'),
      ]);

      const out = (id: string, kind: string) =>
        client.send(
          new QueryCommand({
            ...table,
            ProjectionExpression: 'SK, #to',
            KeyConditionExpression: 'PK = :node AND begins_with(SK, :kind)',
            ExpressionAttributeNames: { '#to': 'to' },
            ExpressionAttributeValues: { ':node': `NODE#${id}`, ':kind': `EDGE#${kind}#` },
          }),
        );
      const into = (id: string, kind: string) =>
        client.send(
          new QueryCommand({
            ...table,
            IndexName: 'GSI1',
            ProjectionExpression: 'GSI1SK, #from',
            KeyConditionExpression: 'GSI1PK = :node AND begins_with(GSI1SK, :kind)',
            ExpressionAttributeNames: { '#from': 'from' },
            ExpressionAttributeValues: { ':node': `NODE#${id}`, ':kind': `EDGE#${kind}#` },
          }),
        );

      say(
        'A node with all its edges',
        await client.send(
          new QueryCommand({
            ...table,
            ProjectionExpression: 'SK, label',
            KeyConditionExpression: 'PK = :node',
            ExpressionAttributeValues: { ':node': 'NODE#orders' },
          }),
        ),
      );
      say('What orders calls', await out('orders', 'calls'));
      say('Who calls stock', await into('stock', 'calls'));

      // Everything that web needs, however far: level by level, every node once.
      const seen = new Set(['web']);
      let requests = 0;
      for (let level = ['web']; level.length > 0; ) {
        const answers = await Promise.all(level.map((id) => out(id, 'calls')));
        requests += answers.length;
        const found = answers.flatMap(({ Items = [] }) => Items.map(({ to }) => to as string));
        level = [...new Set(found)].filter((id) => !seen.has(id));
        for (const id of level) seen.add(id);
      }
      say(
        `Trap: all that web needs is ${[...seen].slice(1).sort().join(', ')}, and took ${requests} Queries: one for every node`,
      );
    },
  );
}

await playIfStarted(import.meta.url, run);
