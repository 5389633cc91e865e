import { rm } from 'node:fs/promises';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import type { StoreChoice } from '../../src/open-store.ts';
import { type ChildServer, startServer } from '../engine/child-server.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { applyRecord, contentOf, StreamConsumer } from './read-stream.ts';
import { positionOfItem, splitLog } from './split-log.ts';

const TableName = 'killed';

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

/** How many servers write to a store, and whether a reader may be there at the same time. */
const places: [name: string, servers: number, choose: () => Promise<StoreChoice>][] = [
  [
    'lmdb',
    1,
    async () => {
      const directory = await newDirectory();
      directories.push(directory);
      return { directory };
    },
  ],
  ['postgres', 2, async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
];

describe.each(places)('servers on %s that are killed under load', (name, count, choose) => {
  const seeds = testSeeds(`killed writers on ${name}`);
  it.each(seeds)('leave a log that tells of every item, and cursors that fit, %i', async (seed) => {
    const random = seededRandom(seed);
    const store = await choose();
    const isShared = count > 1;
    let db = await Stator.open({ store });
    const arn = await createTable(db);
    const consumer = new StreamConsumer(arn, 50);
    const content = new Map<string, string>();
    let applied = 0;
    for (let round = 0; round < rounds(3); round++) {
      if (!isShared) await db.close();
      const servers = await Promise.all(Array.from({ length: count }, () => startServer(store)));
      let isWriting = true;
      const written = loadUntilKilled(servers, random, 20 + random.below(150)).finally(() => {
        isWriting = false;
      });
      // Where others may read meanwhile, what they see of the log must never be passed by later.
      while (isShared && isWriting) {
        await consumer.poll(db);
        // While others write by the buckets of before.
        if (random.chance(0.1)) await splitSomewhere(db, random);
      }
      expect(await written).toBeGreaterThan(0);
      if (!isShared) db = await Stator.open({ store });
      await splitSomewhere(db, random);
      await consumer.poll(db);
      for (; applied < consumer.records.length; applied++) applyRecord(content, consumer.records[applied]!);
      expect(content).toEqual(await contentOf(db, TableName, ['pk']));
      expect(await db.check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
    }
    expect(applied).toBeGreaterThan(0);
    await db.close();
  });
});

function splitSomewhere(db: Stator, random: SeededRandom): Promise<boolean> {
  return splitLog(db, TableName, [positionOfItem({ S: `item${random.below(30)}` })]);
}

async function createTable(db: Stator): Promise<string> {
  const { TableDescription } = await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  return TableDescription.LatestStreamArn!;
}

/** Writes from many clients until the servers are killed in the middle of it; answers how many were acknowledged. */
async function loadUntilKilled(
  servers: readonly ChildServer[],
  random: SeededRandom,
  killAfter: number,
): Promise<number> {
  let acknowledged = 0;
  let killing: Promise<unknown> | undefined;
  await Promise.all(
    Array.from({ length: 12 }, async (_, client) => {
      const server = servers[client % servers.length]!;
      while (killing === undefined) {
        try {
          await write(server.client, random);
        } catch (error) {
          // A conflict is an answer; anything else is the end of the server.
          if (!(error instanceof DynamoDBServiceException)) break;
          expect(error.name).toMatch(/TransactionCanceled|InternalServerError/);
          continue;
        }
        acknowledged++;
        if (acknowledged >= killAfter) killing ??= Promise.all(servers.map((each) => each.kill()));
      }
    }),
  );
  await (killing ?? Promise.all(servers.map((each) => each.kill())));
  return acknowledged;
}

async function write(client: DynamoDBClient, random: SeededRandom): Promise<void> {
  const pk = () => ({ S: `item${random.below(30)}` });
  const v = { N: String(random.below(1_000)) };
  const keys = () => [...new Map([pk(), pk(), pk()].map((key) => [key.S, { pk: key }])).values()];
  switch (random.below(4)) {
    case 0:
      await client.send(new DeleteItemCommand({ TableName, Key: { pk: pk() } }));
      break;
    case 1: {
      const requests = keys().map((key) => ({ PutRequest: { Item: { ...key, v } } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
      break;
    }
    case 2: {
      const TransactItems = keys().map((key) => ({ Put: { TableName, Item: { ...key, v } } }));
      await client.send(new TransactWriteItemsCommand({ TransactItems }));
      break;
    }
    default:
      await client.send(new PutItemCommand({ TableName, Item: { pk: pk(), v } }));
  }
}
