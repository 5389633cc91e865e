import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processCaller } from '../../src/engine/process-caller.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { DynamoError } from '../../src/model/errors.ts';
import { KnownHashes } from '../../src/model/keys/known-hashes.ts';
import type { ItemEncoder } from '../../src/model/stored/item-encoder.ts';
import { SentItem } from '../../src/model/stored/sent-item.ts';
import { decodeItem } from '../../src/model/stored/stored-item.ts';
import { batchWriteItem } from '../../src/operations/batches/batch-write-item.ts';
import { getItem } from '../../src/operations/items/get-item.ts';
import { putItem } from '../../src/operations/items/put-item.ts';
import { updateItem } from '../../src/operations/items/update-item.ts';
import { type Operation, RawJson } from '../../src/operations/operation.ts';
import { scan } from '../../src/operations/search/scan.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';

/**
 * The fast steps of a write: an item is encoded while it is validated, and an update encodes only the attributes that it
 * changes. The witnesses fail if a step is no longer taken. The differential tests fail if a step is wrong: two databases
 * get the same requests, one of them without the steps, and must return and store the same.
 */

const databases: Stator[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const db of databases.splice(0)) {
    expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
    await db.close();
  }
});

const caller = processCaller({
  ...{ accountId: '000000000000', region: 'us-east-1', accessKeyId: 'test' },
  ...{ requestId: 'test', authorize: undefined },
});

async function opened({ fast }: { fast: boolean }): Promise<Stator> {
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
  if (!fast) withoutFastSteps(db.engine.encoder);
  return db;
}

function withoutFastSteps(encoder: ItemEncoder): void {
  encoder.sent = () => undefined;
  encoder.encodeChanged = (stored, after, names, header) => {
    const whole = new Map(decodeItem(stored));
    for (const name of names) {
      const value = after.get(name);
      if (value === undefined) whole.delete(name);
      else whole.set(name, value);
    }
    return encoder.encode(whole, header);
  };
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
  ...[{ S: 'x'.repeat(400 * 1024) }, { B: 'AA' }, { B: 'AAA=' }, { BOOL: 'yes' }, { BS: ['AAA=', 7] }],
  // Several members, of which all but one may be wrong or nothing.
  ...[
    { S: 7, N: '1' },
    { S: null, N: '1' },
    { N: '1', S: undefined },
    { S: 'a', X: 7 },
    { S: 'a', B: 'A' },
  ],
  ...[
    { S: 'a', L: 7 },
    { S: 'a', M: [] },
    { S: 'a', SS: ['a', 7] },
    { NULL: null, S: 'a' },
    { BOOL: 7, S: 'a' },
  ],
  ...[{ L: [nested(29, { S: 'a' })], NULL: null }, nested(31, { S: 'a' }), nested(32, { S: 'a' })],
];

/** So many lists within each other. */
function nested(levels: number, inner: unknown): unknown {
  return levels === 0 ? inner : { L: [nested(levels - 1, inner)] };
}

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
  perhaps('note', [{ S: 'short' }, { S: 'a longer one' }, { N: '7' }, { BOOL: true }, { L: [{ S: 'x' }] }]);
  perhaps('until', [{ N: '4000000000' }, { N: '4000000001' }, { S: 'never' }]);
  perhaps('rest', [
    { S: '"quoted"' },
    { M: { b: { L: [{ N: '1.10' }] }, a: { BOOL: true } } },
    { SS: ['b', 'a'] },
    { B: 'AAA=' },
    nested(20, { L: [nested(5, some(random, [{ S: 'deep' }], oddValues))] }),
  ]);
  return item;
}

/** Sets, removes and adds attributes at the top and within, some of which are keys of indexes. */
function anyUpdate(random: SeededRandom): Record<string, unknown> {
  const names = ['g', 'h', 'note', 'until', 'rest', 'a"quoted', 'ä', 'zz'];
  const targets = Array.from({ length: 1 + random.below(3) }, () => random.pick(names));
  const used = [...new Set(targets)];
  const value = some(
    random,
    [{ S: 'x' }, { S: 'y' }, { M: { a: { S: 'in' } } }, { SS: ['b', 'a'] }],
    oddValues,
  );
  const clause = random.pick([
    () => `SET ${used.map((_, i) => `#n${i} = :v`).join(', ')}`,
    () => `REMOVE ${used.map((_, i) => `#n${i}`).join(', ')}`,
    () => `SET #n0.a = :v${used.length > 1 ? ' REMOVE #n1' : ''}`,
    () => `ADD #n0 :v`,
  ])();
  return {
    UpdateExpression: clause,
    ExpressionAttributeNames: Object.fromEntries(
      used.map((name, i) => [`#n${i}`, name] as const).filter(([key]) => clause.includes(key)),
    ),
    ...(clause.includes(':v') && {
      ExpressionAttributeValues: {
        ':v': clause.startsWith('ADD') ? random.pick([value, { N: '1' }]) : value,
      },
    }),
  };
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
  switch (random.below(5)) {
    case 4:
      return [updateItem, { TableName, Key: anyKey(random), ...anyUpdate(random), ...others }];
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

describe('a witness sees', () => {
  const TableName = 'bare';
  const item = (pk: string, note: string) => ({ pk: { S: pk }, n: { N: '1' }, note: { S: note } });

  /** A database that has seen its table, and spies on its encoder. */
  async function watched() {
    const db = await Stator.open({ clock: new VirtualClock(1_790_000_000_000) });
    databases.push(db);
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    await db.putItem({ TableName, Item: item('a', 'first') });
    const { encoder } = db.engine;
    const spies = {
      sent: vi.spyOn(encoder, 'sent'),
      encode: vi.spyOn(encoder, 'encode'),
      encodeChanged: vi.spyOn(encoder, 'encodeChanged'),
    };
    return { db, ...spies };
  }

  it('a PutItem without a condition encode its item while checking it', async () => {
    const { db, sent, encode } = await watched();
    await db.putItem({ TableName, Item: item('b', 'new'), ReturnValues: 'ALL_OLD' });
    expect(sent.mock.results.map(({ value }) => value)).toEqual([expect.any(SentItem)]);
    expect(encode).not.toHaveBeenCalled();
  });

  it('a BatchWriteItem encode its items while checking them', async () => {
    const { db, sent, encode } = await watched();
    const puts = ['b', 'c'].map((pk) => ({ PutRequest: { Item: item(pk, 'new') } }));
    await db.batchWriteItem({ RequestItems: { [TableName]: puts } });
    expect(sent.mock.results.map(({ value }) => value)).toEqual([expect.any(SentItem), expect.any(SentItem)]);
    expect(encode).not.toHaveBeenCalled();
  });

  it('a put over a similar item decode nothing of it', async () => {
    const { db } = await watched();
    const likeness = vi.spyOn(SentItem.prototype, 'likeness');
    await db.putItem({ TableName, Item: item('a', 'second') });
    expect(likeness.mock.results.map(({ value }) => value)).toEqual(['same places']);
  });

  it('updates encode only what they change, alone and in a transaction', async () => {
    const { db, encode, encodeChanged } = await watched();
    const update = {
      TableName,
      Key: { pk: { S: 'a' } },
      UpdateExpression: 'ADD n :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    };
    await db.updateItem(update);
    await db.transactWriteItems({ TransactItems: [{ Update: update }] });
    expect(encodeChanged.mock.calls.map(([, , names]) => [...names])).toEqual([['n'], ['n']]);
    expect(encode).not.toHaveBeenCalled();
    expect((await db.getItem({ TableName, Key: update.Key })).Item).toEqual({
      ...item('a', 'first'),
      n: { N: '3' },
    });
  });

  it('a read take the hash of a known partition key from the cache', async () => {
    const { db } = await watched();
    const copy = vi.spyOn(KnownHashes.prototype, 'copy');
    await db.getItem({ TableName, Key: { pk: { S: 'a' } } });
    expect(copy.mock.results.map(({ value }) => value)).toEqual([true]);
  });
});

const seeds = testSeeds('fast steps');
it.each(seeds)('returns and stores the same with the fast steps and without them, %i', async (seed) => {
  const random = seededRandom(seed);
  const [fast, plain] = [await opened({ fast: true }), await opened({ fast: false })];
  const refusals = new Set<unknown>();
  for (let i = 0; i < rounds(3_000); i++) {
    const [operation, body] = anyRequest(random);
    const expected = await answered(plain, operation, body);
    expect(
      await answered(fast, operation, body),
      `${seed}, ${i}: ${JSON.stringify(body).slice(0, 400)}`,
    ).toEqual(expected);
    if ('text' in (expected as object)) refusals.add((expected as { text: string }).text);
    for (const { clock } of [fast, plain]) (clock as VirtualClock).advanceMs(1);
  }
  expect(refusals.size).toBeGreaterThan(25);
  for (const IndexName of [undefined, 'whole', 'part', 'local']) {
    const all = { TableName: 'items', ...(IndexName && { IndexName }), ReturnConsumedCapacity: 'TOTAL' };
    const expected = (await answered(plain, scan, all)) as { Count: number };
    expect(await answered(fast, scan, all)).toEqual(expected);
    expect(expected.Count).toBeGreaterThan(2);
  }
});

it('keeps an item as it was sent, whatever the caller does with his object meanwhile', async () => {
  const db = await opened({ fast: true });
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

it('takes an object for what it says when it is read, and reads nothing twice', async () => {
  const db = await opened({ fast: true });
  await db.putItem({ TableName: 'items', Item: { pk: { S: 'warm' }, sk: { N: '0' } } });
  let asked = 0;
  const key = () => `k${asked++}`;
  await db.putItem({
    TableName: 'items',
    Item: {
      pk: {
        get S() {
          return key();
        },
      },
      sk: { N: '1' },
      g: {
        get S() {
          void db.putItem({ TableName: 'items', Item: { pk: { S: 'within' }, sk: { N: '2' } } });
          return 'x';
        },
      },
    },
  });
  const { Items } = await db.scan({ TableName: 'items' });
  expect(new Set(Items?.map(({ pk }) => pk!.S))).toEqual(new Set(['warm', 'within', 'k0']));
});

it('asks an object of a class for what cannot be listed of it', async () => {
  const db = await opened({ fast: true });
  const Item = { pk: { S: 'a' }, sk: { N: '1' } };
  await db.putItem({ TableName: 'items', Item });
  class Put {
    TableName = 'items';
    Item = Item;
    get ConditionExpression() {
      return 'attribute_not_exists(pk)';
    }
  }
  await expect(db.putItem(new Put())).rejects.toThrow('The conditional request failed');
  class Get {
    TableName = 'items';
    Key = Item;
    get ProjectionExpression() {
      return 'pk';
    }
  }
  expect(await db.getItem(new Get())).toEqual({ Item: { pk: { S: 'a' } } });
  const inherited = Object.assign(Object.create({ TableName: 'items', ReturnValues: 'ALL_OLD' }), { Item });
  expect(await db.putItem(inherited)).toEqual({ Attributes: Item });
});

it('takes a set with a hole as it takes one with nothing in that place', async () => {
  const db = await opened({ fast: true });
  const Key = { pk: { S: 'a' }, sk: { N: '1' } };
  await db.putItem({ TableName: 'items', Item: { ...Key, rest: { S: 'warm' } } });
  const members = ['b', 'c', 'a'];
  delete members[1];
  await db.putItem({ TableName: 'items', Item: { ...Key, rest: { SS: members } } });
  expect((await db.getItem({ TableName: 'items', Key })).Item?.rest).toEqual({ SS: ['a', 'b'] });
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
    const later = { TableName: 'others', ReturnValues: 'ALL_OLD', ReturnConsumedCapacity: 'TOTAL' };
    Object.assign(input, later);
    expect(await put).toEqual({});

    const conditional = {
      TableName: 'items',
      Item: { pk: { S: 'a' } },
      ConditionExpression: 'attribute_exists(pk)',
    };
    const update = { TableName: 'items', Key: { pk: { S: 'a' } } };
    const removal = { TableName: 'items', Key: { pk: { S: 'a' } } };
    const answers = [db.putItem(conditional), db.updateItem(update), db.deleteItem(removal)];
    for (const each of [conditional, update, removal]) Object.assign(each, later);
    expect(await Promise.all(answers)).toEqual([{}, {}, {}]);

    const RequestItems = { items: [{ PutRequest: { Item: { pk: { S: 'b' } } } }] };
    const batch = db.batchWriteItem({ RequestItems, ReturnConsumedCapacity: 'TOTAL' });
    Reflect.deleteProperty(RequestItems, 'items');
    expect((await batch).ConsumedCapacity).toEqual([{ TableName: 'items', CapacityUnits: 1 }]);
  } finally {
    await db.close();
    await rm(directory, { recursive: true });
  }
});
