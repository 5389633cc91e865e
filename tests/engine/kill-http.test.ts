import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import { post } from '../wire/stub-server.ts';
import { type ChildServer, startServer } from './child-server.ts';

const TableName = 'load';
const clients = 16;

describe('a server that is killed under load', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  it.each(testSeeds('kill over http'))('has lost no write that it acknowledged, %i', async (seed) => {
    const random = seededRandom(seed);
    const directory = await newDirectory();
    directories.push(directory);
    await createTable(directory);
    /** The newest acknowledged version of each client's own item, and every other item acknowledged. */
    const versions = new Array<number>(clients).fill(0);
    const written = new Set<string>();
    for (let round = 0; round < rounds(5); round++) {
      const server = await startServer({ directory });
      await loadUntilKilled(server, versions, written, 1 + random.below(800));
      await checkContent(directory, versions, written);
    }
    expect(Math.min(...versions)).toBeGreaterThan(0);
  });
});

/** Every client writes over a connection of its own, in turn a new item and a new version of its own item. */
async function loadUntilKilled(
  server: ChildServer,
  versions: number[],
  written: Set<string>,
  killAfter: number,
): Promise<void> {
  let acknowledged = 0;
  let killing: Promise<void> | undefined;
  const connections = await Promise.all(versions.map(() => RawConnection.open(server.port)));
  const load = connections.map(async (connection, client) => {
    const put = async (pk: string, version: number) => {
      const Item = { pk: { S: pk }, client: { N: String(client) }, version: { N: String(version) } };
      connection.write(post('PutItem', JSON.stringify({ TableName, Item })));
      // A response that was cut off was not acknowledged.
      const status = await connection.response().then(
        (response) => response?.status,
        () => undefined,
      );
      if (status !== undefined) expect(status).toBe(200);
      return status === 200;
    };
    for (let version = versions[client]! + 1; ; version++) {
      const pk = `${client}-${version}`;
      if (!(await put(pk, version))) break;
      written.add(pk);
      if (!(await put(String(client), version))) break;
      versions[client] = version;
      acknowledged++;
      if (acknowledged >= killAfter) killing ??= server.kill();
    }
    connection.socket.destroy();
  });
  await Promise.all(load);
  await killing;
}

async function checkContent(
  directory: string,
  versions: readonly number[],
  written: ReadonlySet<string>,
): Promise<void> {
  const db = await Stator.open({ store: { directory } });
  const read = async (pk: string) => {
    const { Item: item } = await db.getItem({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true });
    return Number(item?.version?.N ?? 0);
  };
  const lost: string[] = [];
  for (const pk of written) if ((await read(pk)) !== Number(pk.split('-')[1])) lost.push(pk);
  expect(lost).toEqual([]);
  for (const [client, version] of versions.entries()) {
    // The write that was under way may have been committed or not.
    expect([version, version + 1]).toContain(await read(String(client)));
  }
  expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await db.close();
}

async function createTable(directory: string): Promise<void> {
  const db = await Stator.open({ store: { directory } });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'client', AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-client',
        KeySchema: [{ AttributeName: 'client', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  await db.close();
}
