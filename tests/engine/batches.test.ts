import { afterEach, describe, expect, it } from 'vitest';
import {
  type AttributeMap,
  ServiceError,
  Stator,
  type StatorOptions,
  type WriteRequest,
} from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type Fault, FaultyStore, loseAnswer, refuse } from '../storage/faulty-store.ts';

/** What a batch makes of trouble in the store, and of tables that others change. */

const definition = (TableName: string, hash = 'pk') => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [{ AttributeName: hash, AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: hash, KeyType: 'HASH' as const }],
});
const pk = (S: string) => ({ pk: { S } });
const put = (S: string) => ({ PutRequest: { Item: { ...pk(S), n: { N: '1' } } } });
const remove = (S: string) => ({ DeleteRequest: { Key: pk(S) } });

const databases: Stator[] = [];
const lines: string[] = [];

afterEach(async () => {
  lines.length = 0;
  // Whatever was refused or lost, each write was done whole or not at all.
  for (const db of databases) expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  await Promise.all(databases.splice(0).map((db) => db.close()));
});

async function open(store: Store, options: StatorOptions = {}): Promise<Stator> {
  const db = await Stator.open({ ...options, store, log: (line) => lines.push(line) });
  databases.push(db);
  return db;
}

/** A database with the tables `one` and `two`, whose store misbehaves from then on. */
async function troubled(...plan: Fault[]): Promise<{ db: Stator; store: FaultyStore }> {
  const store = new FaultyStore(new MemoryStore(), plan);
  const db = await open(store);
  await db.createTable(definition('one'));
  await db.createTable(definition('two'));
  return { db, store };
}

const failing = (effect: Fault['effect'], nth = 1): Fault => ({ method: 'transactMany', nth, effect });

async function keysIn(db: Stator, TableName: string, names: readonly string[]): Promise<string[]> {
  const { Responses } = await db.batchGetItem({ RequestItems: { [TableName]: { Keys: names.map(pk) } } });
  return Responses[TableName]!.map((item: AttributeMap) => item.pk!.S!);
}

function serverError(error: unknown): string {
  if (!(error instanceof ServiceError)) throw error;
  return `${error.$metadata.httpStatusCode} ${error.name}`;
}

describe('a batch of writes in trouble', () => {
  it('gives back what was not done, as it was sent', async () => {
    const { db } = await troubled(failing(refuse('full', [1, 3])));
    const answer = await db.batchWriteItem({
      RequestItems: { one: [put('a'), put('b')], two: [put('c'), remove('d'), put('e')] },
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(answer).toEqual({
      UnprocessedItems: { one: [put('b')], two: [remove('d')] },
      ConsumedCapacity: [
        { TableName: 'one', CapacityUnits: 1 },
        { TableName: 'two', CapacityUnits: 2 },
      ],
    });
    expect(await keysIn(db, 'one', ['a', 'b'])).toEqual(['a']);
    expect(await keysIn(db, 'two', ['c', 'e'])).toEqual(['c', 'e']);
    expect(lines).toEqual([expect.stringMatching(/^2 of 5 writes of a batch were not done: .*refused/)]);
    // What comes back is the next request.
    const rest: Readonly<Record<string, readonly WriteRequest[]>> = answer.UnprocessedItems;
    expect(await db.batchWriteItem({ RequestItems: rest })).toEqual({ UnprocessedItems: {} });
    expect(await keysIn(db, 'one', ['a', 'b'])).toEqual(['a', 'b']);
  });

  it('leaves out the capacity of a table of which nothing was done', async () => {
    const { db } = await troubled(failing(refuse('unavailable', [0])));
    const answer = await db.batchWriteItem({
      RequestItems: { one: [put('a')], two: [put('b')] },
      ReturnConsumedCapacity: 'INDEXES',
    });
    expect(answer).toEqual({
      UnprocessedItems: { one: [put('a')] },
      ConsumedCapacity: [{ TableName: 'two', CapacityUnits: 1, Table: { CapacityUnits: 1 } }],
    });
  });

  it('counts a write whose outcome is unknown as not done; to send it again makes no difference', async () => {
    const { db } = await troubled(failing(loseAnswer([0])));
    const RequestItems = { one: [put('a'), put('b')] };
    const answer = await db.batchWriteItem({ RequestItems });
    expect(answer).toEqual({ UnprocessedItems: { one: [put('a')] } });
    expect(await keysIn(db, 'one', ['a', 'b'])).toEqual(['a', 'b']);
    await db.batchWriteItem({ RequestItems: answer.UnprocessedItems });
    expect(await keysIn(db, 'one', ['a', 'b'])).toEqual(['a', 'b']);
    const { Table } = await db.describeTable({ TableName: 'one' });
    expect(Table?.ItemCount).toBe(2);
  });

  it('fails as a whole when nothing could be done', async () => {
    const { db } = await troubled(failing(refuse('full')));
    const RequestItems = { one: [put('a')], two: [put('b')] };
    expect(await db.batchWriteItem({ RequestItems }).catch(serverError)).toBe('500 InternalServerError');
    expect(await keysIn(db, 'one', ['a'])).toEqual([]);
    expect(lines.join()).toContain('BatchWriteItem failed');
    expect(await db.batchWriteItem({ RequestItems })).toEqual({ UnprocessedItems: {} });
  });

  it('does not hide a bug', async () => {
    class BuggyStore extends FaultyStore {
      override async transactMany<R>(...args: Parameters<Store['transactMany']>) {
        const outcomes = await super.transactMany(...args);
        return outcomes.map((outcome, i) =>
          i === 0 ? { ok: false as const, error: new TypeError('a bug') } : outcome,
        ) as { ok: true; result: R }[];
      }
    }
    const db = await open(new BuggyStore(new MemoryStore()));
    await db.createTable(definition('one'));
    const failed = db.batchWriteItem({ RequestItems: { one: [put('a'), put('b')] } });
    expect(await failed.catch(serverError)).toBe('500 InternalServerError');
    expect(lines.join()).toContain('TypeError: a bug');
  });
});

describe('a batch of writes to collections that may not grow', () => {
  const indexed = {
    ...definition('indexed'),
    AttributeDefinitions: ['pk', 'sk', 'rank'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' as const },
      { AttributeName: 'sk', KeyType: 'RANGE' as const },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'by-rank',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' as const },
          { AttributeName: 'rank', KeyType: 'RANGE' as const },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      },
    ],
  };
  const item = (sk: string, bytes: number) => ({
    PutRequest: { Item: { ...pk('a'), sk: { S: sk }, filler: { S: 'x'.repeat(bytes) } } },
  });

  it('gives back those that would, and refuses them when they come alone', async () => {
    const db = await open(new MemoryStore(), { itemCollectionBytesMax: 1_000 });
    await db.createTable(indexed);
    const write = (...writes: WriteRequest[]) => db.batchWriteItem({ RequestItems: { indexed: writes } });
    expect(await write(item('small', 100), item('large', 1_000))).toEqual({
      UnprocessedItems: { indexed: [item('large', 1_000)] },
    });
    await expect(write(item('large', 1_000))).rejects.toMatchObject({
      name: 'ItemCollectionSizeLimitExceededException',
      message: 'Collection size exceeded.',
    });
    // That is the client's affair, and no trouble of the store.
    expect(lines).toEqual([]);
  });
});

describe('a table that is named by name and by ARN', () => {
  it('is one table for duplicates, and two in the answer', async () => {
    const { db } = await troubled();
    const { Table } = await db.describeTable({ TableName: 'one' });
    const arn = Table.TableArn;
    await expect(
      db.batchWriteItem({ RequestItems: { one: [put('a')], [arn]: [remove('a')] } }),
    ).rejects.toThrow('Provided list of item keys contains duplicates');
    const answer = await db.batchWriteItem({
      RequestItems: { one: [put('a')], [arn]: [put('b')] },
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(answer.ConsumedCapacity).toEqual([
      { TableName: 'one', CapacityUnits: 1 },
      { TableName: arn, CapacityUnits: 1 },
    ]);
    const found = await db.batchGetItem({
      RequestItems: { one: { Keys: [pk('a')] }, [arn]: { Keys: [pk('b')] } },
    });
    expect(found.Responses).toEqual({ one: [put('a').PutRequest.Item], [arn]: [put('b').PutRequest.Item] });
  });
});

describe('a batch of reads', () => {
  it('is one call to the store, and fails as a whole', async () => {
    const { db, store } = await troubled({ method: 'getMany', nth: 4, effect: refuse('unavailable') });
    // The first use of each table asks for its partitions.
    await db.batchWriteItem({ RequestItems: { one: [put('a')], two: [put('b')] } });
    await db.settled();
    store.calls.length = 0;
    const RequestItems = { one: { Keys: [pk('a'), pk('x')] }, two: { Keys: [pk('b')] } };
    const answer = await db.batchGetItem({ RequestItems });
    expect(answer.Responses).toEqual({ one: [put('a').PutRequest.Item], two: [put('b').PutRequest.Item] });
    expect(store.calls.map(({ method }) => method)).toEqual(['getMany']);
    expect(await db.batchGetItem({ RequestItems }).catch(serverError)).toBe('500 InternalServerError');
    expect(await db.batchGetItem({ RequestItems })).toEqual(answer);
  });
});

describe('a batch on a store that others use too', () => {
  class SharedStore extends FaultyStore {
    override readonly exclusive = false;
  }

  /** Two databases on one store, of which the second has both tables in its cache. */
  async function two(...plan: Fault[]) {
    const memory = new MemoryStore();
    const store = new SharedStore(memory, plan);
    const [first, second] = [await open(new SharedStore(memory)), await open(store)];
    await first.createTable(definition('one'));
    await first.createTable(definition('two'));
    await second.batchWriteItem({ RequestItems: { one: [put('a')], two: [put('b')] } });
    return { first, second, store };
  }

  const RequestItems = { one: { Keys: [pk('a')] }, two: { Keys: [pk('b')] } };

  it('reads a table that was made anew', async () => {
    const { first, second } = await two();
    await first.deleteTable({ TableName: 'one' });
    await first.createTable(definition('one'));
    const { Responses } = await second.batchGetItem({ RequestItems });
    expect(Responses).toEqual({ one: [], two: [put('b').PutRequest.Item] });
    await first.deleteTable({ TableName: 'two' });
    await first.createTable(definition('two', 'id'));
    await expect(second.batchGetItem({ RequestItems })).rejects.toThrow(
      'The provided key element does not match the schema',
    );
    await first.deleteTable({ TableName: 'two' });
    await expect(second.batchGetItem({ RequestItems })).rejects.toThrow('Requested resource not found');
  });

  it('writes to a table that was made anew, and to the others only once', async () => {
    const { first, second } = await two();
    await first.deleteTable({ TableName: 'one' });
    await first.createTable(definition('one'));
    const answer = await second.batchWriteItem({
      RequestItems: { one: [put('c'), put('d')], two: [put('b'), put('e')] },
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(answer).toEqual({
      UnprocessedItems: {},
      ConsumedCapacity: [
        { TableName: 'one', CapacityUnits: 2 },
        { TableName: 'two', CapacityUnits: 2 },
      ],
    });
    expect(await keysIn(first, 'one', ['a', 'c', 'd'])).toEqual(['c', 'd']);
    expect(await keysIn(first, 'two', ['b', 'e'])).toEqual(['b', 'e']);
  });

  it('gives back the writes to a table that is gone when others were done', async () => {
    const { first, second } = await two();
    await first.deleteTable({ TableName: 'one' });
    const both = { one: [put('c')], two: [put('e')] };
    expect(await second.batchWriteItem({ RequestItems: both })).toEqual({
      UnprocessedItems: { one: [put('c')] },
    });
    await expect(second.batchWriteItem({ RequestItems: both })).rejects.toThrow(
      'Requested resource not found',
    );
  });

  it('gives back the writes to a changed table when it cannot be looked up again', async () => {
    // The first lookups are of both tables, the third is of the one that has changed.
    const { first, second } = await two({ method: 'get', nth: 3, effect: refuse('unavailable') });
    await first.deleteTable({ TableName: 'one' });
    await first.createTable(definition('one'));
    const answer = await second.batchWriteItem({ RequestItems: { one: [put('c')], two: [put('e')] } });
    expect(answer).toEqual({ UnprocessedItems: { one: [put('c')] } });
    expect(await keysIn(first, 'two', ['e'])).toEqual(['e']);
  });
});

describe('a batch of statements in trouble', () => {
  const insert = (S: string) => ({ Statement: `INSERT INTO "one" VALUE {'pk': '${S}'}` });
  const internal = { Error: { Code: 'InternalServerError', Message: 'Internal server error' } };

  /** The store refuses those writes whose turn, from 1, is named. */
  async function refusing(...turns: readonly number[]): Promise<Stator> {
    let turn: number | undefined;
    const where = () => turn !== undefined && turns.includes(++turn);
    const { db } = await troubled({ method: 'transact', where, effect: refuse('full') });
    turn = 0;
    return db;
  }

  it('tells of each that was not done, and does the others', async () => {
    const db = await refusing(2);
    const { Responses } = await db.batchExecuteStatement({ Statements: ['a', 'b', 'c'].map(insert) });
    expect(Responses).toEqual([{ TableName: 'one' }, internal, { TableName: 'one' }]);
    expect(await keysIn(db, 'one', ['a', 'b', 'c'])).toEqual(['a', 'c']);
    expect(lines).toEqual([expect.stringMatching(/^1 of 3 statements of a batch were not done: .*refused/)]);
  });

  it('fails as a whole when none was done', async () => {
    const db = await refusing(1, 2);
    const failed = await db.batchExecuteStatement({ Statements: ['a', 'b'].map(insert) }).catch(serverError);
    expect(failed).toBe('500 InternalServerError');
    expect(await keysIn(db, 'one', ['a', 'b'])).toEqual([]);
  });
});
