import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { tokenKind } from '../../src/engine/store-keys.ts';
import {
  type ServiceError,
  Stator,
  type StatorOptions,
  type TransactWriteItemInput,
  VirtualClock,
} from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { FaultyStore, Gate, holdCall, loseAnswer, refuse } from '../storage/faulty-store.ts';

/** What a transaction does to the Store, and what it makes of tokens, trouble, and others at work. */

const TableName = 'things';
const definition = (hash = 'pk') => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [{ AttributeName: hash, AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: hash, KeyType: 'HASH' as const }],
});
const pk = (S: string) => ({ pk: { S } });
const put = (S: string): TransactWriteItemInput => ({ Put: { TableName, Item: pk(S) } });
const count = (S: string): TransactWriteItemInput => ({
  Update: {
    TableName,
    Key: pk(S),
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});
const get = (S: string) => ({ Get: { TableName, Key: pk(S) } });

const databases: Stator[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const db of databases) expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await Promise.all(databases.splice(0).map((db) => db.close()));
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function open(options: StatorOptions = {}): Promise<Stator> {
  const db = await Stator.open(options);
  databases.push(db);
  return db;
}

async function counted(db: Stator, name: string): Promise<string | undefined> {
  return (await db.getItem({ TableName, Key: pk(name), ConsistentRead: true })).Item?.n?.N;
}

function problem(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'done',
    (error: ServiceError) => `${error.name}: ${error.message}`,
  );
}

const cancelled = (...codes: string[]) =>
  `TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`;

describe('a transaction and its store', () => {
  it('is one call, whatever it consists of', async () => {
    const store = new FaultyStore(new MemoryStore());
    const db = await open({ store });
    await db.createTable(definition());
    await db.transactWriteItems({ TransactItems: [put('first')], ClientRequestToken: 'warm' });
    await db.engine.settled();
    const calls = async (work: () => Promise<unknown>) => {
      const before = store.calls.length;
      await work();
      return store.calls.slice(before).map(({ method }) => method);
    };
    const TransactItems = [
      ...Array.from({ length: 98 }, (_, i) => put(String(i))),
      count('n'),
      { ConditionCheck: { TableName, Key: pk('first'), ConditionExpression: 'attribute_exists(pk)' } },
    ];
    expect(await calls(() => db.transactWriteItems({ TransactItems }))).toEqual(['transact']);
    const withToken = { TransactItems, ClientRequestToken: 'a' };
    expect(await calls(() => db.transactWriteItems(withToken))).toEqual(['transact']);
    expect(await calls(() => db.transactWriteItems(withToken))).toEqual(['transact']);
    const gets = Array.from({ length: 100 }, (_, i) => get(String(i)));
    expect(await calls(() => db.transactGetItems({ TransactItems: gets }))).toEqual(['getMany']);
  });

  it('writes nothing when the store refuses, and may be sent again', async () => {
    const store = new FaultyStore(new MemoryStore(), [
      { method: 'transact', nth: 2, effect: refuse('unavailable') },
      { method: 'transact', nth: 4, effect: loseAnswer() },
    ]);
    const db = await open({ store });
    await db.createTable(definition());
    const request = { TransactItems: [count('a'), count('b')], ClientRequestToken: 'token' };
    expect(await problem(db.transactWriteItems(request))).toMatch(/^InternalServerError/);
    expect(await counted(db, 'a')).toBeUndefined();
    await db.transactWriteItems(request);
    // The answer of this one is lost, and the token tells the client's second try that it was done.
    const second = { ...request, ClientRequestToken: 'other' };
    expect(await problem(db.transactWriteItems(second))).toMatch(/^InternalServerError/);
    await db.transactWriteItems(second);
    expect(await counted(db, 'a')).toBe('2');
    expect(await counted(db, 'b')).toBe('2');
  });

  it('knows a table that another process made anew', async () => {
    class Shared extends FaultyStore {
      override readonly exclusive = false;
    }
    const memory = new MemoryStore();
    const first = await open({ store: new Shared(memory) });
    const second = await open({ store: new Shared(memory) });
    await first.createTable(definition('old'));
    await second.putItem({ TableName, Item: { old: { S: 'x' } } });
    await first.deleteTable({ TableName });
    await first.createTable(definition());
    await second.transactWriteItems({ TransactItems: [put('a')] });
    const { Responses } = await first.transactGetItems({ TransactItems: [get('a')] });
    expect(Responses).toEqual([{ Item: pk('a') }]);
    await first.deleteTable({ TableName });
    await first.createTable(definition('other'));
    // What was planned on the table before would be cancelled; what is planned on this one is not.
    const Key = { other: { S: 'y' } };
    await second.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: Key } }] });
    const found = await second.transactGetItems({ TransactItems: [{ Get: { TableName, Key } }] });
    expect(found.Responses).toEqual([{ Item: Key }]);
    expect(await problem(second.transactWriteItems({ TransactItems: [put('a')] }))).toBe(
      cancelled('ValidationError'),
    );
  });

  it('measures the items of one collection together', async () => {
    const db = await open({ itemCollectionBytesMax: 2_000 });
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk', 'rank'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'by-rank',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'rank', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
    const item = (hash: string, range: string, bytes: number): TransactWriteItemInput => ({
      Put: {
        TableName,
        Item: { ...pk(hash), sk: { S: range }, rank: { S: range }, v: { S: 'x'.repeat(bytes) } },
      },
    });
    const gone = (hash: string, range: string): TransactWriteItemInput => ({
      Delete: { TableName, Key: { ...pk(hash), sk: { S: range } } },
    });
    const write = (...TransactItems: TransactWriteItemInput[]) =>
      problem(db.transactWriteItems({ TransactItems }));
    expect(await write(item('a', '1', 900), item('b', '1', 900))).toBe('done');
    expect(await write(item('a', '2', 600), item('b', '2', 10), item('a', '3', 600))).toBe(
      cancelled('ItemCollectionSizeLimitExceeded', 'None', 'ItemCollectionSizeLimitExceeded'),
    );
    expect(await write(item('a', '2', 600))).toBe('done');
    // What goes makes room for what comes, in either order.
    expect(await write(item('a', '3', 900), gone('a', '1'))).toBe('done');
    expect(await write(gone('a', '3'), item('a', '4', 1_000))).toBe('done');
  });

  it('keeps an index that is being filled', async () => {
    const store = new MemoryStore();
    const first = await Stator.open({ store });
    await first.createTable(definition());
    for (let i = 0; i < 1_100; i += 25)
      await first.batchWriteItem({
        RequestItems: {
          [TableName]: Array.from({ length: 25 }, (_, k) => ({
            PutRequest: { Item: { ...pk(`item ${i + k}`), owner: { S: `owner ${(i + k) % 7}` } } },
          })),
        },
      });
    await first.updateTable({
      TableName,
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'by-owner',
            KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        },
      ],
    });
    // Its work in the background ends here, with items that the index has and items that it has not.
    await first.engine.close();
    for (let i = 0; i < 1_000; i += 100)
      await first.transactWriteItems({
        TransactItems: Array.from({ length: 100 }, (_, k): TransactWriteItemInput => {
          const Key = pk(`item ${i + k}`);
          if (k % 3 === 0) return { Delete: { TableName, Key } };
          if (k % 3 === 1) return count(`item ${i + k}`);
          return { Put: { TableName, Item: { ...Key, owner: { S: 'another' } } } };
        }),
      });
    const second = await open({ store });
    await second.engine.settled();
    const { Count } = await second.query({
      TableName,
      IndexName: 'by-owner',
      Select: 'COUNT',
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'owner' },
      ExpressionAttributeValues: { ':o': { S: 'another' } },
    });
    expect(Count).toBe(330);
  });
});

describe('a request token', () => {
  const stores: [name: string, options: () => Promise<Partial<StatorOptions>>][] = [
    [
      'lmdb',
      async () => {
        const directory = await newDirectory();
        directories.push(directory);
        return { store: { directory } };
      },
    ],
    ['postgres', async () => ({ store: { url: inject('postgresUrl'), schema: freshSchema() } })],
  ];

  it.each(stores)('is remembered after a restart on %s', async (_, choose) => {
    const options = await choose();
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    const before = await Stator.open(options);
    await before.createTable(definition());
    await before.transactWriteItems(request);
    await before.close();
    const after = await open(options);
    await after.transactWriteItems(request);
    expect(await counted(after, 'a')).toBe('1');
    const others = { ...request, TransactItems: [count('b')] };
    expect(await problem(after.transactWriteItems(others))).toMatch(/^IdempotentParameterMismatch/);
  });

  it('is known to every engine on a store, also when it is used at the same time', async () => {
    const choice = { url: inject('postgresUrl'), schema: freshSchema() };
    const [left, right] = [await open({ store: choice }), await open({ store: choice })];
    await left.createTable(definition());
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const request = { TransactItems: [count('a')], ClientRequestToken: `token ${i}` };
        await Promise.all([left, right, left].map((db) => db.transactWriteItems(request)));
      }),
    );
    expect(await counted(right, 'a')).toBe('20');
  });

  it('does not care in which order the members of a request stand', async () => {
    const db = await open();
    await db.createTable(definition());
    const Item = { a: { M: { x: { N: '1' }, y: { N: '2' } } }, ...pk('p') };
    const turned = { ...pk('p'), a: { M: { y: { N: '2' }, x: { N: '1' } } } };
    await db.transactWriteItems({ ClientRequestToken: 't', TransactItems: [{ Put: { TableName, Item } }] });
    await db.transactWriteItems({
      TransactItems: [{ Put: { Item: turned, TableName } }],
      ClientRequestToken: 't',
    });
  });

  it('holds for ten minutes', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = await open({ clock });
    await db.createTable(definition());
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    await db.transactWriteItems(request);
    clock.advanceMs(10 * 60_000 - 1);
    await db.transactWriteItems(request);
    expect(await counted(db, 'a')).toBe('1');
    clock.advanceMs(1);
    await db.transactWriteItems(request);
    expect(await counted(db, 'a')).toBe('2');
  });

  const seeds = testSeeds('request tokens');
  it.each(seeds)('holds for ten minutes from whenever it was used, %i', async (seed) => {
    const random = seededRandom(seed);
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = await open({ clock });
    await db.createTable(definition());
    const usedAt = new Map<string, number>();
    let done = 0;
    for (let i = 0; i < 400; i++) {
      clock.advanceMs(random.below(200_000));
      const ClientRequestToken = `token ${random.below(5)}`;
      const used = usedAt.get(ClientRequestToken);
      if (used === undefined || db.nowMs() >= used + 10 * 60_000) {
        usedAt.set(ClientRequestToken, db.nowMs());
        done++;
      }
      await db.transactWriteItems({ TransactItems: [count('a')], ClientRequestToken });
      expect(await counted(db, 'a')).toBe(String(done));
    }
    expect(done).toBeGreaterThan(5);
  });

  it('is found by an engine whose clock is a little behind', async () => {
    const store = new MemoryStore();
    const end = Date.UTC(2026, 0, 1);
    const ahead = await open({ store, clock: new VirtualClock(end + 5) });
    const behind = await open({ store, clock: new VirtualClock(end - 59_000) });
    await ahead.createTable(definition());
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    for (const db of [ahead, behind, ahead]) await db.transactWriteItems(request);
    expect(await counted(ahead, 'a')).toBe('1');
  });

  it('is forgotten, little by little, once it no longer holds', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const store = new FaultyStore(new MemoryStore());
    const db = await open({ store, clock });
    await db.createTable(definition());
    const use = async (from: number, to: number) => {
      for (let i = from; i < to; i++)
        await db.transactWriteItems({ TransactItems: [count('a')], ClientRequestToken: `token ${i}` });
      await db.engine.settled();
    };
    const kept = async () => {
      const range = { from: Uint8Array.of(tokenKind), to: Uint8Array.of(tokenKind + 1), limit: 10_000 };
      return (await store.range(range)).entries.length;
    };
    await use(0, 300);
    expect(await kept()).toBe(300);
    clock.advanceMs(20 * 60_000);
    // One of them is used anew, and is not forgotten together with its past.
    await use(0, 1);
    const before = store.calls.length;
    await use(300, 300 + 64 * 3);
    const own = store.calls.slice(before).filter(({ method }) => method === 'transact').length - 64 * 3;
    expect(own).toBe(3);
    expect(await kept()).toBe(193);
    const again = { TransactItems: [count('a')], ClientRequestToken: 'token 0' };
    const seen = await counted(db, 'a');
    await db.transactWriteItems(again);
    expect(await counted(db, 'a')).toBe(seen);
  });

  it('goes with a fork, and is the fork’s own from then on', async () => {
    const db = await open();
    await db.createTable(definition());
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    await db.transactWriteItems(request);
    const fork = db.fork();
    databases.push(fork);
    await fork.transactWriteItems(request);
    await fork.transactWriteItems({ ...request, ClientRequestToken: 'new' });
    await db.transactWriteItems({ ...request, ClientRequestToken: 'new' });
    expect([await counted(db, 'a'), await counted(fork, 'a')]).toEqual(['2', '2']);
  });
});

describe('a transaction that is under way', () => {
  /** A database whose next write waits at a gate. */
  async function held(physics: 'shadow' | 'enforce') {
    const gate = new Gate();
    const memory = new MemoryStore();
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const preparing = await Stator.open({ store: memory, clock });
    await preparing.createTable(definition());
    const store = new FaultyStore(memory, [{ method: 'transact', nth: 1, effect: holdCall(gate) }]);
    return { gate, db: await open({ store, clock, physics }) };
  }

  it('is met as on the service where physics is acted out', async () => {
    const { gate, db } = await held('enforce');
    const request = { TransactItems: [count('a'), count('b')], ClientRequestToken: 'token' };
    const first = db.transactWriteItems(request);
    await gate.reached;
    const conflict = 'TransactionConflictException: Transaction is ongoing for the item';
    expect(await problem(db.putItem({ TableName, Item: pk('a') }))).toBe(conflict);
    expect(await problem(db.deleteItem({ TableName, Key: pk('b') }))).toBe(conflict);
    expect(await problem(db.transactWriteItems({ TransactItems: [put('x'), put('b')] }))).toBe(
      cancelled('None', 'TransactionConflict'),
    );
    expect(await problem(db.transactGetItems({ TransactItems: [get('b'), get('x')] }))).toBe(
      cancelled('TransactionConflict', 'None'),
    );
    expect(await problem(db.transactWriteItems(request))).toBe(
      'TransactionInProgressException: Transaction from previous request is still in progress',
    );
    expect(await counted(db, 'a')).toBeUndefined();
    await db.putItem({ TableName, Item: pk('c') });
    gate.open();
    await first;
    await db.putItem({ TableName, Item: pk('a') });
    await db.transactWriteItems(request);
    expect(await counted(db, 'b')).toBe('1');
  });

  it('lets a single write under way cancel a read, and nothing else', async () => {
    const { gate, db } = await held('enforce');
    const first = db.putItem({ TableName, Item: pk('a') });
    await gate.reached;
    expect(await problem(db.transactGetItems({ TransactItems: [get('a')] }))).toBe(
      cancelled('TransactionConflict'),
    );
    expect(await problem(db.transactWriteItems({ TransactItems: [count('a')] }))).toBe('done');
    gate.open();
    await first;
    const { Responses } = await db.transactGetItems({ TransactItems: [get('a')] });
    expect(Responses).toEqual([{ Item: pk('a') }]);
  });

  it('is not in the way after it failed', async () => {
    const memory = new MemoryStore();
    const store = new FaultyStore(memory, [{ method: 'transact', nth: 2, effect: refuse('unavailable') }]);
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = await open({ store, clock, physics: 'enforce' });
    await db.createTable(definition());
    clock.advanceMs(3_600_000);
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    expect(await problem(db.transactWriteItems(request))).toMatch(/^InternalServerError/);
    await db.transactWriteItems(request);
    await db.putItem({ TableName, Item: pk('a') });
  });

  it('is waited for otherwise', async () => {
    const { gate, db } = await held('shadow');
    const request = { TransactItems: [count('a')], ClientRequestToken: 'token' };
    const first = db.transactWriteItems(request);
    await gate.reached;
    await db.putItem({ TableName, Item: { ...pk('a'), n: { N: '7' } } });
    await db.transactWriteItems({ TransactItems: [count('a')] });
    gate.open();
    await first;
    expect(await counted(db, 'a')).toBe('9');
  });
});
