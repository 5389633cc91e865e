import { GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, type ServiceError, Stator } from '../../src/index.ts';

const TableName = 'things';
const pk = (S: string) => ({ pk: { S } });

let db: Stator;

beforeEach(async () => {
  db = await Stator.open();
  for (const name of [TableName, 'others'])
    await db.createTable({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
});

afterEach(() => db.close());

function problem(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'done',
    (error: ServiceError) => error.name,
  );
}

const put = (name: string, table = TableName) =>
  problem(db.putItem({ TableName: table, Item: { ...pk(name), v: { N: '1' } } }));
const get = (name: string) => problem(db.getItem({ TableName, Key: pk(name) }));

describe('faults that were asked for', () => {
  it('meet the next so many requests and then no more', async () => {
    db.faults.add({ error: 'ThrottlingException', times: 2 });
    expect([await put('a'), await get('a'), await put('a')]).toEqual([
      'ThrottlingException',
      'ThrottlingException',
      'done',
    ]);
    expect(db.faults.isEmpty).toBe(true);
  });

  it.each([
    [{ error: 'Nope' }, 'error must be one of'],
    [{ error: 'InternalServerError', tabel: 'things' }, 'tabel is not known here'],
    [{ error: 'InternalServerError', operation: 'putitem' }, 'such as PutItem'],
    [{ error: 'InternalServerError', operation: 'PutItme' }, '"PutItme" is none, did you mean PutItem?'],
    [{ error: 'InternalServerError', operation: 'CreateGlobalTable' }, '"CreateGlobalTable" is none'],
    [{ error: 'InternalServerError', operation: 7 }, 'operation must be the name of an operation'],
    [{ error: 'InternalServerError', table: '' }, 'table must be a name'],
    [{ error: 'InternalServerError', key: {} }, 'key must be an object of attributes'],
    [{ error: 'InternalServerError', times: -1 }, 'times must be a whole number'],
    [{ error: 'InternalServerError', afterwards: 1 }, 'afterwards must be true or false'],
  ])('cannot be %j', async (fault, said) => {
    expect(() => db.faults.add(fault as unknown as Fault)).toThrow(TypeError);
    expect(() => db.faults.add(fault as unknown as Fault)).toThrow(said);
    expect(db.faults.isEmpty).toBe(true);
    expect(await put('a')).toBe('done');
  });

  it('meet only the operation, table and key that they name', async () => {
    const names = (fault: Fault) => {
      db.faults.clear();
      db.faults.add({ ...fault, times: 100 });
      return Promise.all([put('a'), put('b'), put('a', 'others'), get('a')]);
    };
    const error = 'ProvisionedThroughputExceededException';
    expect(await names({ error, operation: 'GetItem' })).toEqual(['done', 'done', 'done', error]);
    expect(await names({ error, table: TableName })).toEqual([error, error, 'done', error]);
    expect(await names({ error, key: pk('a') })).toEqual([error, 'done', error, error]);
    expect(await names({ error, operation: 'PutItem', table: TableName, key: pk('a') })).toEqual([
      error,
      'done',
      'done',
      'done',
    ]);
  });

  it('know a table by its ARN too', async () => {
    db.faults.add({ error: 'RequestLimitExceeded', table: TableName });
    expect(await put('a', `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`)).toBe(
      'RequestLimitExceeded',
    );
  });

  it('become the reason of one action of a transaction, or the error of the whole', async () => {
    const TransactItems = [
      { Put: { TableName, Item: pk('a') } },
      { Delete: { TableName: 'others', Key: pk('b') } },
      { Put: { TableName, Item: pk('b') } },
    ];
    for (const [error, code] of [
      ['TransactionConflictException', 'TransactionConflict'],
      ['ThrottlingException', 'ThrottlingError'],
      ['ProvisionedThroughputExceededException', 'ProvisionedThroughputExceeded'],
    ] as const) {
      db.faults.add({ error, table: TableName, key: pk('b') });
      await expect(db.transactWriteItems({ TransactItems })).rejects.toMatchObject({
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'None' }, { Code: 'None' }, { Code: code }],
      });
    }
    db.faults.add({ error: 'TransactionConflictException', operation: 'TransactGetItems' });
    await expect(
      db.transactGetItems({ TransactItems: [{ Get: { TableName, Key: pk('a') } }] }),
    ).rejects.toMatchObject({ CancellationReasons: [{ Code: 'TransactionConflict' }] });
    db.faults.add({ error: 'TransactionInProgressException' });
    expect(await problem(db.transactWriteItems({ TransactItems }))).toBe('TransactionInProgressException');
    expect((await db.scan({ TableName })).Count).toBe(0);
    await db.transactWriteItems({ TransactItems });
  });

  it('fail a batch as a whole', async () => {
    db.faults.add({ error: 'ThrottlingException', table: 'others', key: pk('b'), times: 2 });
    const RequestItems = { [TableName]: [{ PutRequest: { Item: pk('a') } }] };
    expect(await problem(db.batchWriteItem({ RequestItems }))).toBe('done');
    const both = { ...RequestItems, others: [{ DeleteRequest: { Key: pk('b') } }] };
    expect(await problem(db.batchWriteItem({ RequestItems: both }))).toBe('ThrottlingException');
    expect(await problem(db.batchGetItem({ RequestItems: { others: { Keys: [pk('b')] } } }))).toBe(
      'ThrottlingException',
    );
  });

  it('can lose the answer of a request that is carried out', async () => {
    db.faults.add({ error: 'InternalServerError', afterwards: true });
    const request = {
      ClientRequestToken: 'token',
      TransactItems: [
        {
          Update: {
            TableName,
            Key: pk('a'),
            UpdateExpression: 'ADD v :one',
            ExpressionAttributeValues: { ':one': { N: '1' } },
          },
        },
      ],
    };
    expect(await problem(db.transactWriteItems(request))).toBe('InternalServerError');
    expect(await problem(db.transactWriteItems(request))).toBe('done');
    expect((await db.getItem({ TableName, Key: pk('a') })).Item).toEqual({ ...pk('a'), v: { N: '1' } });
  });

  it('leave what is refused anyway with its own error', async () => {
    db.faults.add({ error: 'InternalServerError' });
    expect(await problem(db.getItem({ TableName: 'no good!', Key: {} }))).toBe('ValidationException');
    expect(await get('a')).toBe('InternalServerError');
  });

  it('stay behind in a fork and end with a restore', async () => {
    db.faults.add({ error: 'InternalServerError', times: 10 });
    const fork = db.fork();
    expect(fork.faults.isEmpty).toBe(true);
    db.restore(fork);
    expect(db.faults.isEmpty).toBe(true);
    await fork.close();
  });
});

describe('/_stator/faults', () => {
  async function served() {
    const { url } = await db.listen({ port: 0 });
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${url}/_stator/${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as object };
    };
    return call;
  }

  it('adds, tells and removes faults', async () => {
    const call = await served();
    const fault = { error: 'TransactionConflictException', table: TableName, key: pk('a'), times: 3 };
    expect(await call('POST', 'faults', fault)).toEqual({ status: 201, body: { ...fault, id: 1 } });
    expect(await call('POST', 'faults', { error: 'InternalServerError' })).toEqual({
      status: 201,
      body: { error: 'InternalServerError', id: 2, times: 1 },
    });
    const client = db.client({ maxAttempts: 1 });
    const item = { TableName, Item: pk('a') };
    await expect(client.send(new PutItemCommand(item))).rejects.toMatchObject({
      name: 'TransactionConflictException',
      message: 'Transaction is ongoing for the item',
    });
    await expect(
      client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: item }] })),
    ).rejects.toMatchObject({ CancellationReasons: [{ Code: 'TransactionConflict' }] });
    expect((await call('GET', 'faults')).body).toEqual({
      faults: [
        { ...fault, id: 1, times: 1 },
        { error: 'InternalServerError', id: 2, times: 1 },
      ],
    });
    expect(await call('DELETE', 'faults/2')).toEqual({ status: 200, body: { id: 2, removed: true } });
    expect((await call('DELETE', 'faults/2')).status).toBe(404);
    expect(await call('DELETE', 'faults')).toEqual({ status: 200, body: { faults: [] } });
    await client.send(new PutItemCommand(item));
  });

  it('are a namespace’s own', async () => {
    const call = await served();
    await call('POST', 'namespaces/worker');
    expect((await call('POST', 'faults?namespace=worker', { error: 'InternalServerError' })).status).toBe(
      201,
    );
    expect(db.faults.isEmpty).toBe(true);
    expect((await call('GET', 'faults?namespace=nobody')).status).toBe(404);
    const client = db.client({ maxAttempts: 1 });
    await client.send(new GetItemCommand({ TableName, Key: pk('a') }));
  });

  it.each<[string, object, RegExp]>([
    ['no error', {}, /^error must be one of InternalServerError, /],
    ['an unknown error', { error: 'toString' }, /^error must be one of/],
    ['no times', { error: 'InternalServerError', times: 0 }, /^times must be a whole number/],
    ['no table', { error: 'InternalServerError', table: '' }, /^table must be a name/],
    ['no key', { error: 'InternalServerError', key: {} }, /^key must be an object of attributes/],
    ['half an answer', { error: 'InternalServerError', afterwards: 1 }, /^afterwards must be/],
    ['anything else', { error: 'InternalServerError', often: true }, /^often is not known here/],
  ])('refuses %s', async (_, body, text) => {
    const call = await served();
    const refused = await call('POST', 'faults', body);
    expect(refused.status).toBe(400);
    expect((refused.body as { error: string }).error).toMatch(text);
  });
});
