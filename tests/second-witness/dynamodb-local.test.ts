import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { type Difference, isKnown, type Outcome } from './known-differences.ts';
import { type LocalEndpoint, openLocal } from './local-endpoint.ts';
import { condition, perhapsBroken, placeholders, projection, randomItem, update } from './random-texts.ts';

/**
 * Random expressions, projections and updates against DynamoDB Local as a second witness. It is not the service, so a
 * difference is a question and not yet a bug: `known-differences.ts` has those that were answered.
 *
 * The test needs Java 17 and STATOR_DYNAMODB_LOCAL, the folder of a DynamoDB Local or the address of a running one;
 * `docs/contributing/random-tests.md` says where to get it. Without it the test is skipped.
 */
const given = process.env.STATOR_DYNAMODB_LOCAL;

describe.skipIf(given === undefined)('DynamoDB Local', () => {
  const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
  const region = 'us-east-1';
  const TableName = `witness-${randomUUID()}`;
  let endpoint: LocalEndpoint;
  let db: Stator;
  let local: DynamoDBClient;
  let stator: DynamoDBClient;

  beforeAll(async () => {
    endpoint = await openLocal(given!);
    local = new DynamoDBClient({ endpoint: endpoint.url, region, credentials, maxAttempts: 1 });
    db = await Stator.open();
    stator = db.client({ region, credentials, maxAttempts: 1 });
    for (const client of [local, stator])
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: ['pk', 'x'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          GlobalSecondaryIndexes: [
            {
              IndexName: 'by-x',
              KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }],
              Projection: { ProjectionType: 'ALL' },
            },
          ],
        }),
      );
  });
  afterAll(async () => {
    local?.destroy();
    stator?.destroy();
    await db?.close();
    await endpoint?.close();
  });

  it.each(testSeeds('dynamodb local'))('agrees about random expressions, %i', async (seed) => {
    const random = seededRandom(seed);
    const differences: Difference[] = [];
    for (let round = 0; round < rounds(400); round++) {
      const pk = `${seed}-${round}`;
      if (random.chance(0.85)) {
        const put = { TableName, Item: randomItem(random, pk) };
        for (const client of [local, stator]) await client.send(new PutItemCommand(put));
      }
      const { request, send } = randomRequest(random, pk);
      const [theirs, ours] = await Promise.all([outcome(send(local)), outcome(send(stator))]);
      const after = await Promise.all([local, stator].map((client) => outcome(client.send(stored(pk)))));
      const isSameAfter = sameOutcome(after[0]!, after[1]!);
      const difference = { request, local: theirs, stator: ours, isSameAfter };
      if (isSameAfter && sameOutcome(theirs, ours)) continue;
      if (!isKnown(difference)) differences.push(difference);
    }
    expect(differences).toEqual([]);
  });

  const stored = (pk: string) =>
    new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true });

  function randomRequest(random: SeededRandom, pk: string) {
    const Key = { pk: { S: pk } };
    const conditions = () => (random.chance(0.4) ? perhapsBroken(random, condition(random)) : undefined);
    switch (random.below(4)) {
      case 0: {
        const ProjectionExpression = perhapsBroken(random, projection(random));
        const input = { TableName, Key, ProjectionExpression, ...placeholders(random, ProjectionExpression) };
        return asked(input, (client) => client.send(new GetItemCommand(input)));
      }
      case 1: {
        const FilterExpression = perhapsBroken(random, condition(random));
        const { ExpressionAttributeValues: some, ...more } = placeholders(random, FilterExpression);
        const input = {
          TableName,
          KeyConditionExpression: 'pk = :key',
          FilterExpression,
          ...more,
          ExpressionAttributeValues: { ...some, ':key': Key.pk },
        };
        return asked(input, (client) => client.send(new QueryCommand(input)));
      }
      default: {
        const UpdateExpression = perhapsBroken(random, update(random));
        const ConditionExpression = conditions();
        const input = {
          TableName,
          Key,
          UpdateExpression,
          ...(ConditionExpression !== undefined && { ConditionExpression }),
          ...placeholders(random, UpdateExpression, ConditionExpression ?? ''),
          ReturnValues: random.pick(['ALL_NEW', 'ALL_OLD', 'UPDATED_OLD', 'UPDATED_NEW', 'NONE'] as const),
        };
        return asked(input, (client) => client.send(new UpdateItemCommand(input)));
      }
    }
  }

  function asked(
    request: Readonly<Record<string, unknown>>,
    send: (client: DynamoDBClient) => Promise<object>,
  ) {
    return { request, send };
  }
});

async function outcome(sent: Promise<object>): Promise<Outcome> {
  try {
    const { $metadata: _, ScannedCount: __, ...answer } = (await sent) as Record<string, unknown>;
    return { answer: canonical(answer) };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: name, message: message.replace(/^1 validation error detected: /, '') };
  }
}

function sameOutcome(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Members in the order of their names, and sets in the order of their elements. */
function canonical(value: unknown, isSet = false): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) {
    const parts = value.map((each) => canonical(each));
    return isSet ? parts.sort() : parts;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member, /^(?:SS|NS|BS)$/.test(name))]),
  );
}
