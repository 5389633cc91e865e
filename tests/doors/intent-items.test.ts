import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Authorize,
  accessDenied,
  type Intent,
  Stator,
  unknownKeys,
  VirtualClock,
} from '../../src/index.ts';

/** Every intent of the last request, with what conditions of policies can ask about its items. */
let asked: object[] = [];
let judge: Authorize = () => undefined;
let db: Stator;

const recording: Authorize = (intent, requester) => {
  const verdict = judge(intent, requester);
  asked.push(shown(intent));
  return verdict;
};

function shown({ action, resource, enclosingOperation, items }: Intent): object {
  const told = items && {
    keys: items.leadingKeys(),
    attributes: [...items.attributes].sort(),
    select: items.select,
    returnValues: items.returnValues,
    units: items.returnConsumedCapacity,
    scan: items.fullTableScan(),
  };
  const given = { enclosing: enclosingOperation, ...told };
  return {
    what: `${action.replace('dynamodb:', '')} ${resource.replace(/^.*:table\//, '')}`,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

beforeAll(async () => {
  db = await Stator.open({ authorize: recording, clock: new VirtualClock(1_790_000_000_000) });
  await db.createTable({
    TableName: 'things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'color', 'size'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-color',
        KeySchema: [{ AttributeName: 'color', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
      {
        IndexName: 'by-both',
        KeySchema: [
          { AttributeName: 'color', KeyType: 'HASH' },
          { AttributeName: 'size', KeyType: 'HASH' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  await db.createTable({
    TableName: 'numbers',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'n', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'n', KeyType: 'HASH' }],
  });
});

afterAll(() => db.close());

async function intentsOf(request: () => Promise<unknown>): Promise<object[]> {
  asked = [];
  await request();
  return asked;
}

const TableName = 'things';
const key = (pk: string, sk = '1') => ({ pk: { S: pk }, sk: { S: sk } });
const one = (name: string) => ({ [`#${name}`]: name });

describe('the items of an intent', () => {
  it('of reads of single items', async () => {
    expect(await intentsOf(() => db.getItem({ TableName, Key: key('a') }))).toEqual([
      { what: 'GetItem things', keys: ['a'], attributes: ['pk', 'sk'], select: 'ALL_ATTRIBUTES' },
    ]);
    const projected = () =>
      db.getItem({
        TableName,
        Key: key('a'),
        ProjectionExpression: '#a.b, c[0]',
        ExpressionAttributeNames: one('a'),
        ReturnConsumedCapacity: 'TOTAL',
      });
    expect(await intentsOf(projected)).toEqual([
      {
        what: 'GetItem things',
        keys: ['a'],
        attributes: ['a', 'c', 'pk', 'sk'],
        select: 'SPECIFIC_ATTRIBUTES',
        units: 'TOTAL',
      },
    ]);
    expect(await intentsOf(() => db.getItem({ TableName: 'numbers', Key: { n: { N: '1.50e1' } } }))).toEqual([
      { what: 'GetItem numbers', keys: ['15'], attributes: ['n'], select: 'ALL_ATTRIBUTES' },
    ]);
  });

  it('of writes, with operands, conditions and what they return', async () => {
    const Item = { ...key('a'), color: { S: 'red' }, other: { M: { inner: { S: 'x' } } } };
    // The second put would take the fast step, which keeps no names.
    for (let i = 0; i < 2; i++)
      expect(await intentsOf(() => db.putItem({ TableName, Item, ReturnValues: 'ALL_OLD' }))).toEqual([
        {
          what: 'PutItem things',
          keys: ['a'],
          attributes: ['color', 'other', 'pk', 'sk'],
          returnValues: 'ALL_OLD',
        },
      ]);
    const update = () =>
      db.updateItem({
        TableName,
        Key: key('a'),
        UpdateExpression: 'SET x = if_not_exists(y, :v), z.deep = w REMOVE gone',
        ConditionExpression: 'attribute_exists(pk) AND size(color) > :n',
        ExpressionAttributeValues: { ':v': { S: 'v' }, ':n': { N: '0' } },
      });
    const refusedByItem = () => update().catch(() => {});
    expect(await intentsOf(refusedByItem)).toEqual([
      {
        what: 'UpdateItem things',
        keys: ['a'],
        attributes: ['color', 'gone', 'pk', 'sk', 'w', 'x', 'y', 'z'],
        returnValues: 'NONE',
      },
    ]);
    const legacy = () =>
      db.updateItem({
        TableName,
        Key: key('a'),
        AttributeUpdates: { l: { Action: 'PUT', Value: { S: 'x' } } },
        Expected: { e: { Exists: false } },
        ReturnValues: 'UPDATED_NEW',
      });
    expect(await intentsOf(legacy)).toEqual([
      {
        what: 'UpdateItem things',
        keys: ['a'],
        attributes: ['e', 'l', 'pk', 'sk'],
        returnValues: 'UPDATED_NEW',
      },
    ]);
    const deletion = () =>
      db.deleteItem({
        TableName,
        Key: key('a'),
        ConditionExpression: 'attribute_exists(secret)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
    expect(await intentsOf(() => deletion().catch(() => {}))).toEqual([
      {
        what: 'DeleteItem things',
        keys: ['a'],
        attributes: ['pk', 'secret', 'sk'],
        // What the failed condition shows counts too.
        returnValues: 'ALL_OLD',
      },
    ]);
  });

  it('of Query and Scan, on tables and indexes', async () => {
    const query = () =>
      db.query({
        TableName,
        KeyConditionExpression: 'pk = :p AND sk > :s',
        FilterExpression: 'f.g = :s',
        ProjectionExpression: 'h',
        ExpressionAttributeValues: { ':p': { S: 'a' }, ':s': { S: '0' } },
      });
    expect(await intentsOf(query)).toEqual([
      {
        what: 'Query things',
        keys: ['a'],
        attributes: ['f', 'h', 'pk', 'sk'],
        select: 'SPECIFIC_ATTRIBUTES',
      },
    ]);
    const onIndex = () =>
      db.query({
        TableName,
        IndexName: 'by-color',
        KeyConditions: { color: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'red' }] } },
      });
    expect(await intentsOf(onIndex)).toEqual([
      {
        what: 'Query things/index/by-color',
        keys: ['red'],
        attributes: ['color'],
        select: 'ALL_PROJECTED_ATTRIBUTES',
      },
    ]);
    expect(await intentsOf(() => db.scan({ TableName, Select: 'COUNT' }))).toEqual([
      { what: 'Scan things', attributes: [], select: 'COUNT' },
    ]);
  });

  it('of batches, by table', async () => {
    const reads = () =>
      db.batchGetItem({
        RequestItems: {
          things: { Keys: [key('a'), key('b')], ProjectionExpression: 'x' },
          numbers: { Keys: [{ n: { N: '1' } }] },
        },
      });
    expect(await intentsOf(reads)).toEqual([
      {
        what: 'BatchGetItem things',
        keys: ['a', 'b'],
        attributes: ['pk', 'sk', 'x'],
        select: 'SPECIFIC_ATTRIBUTES',
      },
      { what: 'BatchGetItem numbers', keys: ['1'], attributes: ['n'], select: 'ALL_ATTRIBUTES' },
    ]);
    const writes = () =>
      db.batchWriteItem({
        RequestItems: {
          things: [
            { PutRequest: { Item: { ...key('a'), y: { S: 'y' } } } },
            { DeleteRequest: { Key: key('c') } },
          ],
        },
      });
    expect(await intentsOf(writes)).toEqual([
      {
        what: 'BatchWriteItem things',
        keys: ['a', 'c'],
        attributes: ['pk', 'sk', 'y'],
        returnValues: 'NONE',
      },
    ]);
  });

  it('of transactions, by action', async () => {
    const enclosing = 'TransactWriteItems';
    const ExpressionAttributeValues = { ':v': { S: 'v' } };
    const writes = () =>
      db.transactWriteItems({
        TransactItems: [
          {
            ConditionCheck: {
              ...{ TableName, Key: key('check'), ExpressionAttributeValues },
              ConditionExpression: 'a <> :v',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          { Put: { TableName, Item: { ...key('put'), b: { S: 'b' } } } },
          { Delete: { TableName, Key: key('delete') } },
          {
            Update: {
              ...{ TableName, Key: key('update'), ExpressionAttributeValues },
              UpdateExpression: 'SET c = :v',
            },
          },
        ],
      });
    const common = { enclosing, returnValues: 'NONE' };
    expect(await intentsOf(writes)).toEqual([
      {
        ...{ what: 'ConditionCheckItem things', keys: ['check'], attributes: ['a', 'pk', 'sk'] },
        ...{ enclosing, returnValues: 'ALL_OLD' },
      },
      { what: 'PutItem things', keys: ['put'], attributes: ['b', 'pk', 'sk'], ...common },
      { what: 'DeleteItem things', keys: ['delete'], attributes: ['pk', 'sk'], ...common },
      { what: 'UpdateItem things', keys: ['update'], attributes: ['c', 'pk', 'sk'], ...common },
    ]);
    const reads = () => db.transactGetItems({ TransactItems: [{ Get: { TableName, Key: key('a') } }] });
    expect(await intentsOf(reads)).toEqual([
      {
        ...{ what: 'GetItem things', enclosing: 'TransactGetItems', keys: ['a'] },
        ...{ attributes: ['pk', 'sk'], select: 'ALL_ATTRIBUTES' },
      },
    ]);
  });

  it('of PartiQL statements, by their planned reads', async () => {
    const select = (Statement: string) => intentsOf(() => db.executeStatement({ Statement }));
    expect(await select(`SELECT x, y.z FROM things WHERE pk IN ['a', 'b'] AND w = 1`)).toEqual([
      {
        ...{ what: 'PartiQLSelect things', keys: ['a', 'b'], attributes: ['pk', 'w', 'x', 'y'] },
        ...{ select: 'SPECIFIC_ATTRIBUTES', scan: false },
      },
    ]);
    expect(await select(`SELECT * FROM things WHERE sk = '1'`)).toEqual([
      { what: 'PartiQLSelect things', attributes: ['sk'], select: 'ALL_ATTRIBUTES', scan: true },
    ]);
    expect(await select(`SELECT * FROM things."by-color" WHERE color = 'red'`)).toEqual([
      {
        ...{ what: 'PartiQLSelect things/index/by-color', keys: ['red'], attributes: ['color'] },
        ...{ select: 'ALL_PROJECTED_ATTRIBUTES', scan: false },
      },
    ]);
    const statements = [
      `INSERT INTO things VALUE {'pk': 'i', 'sk': '1', 'a': 1}`,
      `UPDATE things SET b = 2 WHERE pk = 'i' AND sk = '1' AND a = 1 RETURNING ALL OLD *`,
      `DELETE FROM things WHERE pk = 'i' AND sk = '1'`,
    ];
    const changes = async () => {
      for (const Statement of statements) await db.executeStatement({ Statement });
    };
    expect(await intentsOf(changes)).toEqual([
      { what: 'PartiQLInsert things', keys: ['i'], attributes: ['a', 'pk', 'sk'], returnValues: 'NONE' },
      {
        ...{ what: 'PartiQLUpdate things', keys: ['i'], attributes: ['a', 'b', 'pk', 'sk'] },
        returnValues: 'ALL_OLD',
      },
      { what: 'PartiQLDelete things', keys: ['i'], attributes: ['pk', 'sk'], returnValues: 'NONE' },
    ]);
    const transaction = () =>
      db.executeTransaction({
        TransactStatements: [
          { Statement: statements[0]! },
          { Statement: `EXISTS(SELECT * FROM things WHERE pk = 'e' AND sk = '1' AND q IS MISSING)` },
        ],
      });
    expect(await intentsOf(transaction)).toMatchObject([
      { what: 'PartiQLInsert things', enclosing: 'ExecuteTransaction', keys: ['i'] },
      {
        ...{ what: 'PartiQLSelect things', enclosing: 'ExecuteTransaction', keys: ['e'] },
        attributes: ['pk', 'q', 'sk'],
      },
    ]);
    const batch = () =>
      db.batchExecuteStatement({
        Statements: [{ Statement: statements[2]! }, { Statement: 'no statement' }],
      });
    expect(await intentsOf(batch)).toMatchObject([{ what: 'PartiQLDelete things', keys: ['i'] }, {}]);
  });

  it('has the other partition keys of an index with several', async () => {
    const found: unknown[] = [];
    judge = ({ items }) => {
      found.push(...([0, 1, 2] as const).map((position) => items!.leadingKeys(position)));
      return undefined;
    };
    await db.query({
      ...{ TableName, IndexName: 'by-both', KeyConditionExpression: 'color = :c AND #size = :s' },
      ExpressionAttributeNames: one('size'),
      ExpressionAttributeValues: { ':c': { S: 'red' }, ':s': { S: 'XL' } },
    });
    judge = () => undefined;
    expect(found).toEqual([['red'], ['XL'], undefined]);
  });

  it('copies what it judges, whatever becomes of the request meanwhile', async () => {
    const Item: Record<string, { S: string }> = { ...key('mine') };
    judge = async ({ items }) => {
      Item.pk = { S: 'other' };
      Item.secret = { S: 'x' };
      await Promise.resolve();
      expect([items!.attributes, items!.leadingKeys()]).toEqual([['pk', 'sk'], ['mine']]);
      return undefined;
    };
    await db.putItem({ TableName, Item: Item as ReturnType<typeof key> });
    judge = () => undefined;
    expect((await db.getItem({ TableName, Key: key('mine') })).Item).toEqual(key('mine'));
    expect((await db.getItem({ TableName, Key: key('other') })).Item).toBeUndefined();
  });
});

describe('a policy about leading keys', () => {
  /** Allows what AWS's policy with ForAllValues:StringEquals on LeadingKeys allows. */
  const onlyMine: Authorize = (intent, requester) => {
    const keys = intent.items?.leadingKeys();
    const isMine = Array.isArray(keys) && keys.every((each) => each === 'mine');
    return isMine ? undefined : accessDenied(intent, requester, 'no identity-based policy allows');
  };

  it('does not show which tables exist', async () => {
    judge = onlyMine;
    const refusals: string[] = [];
    for (const name of ['things', 'absent']) {
      const refused = await db
        .getItem({ TableName: name, Key: key('theirs') })
        .catch((error: Error) => error);
      refusals.push(String(refused).replaceAll(name, '…'));
    }
    expect(refusals[0]).toMatch(/^AccessDeniedException/);
    expect(refusals[1]).toBe(refusals[0]);
    judge = () => undefined;
  });

  it('is not escaped by a request that names no key of the table', async () => {
    const keys: unknown[] = [];
    judge = ({ items }) => {
      keys.push(items!.leadingKeys());
      return undefined;
    };
    const requests = [
      () => db.getItem({ TableName, Key: { other: { S: 'x' } } }),
      () => db.getItem({ TableName, Key: { pk: { BOOL: true }, sk: { S: '1' } } }),
      () =>
        db.query({
          ...{ TableName, KeyConditionExpression: 'pk > :p' },
          ExpressionAttributeValues: { ':p': { S: 'a' } },
        }),
      () => db.executeStatement({ Statement: `UPDATE things SET x = 1 WHERE sk = '1'` }),
      () => db.executeStatement({ Statement: `DELETE FROM absent WHERE pk = 'mine'` }),
    ];
    for (const request of requests) await expect(request()).rejects.toThrow();
    judge = () => undefined;
    expect(keys).toEqual(requests.map(() => unknownKeys));
  });
});

describe('the order of refusals', () => {
  const refuseAll: Authorize = (intent, requester) =>
    accessDenied(intent, requester, 'no identity-based policy allows');

  it('is shape and expressions, then permission, then existence and state', async () => {
    await db.createTable({
      TableName: 'kept',
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    judge = refuseAll;
    const denied = 'AccessDeniedException';
    const expected: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['ValidationException', () => db.getItem({ TableName, Key: key('a'), ProjectionExpression: '(' })],
      ['ValidationException', () => db.executeStatement({ Statement: 'nonsense' })],
      [denied, () => db.getItem({ TableName: 'absent', Key: key('a') })],
      [denied, () => db.getItem({ TableName, Key: { wrong: { S: 'a' } } })],
      [
        denied,
        () =>
          db.query({
            TableName,
            IndexName: 'absent',
            KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: 'a' }] } },
          }),
      ],
      [denied, () => db.executeStatement({ Statement: 'SELECT * FROM absent' })],
      // The service denies before it looks at the protection and at what changes (October 2026).
      [denied, () => db.deleteTable({ TableName: 'kept' })],
      [denied, () => db.updateTable({ TableName: 'kept', DeletionProtectionEnabled: true })],
      [denied, () => db.deleteTable({ TableName: 'absent' })],
    ];
    for (const [name, request] of expected)
      expect(await request().then(String, ({ name: found }: Error) => found)).toBe(name);
    judge = () => undefined;
  });
});
