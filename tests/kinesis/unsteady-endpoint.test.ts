import { rm } from 'node:fs/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { followerReports } from '../../src/engine/destinations/followers.ts';
import { Stator, type StatorOptions } from '../../src/index.ts';
import { runChild } from '../run-child.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { FakeKinesis, type Manner, takesAll } from './fake-kinesis.ts';
import { checkRepetitions, contentAfter, tableContent } from './judge-records.ts';

const TableName = 'orders';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startFake(): Promise<FakeKinesis> {
  const fake = await FakeKinesis.start();
  cleanups.push(() => fake.close());
  return fake;
}

async function newPlace(): Promise<{ directory: string }> {
  const directory = await newDirectory();
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return { directory };
}

async function begin(db: Stator, StreamArn: string): Promise<void> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  await db.enableKinesisStreamingDestination({ TableName, StreamArn });
  await db.settled();
}

/** Takes some records, throttles others, refuses, hangs up after it has taken them. */
function unsteady(random: SeededRandom): () => Manner {
  return () => {
    switch (random.below(6)) {
      case 0:
        return { kind: 'refuses', status: 400, type: 'ProvisionedThroughputExceededException' };
      case 1:
        return { kind: 'refuses', status: 500, type: 'InternalFailure' };
      case 2:
        return { kind: 'hangs-up' };
      case 3:
        return takesAll;
      default:
        return { kind: 'takes', isTaken: () => random.chance(0.6) };
    }
  };
}

/** A few writes, the last of which certainly changes something. */
async function burst(db: Stator, random: SeededRandom): Promise<void> {
  for (let i = random.below(12); i >= 0; i--) {
    const pk = { S: `item${random.below(6)}` };
    if (i > 0 && random.chance(0.25)) await db.deleteItem({ TableName, Key: { pk } });
    else await db.putItem({ TableName, Item: { pk, v: { N: String(random.next()) } } });
  }
}

describe('an endpoint that takes, refuses and forgets to answer', () => {
  const seeds = testSeeds('an unsteady Kinesis endpoint');
  it.each(seeds)('gets every change at least once, and those of an item in their order, %i', async (seed) => {
    const random = seededRandom(seed);
    for (let round = 0; round < rounds(3); round++) {
      const fake = await startFake();
      const db = await Stator.open({ kinesis: { endpoint: fake.url } });
      cleanups.push(() => db.close());
      await begin(db, fake.arn());
      fake.manner = unsteady(random);
      for (let i = 0; i < 12; i++) {
        const asked = fake.requests.length;
        await burst(db, random);
        await fake.until(() => fake.requests.length > asked);
      }
      fake.manner = () => takesAll;
      await caughtUp(db, fake);
      expect(contentAfter(fake.taken)).toEqual(await tableContent(db, TableName));
      checkRepetitions(fake.taken);
      for (const keys of fake.requests) expect(new Set(keys).size).toBe(keys.length);
      expect(await db.check()).toMatchObject({ clean: true });
    }
  });

  const restartSeeds = testSeeds('an unsteady Kinesis endpoint and restarts');
  it.each(restartSeeds)(
    'is gone on with where it stood when the database is opened again, %i',
    async (seed) => {
      const random = seededRandom(seed);
      const fake = await startFake();
      const options: StatorOptions = {
        store: { ...(await newPlace()), durability: 'relaxed' },
        kinesis: { endpoint: fake.url },
      };
      let db = await Stator.open(options);
      await begin(db, fake.arn());
      for (let round = 0; round < rounds(6); round++) {
        fake.manner = unsteady(random);
        const isDown = random.chance(0.3);
        if (isDown) await fake.close();
        for (let i = random.below(4); i >= 0; i--) {
          const asked = fake.requests.length;
          await burst(db, random);
          if (!isDown) await fake.until(() => fake.requests.length > asked);
        }
        await db.close();
        if (isDown) await fake.open();
        db = await Stator.open(options);
      }
      cleanups.push(() => db.close());
      fake.manner = () => takesAll;
      await caughtUp(db, fake);
      expect(contentAfter(fake.taken)).toEqual(await tableContent(db, TableName));
      expect(await db.check()).toMatchObject({ clean: true });
    },
  );
});

const seeds = testSeeds('killed deliverers');
it.each(seeds)('the next process delivers what a killed one had not, %i', async (seed) => {
  const random = seededRandom(seed);
  const fake = await startFake();
  const { directory } = await newPlace();
  const first = await Stator.open({ store: { directory }, kinesis: { endpoint: fake.url } });
  await begin(first, fake.arn());
  await first.close();
  for (let round = 0; round < rounds(2); round++) {
    fake.manner = unsteady(random);
    const child = runChild(new URL('./children/server.ts', import.meta.url), [directory, fake.url]);
    const line = await child.until((text) => text.startsWith('listening '));
    const client = new DynamoDBClient({
      endpoint: line.slice('listening '.length),
      region: 'us-east-1',
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
      maxAttempts: 1,
    });
    const enough = 20 + random.below(80);
    for (let written = 0; written < enough; written++) {
      const pk = { S: `item${random.below(6)}` };
      await client.send(new PutItemCommand({ TableName, Item: { pk, v: { N: String(written) } } }));
    }
    child.process.kill('SIGKILL');
    await child.ended;
    client.destroy();
  }
  fake.manner = () => takesAll;
  const db = await Stator.open({ store: { directory }, kinesis: { endpoint: fake.url } });
  cleanups.push(() => db.close());
  await caughtUp(db, fake);
  expect(contentAfter(fake.taken)).toEqual(await tableContent(db, TableName));
  expect(await db.check()).toMatchObject({ clean: true });
});

/** An endpoint in good order has everything after a while; a marker tells when. */
async function caughtUp(db: Stator, fake: FakeKinesis): Promise<void> {
  const marker = { S: `marker ${fake.taken.length}` };
  const before = fake.taken.length;
  await db.putItem({ TableName, Item: { pk: marker } });
  await fake.until(() =>
    fake.taken
      .slice(before)
      .some(({ data }) => JSON.stringify(data.dynamodb.Keys.pk) === JSON.stringify(marker)),
  );
  // What else was read with the marker is there as soon as nothing is in the way.
  for (let isBehind = true; isBehind; ) {
    await db.settled();
    const { recordsBehind, kinesis } = (await followerReports(db.engine))[0]!;
    isBehind = recordsBehind > 0 || kinesis!.trouble !== undefined;
    if (isBehind) await new Promise(setImmediate);
  }
}
