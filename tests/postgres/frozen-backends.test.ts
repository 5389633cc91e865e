import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { rounds, type SeededRandom, seededRandom } from '../seeded-random.ts';
import { FrozenBackends } from './frozen-backends.ts';
import { until } from './held-row.ts';
import { type PostgresServer, startPostgres } from './server.ts';
import { freshSchema } from './test-store.ts';

/** Of index builds under writers, about one in 200 lost an entry before there was a barrier (decision 0019). */

let server: PostgresServer;

beforeAll(async () => {
  // Its processes are stopped: no other test may depend on it.
  server = await startPostgres();
});

afterAll(async () => {
  await server.stop();
});

const TableName = 'busy';
const itemCount = 120;

it('indexes built under the writers of two servers, with frozen backends, lose nothing', async () => {
  const store = { url: server.url, schema: freshSchema() };
  const databases = await Promise.all([Stator.open({ store }), Stator.open({ store })]);
  const [first, second] = databases as [Stator, Stator];
  await first.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  let isOver = false;
  let writes = 0;
  const write = async (db: Stator, seed: number) => {
    const random = seededRandom(seed);
    while (!isOver) {
      await db.batchWriteItem({ RequestItems: { [TableName]: someRequests(random) } });
      writes++;
    }
  };
  const writers = [1, 2, 3, 4].map((seed) => write(seed % 2 === 0 ? first : second, seed));
  const frost = await FrozenBackends.start(server, seededRandom(21));
  const builds = rounds(10, 100);
  try {
    for (let build = 0; build < builds; build++) {
      const builder = build % 2 === 0 ? first : second;
      await builder.updateTable({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'tag', AttributeType: 'S' }],
        GlobalSecondaryIndexUpdates: [{ Create: byTag }],
      });
      await until(async () => (await indexStatus(first)) === 'ACTIVE');
      expect(await second.check(), `build ${build}`).toMatchObject({ findings: [] });
      await builder.updateTable({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: byTag.IndexName } }],
      });
      await until(async () => (await indexStatus(first)) === undefined);
    }
  } finally {
    isOver = true;
    await Promise.all(writers);
    await frost.end();
  }
  console.info(`${builds} builds, ${writes} batches, ${frost.frozen} times a backend was frozen`);
  expect(frost.frozen).toBeGreaterThan(builds);
  for (const db of databases) await db.engine.settled();
  expect(await first.check()).toMatchObject({ findings: [], unjudged: [] });
  await Promise.all(databases.map((db) => db.close()));
});

const byTag = {
  IndexName: 'byTag',
  KeySchema: [{ AttributeName: 'tag', KeyType: 'HASH' as const }],
  Projection: { ProjectionType: 'ALL' as const },
};

function someRequests(random: SeededRandom) {
  const items = new Set(Array.from({ length: 5 }, () => random.below(itemCount)));
  return [...items].map((item) => {
    const pk = { S: `item-${item}` };
    return random.chance(0.3)
      ? { DeleteRequest: { Key: { pk } } }
      : { PutRequest: { Item: { pk, tag: { S: `tag-${random.below(10)}` } } } };
  });
}

async function indexStatus(db: Stator): Promise<string | undefined> {
  const { Table } = await db.describeTable({ TableName });
  return Table?.GlobalSecondaryIndexes?.[0]?.IndexStatus;
}
