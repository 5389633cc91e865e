import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { DynamoError } from '../../src/model/errors.ts';
import { batchWriteItem } from '../../src/operations/batch-write-item.ts';
import { getItem } from '../../src/operations/get-item.ts';
import { type Caller, type Operation, RawJson } from '../../src/operations/operation.ts';
import { putItem } from '../../src/operations/put-item.ts';
import { scan } from '../../src/operations/scan.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { rounds, type SeededRandom, seededRandom, testSeed } from '../seeded-random.ts';

/**
 * Requests for one thing and nothing else take a short way, all others the long one. Whichever a request takes, what it
 * is answered and what is stored must be the same: two databases get the same requests, and one of them is made to go
 * the long way always.
 */

const databases: Stator[] = [];

afterEach(async () => {
  for (const db of databases.splice(0)) {
    expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
    await db.close();
  }
});

const caller: Caller = {
  accountId: '000000000000',
  region: 'us-east-1',
  accessKeyId: 'test',
  requestId: 'test',
  header: () => undefined,
};

async function opened(isLong: boolean): Promise<Stator> {
  const clock = new VirtualClock(1_790_000_000_000);
  const db = await Stator.open({ clock });
  databases.push(db);
  await db.createTable({
    TableName: 'items',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'g', 'h'].map((AttributeName) => ({
      AttributeName,
      AttributeType: AttributeName === 'sk' ? 'N' : 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'whole',
        KeySchema: [
          { AttributeName: 'g', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
      {
        IndexName: 'part',
        KeySchema: [{ AttributeName: 'h', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'local',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'h', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  await db.updateTimeToLive({
    TableName: 'items',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' },
  });
  await db.engine.settled();
  // A fault has to look at each request, which the short way does not let it.
  if (isLong) db.faults.add({ error: 'InternalServerError', table: 'another', times: 1_000_000 });
  return db;
}

async function answered(db: Stator, operation: Operation, body: unknown): Promise<unknown> {
  const answer = await operation.handle(db.engine, body, caller);
  if (answer instanceof DynamoError) return { error: answer.name, text: answer.message };
  if (!(answer instanceof RawJson)) return JSON.parse(JSON.stringify(answer));
  return JSON.parse(Buffer.from(bodyBytes(answer.chunks)).toString());
}

/** Now and then something else than the usual. */
function some(random: SeededRandom, usual: readonly unknown[], odd: readonly unknown[]): unknown {
  return random.pick(random.chance(0.03) ? odd : usual);
}

const oddValues: readonly unknown[] = [
  ...[
    null,
    7,
    {},
    { S: 7 },
    { S: '' },
    { N: '1' },
    { N: 'x' },
    { S: 'a', N: '1' },
    { X: 'a' },
    { NULL: false },
  ],
  ...[{ SS: [] }, { SS: ['a', 'a'] }, { M: null }, { L: [null] }, { S: 'x'.repeat(3_000) }, { S: '\ud800' }],
  ...[{ S: 'x'.repeat(400 * 1024) }, { B: 'AA' }, { BOOL: 'yes' }],
];

function anyKey(random: SeededRandom): Record<string, unknown> {
  return {
    pk: some(random, [{ S: 'a' }, { S: 'b' }, { S: 'é' }], oddValues),
    sk: some(random, [{ N: '1' }, { N: '1.0' }, { N: '-2.5' }, { N: '3e1' }], oddValues),
    ...(random.chance(0.02) && { more: { S: 'x' } }),
  };
}

function anyItem(random: SeededRandom): Record<string, unknown> {
  const item = anyKey(random);
  if (random.chance(0.02)) delete item[random.pick(['pk', 'sk'])];
  const perhaps = (name: string, usual: readonly unknown[]) => {
    if (random.chance(0.7)) item[name] = some(random, usual, oddValues);
  };
  perhaps('g', [{ S: 'x' }, { S: 'y' }]);
  perhaps('h', [{ S: 'x' }, { S: 'y' }]);
  perhaps('note', [{ S: 'short' }, { S: 'a longer one' }, { N: '7' }]);
  perhaps('until', [{ N: '4000000000' }, { N: '4000000001' }, { S: 'never' }]);
  perhaps('rest', [
    { S: '"quoted"' },
    { M: { b: { L: [{ N: '1.10' }] }, a: { BOOL: true } } },
    { SS: ['b', 'a'] },
  ]);
  return item;
}

function anyRequest(random: SeededRandom): [Operation, unknown] {
  const TableName = some(
    random,
    ['items'],
    ['none', 'x', '', 7, null, 'arn:aws:dynamodb:us-east-1:000000000000:table/items'],
  );
  const others = random.chance(0.2)
    ? {
        [random.pick([
          'ReturnValues',
          'ReturnConsumedCapacity',
          'ReturnItemCollectionMetrics',
          'ConsistentRead',
          'Odd',
        ])]: random.pick<unknown>(['NONE', 'ALL_OLD', 'ALL_NEW', 'INDEXES', 'SIZE', true, null]),
      }
    : {};
  switch (random.below(4)) {
    case 0:
      return [getItem, { TableName, Key: some(random, [anyKey(random)], oddValues), ...others }];
    case 1: {
      const requests = Array.from({ length: 1 + random.below(3) }, () =>
        random.chance(0.7)
          ? { PutRequest: { Item: anyItem(random) } }
          : { DeleteRequest: { Key: anyKey(random) } },
      );
      return [batchWriteItem, { RequestItems: { items: requests }, ...others }];
    }
    default:
      return [putItem, { TableName, Item: some(random, [anyItem(random)], oddValues), ...others }];
  }
}

it('answers and stores the same by the short way and by the long one', async () => {
  const seed = testSeed('bare requests');
  const random = seededRandom(seed);
  const [short, long] = [await opened(false), await opened(true)];
  const refusals = new Set<unknown>();
  for (let i = 0; i < rounds(3_000); i++) {
    const [operation, body] = anyRequest(random);
    const expected = await answered(long, operation, body);
    expect(
      await answered(short, operation, body),
      `${seed}, ${i}: ${JSON.stringify(body).slice(0, 400)}`,
    ).toEqual(expected);
    if ('text' in (expected as object)) refusals.add((expected as { text: string }).text);
    for (const { clock } of [short, long]) (clock as VirtualClock).advanceMs(1);
  }
  expect(refusals.size).toBeGreaterThan(25);
  for (const IndexName of [undefined, 'whole', 'part', 'local']) {
    const all = { TableName: 'items', ...(IndexName && { IndexName }), ReturnConsumedCapacity: 'TOTAL' };
    const expected = (await answered(long, scan, all)) as { Count: number };
    expect(await answered(short, scan, all)).toEqual(expected);
    expect(expected.Count).toBeGreaterThan(2);
  }
});

it('keeps an item as it was sent, whatever the caller does with his object meanwhile', async () => {
  const db = await opened(false);
  const item = { pk: { S: 'a' }, sk: { N: '1' }, g: { S: 'x' }, note: { S: 'first' } };
  await db.putItem({ TableName: 'items', Item: item });
  const puts: Promise<unknown>[] = [];
  for (const order of ['1', '2', '3']) {
    item.sk.N = order;
    item.note.S = `number ${order}`;
    puts.push(db.putItem({ TableName: 'items', Item: item }));
  }
  item.note.S = 'later';
  await Promise.all(puts);
  const { Items } = await db.query({
    TableName: 'items',
    IndexName: 'whole',
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': { S: 'x' } },
  });
  expect(Items?.map(({ sk, note }) => [sk, note])).toEqual(
    ['1', '2', '3'].map((order) => [{ N: order }, { S: `number ${order}` }]),
  );
});

it('answers what was asked, whatever the caller does with his object meanwhile', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stator-test-'));
  const db = await Stator.open({ store: { directory } });
  try {
    await db.createTable({
      TableName: 'items',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    const input: Parameters<Stator['putItem']>[0] = { TableName: 'items', Item: { pk: { S: 'a' } } };
    await db.putItem(input);
    const put = db.putItem(input);
    Object.assign(input, { TableName: 'others', ReturnValues: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' });
    expect(await put).toEqual({});
  } finally {
    await db.close();
    await rm(directory, { recursive: true });
  }
});
