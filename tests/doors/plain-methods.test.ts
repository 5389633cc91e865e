import { rm } from 'node:fs/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError, Stator } from '../../src/index.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { orderKey, ordersTable } from './orders-table.ts';

let db: Stator;

beforeEach(async () => {
  db = await Stator.open();
  await db.createTable(ordersTable);
});

afterEach(async () => {
  await db.close();
});

describe('a database', () => {
  it.each([
    ['a text', 'lmdb:./x'],
    ['a misspelt option', { sotre: 'lmdb:./x' }],
    ['physics of another kind', { physics: 'x' }],
  ])('is not opened with %s', async (_, options) => {
    await expect(Stator.open(options as object)).rejects.toThrow(TypeError);
  });

  it('is not opened in no directory', async () => {
    await expect(Stator.open({ store: 'lmdb:' })).rejects.toThrow('names no store');
  });

  it('that is closed while it begins to listen leaves no server behind', async () => {
    const closed = await Stator.open();
    const refused = expect(closed.listen({ port: 0 })).rejects.toThrow('The database is closed');
    await closed.close();
    await refused;
  });

  it('that is closed says so through every door', async () => {
    const closed = await Stator.open();
    const client = closed.client();
    await closed.close();
    for (const call of [
      () => closed.listTables(),
      () => client.send(new ListTablesCommand({})),
      () => closed.listen({ port: 0 }),
    ])
      await expect(call()).rejects.toThrow('The database is closed');
  });
});

describe('plain methods', () => {
  it('are there for every operation', () => {
    const names = Object.values(allOperations).flatMap((operations) => Object.entries(operations));
    for (const [method, { name }] of names) {
      expect(method).toBe(name.charAt(0).toLowerCase() + name.slice(1));
      expect(db).toHaveProperty(method, expect.any(Function));
    }
  });

  it('put, get and delete items of every type', async () => {
    const Item = {
      ...orderKey('ada', 1),
      bytes: { B: new Uint8Array([1, 2, 250]) },
      sets: { BS: [new Uint8Array([1]), new Uint8Array([2, 3])] },
      list: { L: [{ B: new Uint8Array(0) }, { M: { B: { S: 'an attribute called B' } } }] },
      StartTime: { N: '12' },
      flag: { BOOL: false },
      nothing: { NULL: true },
      names: { SS: ['a', 'b'] },
    };
    expect(await db.putItem({ TableName: 'orders', Item })).toEqual({});
    const found = await db.getItem({ TableName: 'orders', Key: orderKey('ada', 1) });
    expect(found.Item).toEqual(Item);
    expect(found.Item?.bytes?.B).toBeInstanceOf(Uint8Array);
    // What was answered can be sent again.
    await db.putItem({ TableName: 'orders', Item: found.Item! });
    const old = await db.deleteItem({
      TableName: 'orders',
      Key: orderKey('ada', 1),
      ReturnValues: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(old.Attributes).toEqual(Item);
    expect(old.ConsumedCapacity).toEqual({ TableName: 'orders', CapacityUnits: 1 });
    expect(await db.getItem({ TableName: 'orders', Key: orderKey('ada', 1) })).toEqual({});
  });

  it('write and read batches of items, bytes among them', async () => {
    const items = [1, 2, 3].map((order) => ({
      ...orderKey('ada', order),
      bytes: { B: new Uint8Array([order]) },
    }));
    const written = await db.batchWriteItem({
      RequestItems: {
        orders: [
          ...items.map((Item) => ({ PutRequest: { Item } })),
          { DeleteRequest: { Key: orderKey('bob', 1) } },
        ],
      },
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(written).toEqual({
      UnprocessedItems: {},
      ConsumedCapacity: [{ TableName: 'orders', CapacityUnits: 4 }],
    });
    const Keys = [orderKey('ada', 3), orderKey('bob', 1), orderKey('ada', 1)];
    const found = await db.batchGetItem({ RequestItems: { orders: { Keys } } });
    expect(found).toEqual({ Responses: { orders: [items[2], items[0]] }, UnprocessedKeys: {} });
    expect(found.Responses.orders?.[0]?.bytes?.B).toBeInstanceOf(Uint8Array);
  });

  it('take bytes as Buffer and as base64', async () => {
    const Item = { ...orderKey('ada', 1), a: { B: Buffer.from('abc') }, b: { B: 'YWJj' } };
    await db.putItem({ TableName: 'orders', Item });
    const found = await db.getItem({ TableName: 'orders', Key: orderKey('ada', 1) });
    expect(found.Item).toMatchObject({
      a: { B: new Uint8Array([97, 98, 99]) },
      b: { B: new Uint8Array([97, 98, 99]) },
    });
  });

  it('leave out members that are undefined, and leave the request as it was', async () => {
    const Item = { ...orderKey('ada', 1), bytes: { B: new Uint8Array([1]) }, nothing: undefined };
    const request = { TableName: 'orders', Item, ConditionExpression: undefined };
    await db.putItem(request as unknown as Parameters<Stator['putItem']>[0]);
    expect(request).toStrictEqual({ TableName: 'orders', Item, ConditionExpression: undefined });
    expect(request.Item.bytes.B).toBeInstanceOf(Uint8Array);
    const found = await db.getItem({ TableName: 'orders', Key: orderKey('ada', 1) });
    expect(Object.keys(found.Item!).sort()).toEqual(['bytes', 'customer', 'order']);
  });

  it('keep an attribute called __proto__', async () => {
    const Item = JSON.parse(
      '{"customer":{"S":"ada"},"order":{"N":"1"},"__proto__":{"S":"x"},"b":{"B":"AA=="}}',
    );
    await db.putItem({ TableName: 'orders', Item });
    const found = await db.getItem({ TableName: 'orders', Key: orderKey('ada', 1) });
    expect(Object.keys(found.Item!).sort()).toEqual(['__proto__', 'b', 'customer', 'order']);
  });

  it('answer times as dates', async () => {
    const { Table } = await db.describeTable({ TableName: 'orders' });
    expect(Table.CreationDateTime).toBeInstanceOf(Date);
    expect(Table.BillingModeSummary?.LastUpdateToPayPerRequestDateTime).toBeInstanceOf(Date);
    expect(Math.abs(Table.CreationDateTime.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await db.listTables()).toEqual({ TableNames: ['orders'] });
  });

  it('answer nothing where the service answers nothing', async () => {
    const { Table } = await db.describeTable({ TableName: 'orders' });
    const Tags = [{ Key: 'team', Value: 'blue' }];
    expect(await db.tagResource({ ResourceArn: Table.TableArn, Tags })).toEqual({});
    expect(await db.listTagsOfResource({ ResourceArn: Table.TableArn })).toEqual({ Tags });
  });

  it('throw errors that look like those of the SDK', async () => {
    const missing = db.getItem({ TableName: 'missing', Key: orderKey('ada', 1) });
    await expect(missing).rejects.toBeInstanceOf(Error);
    await expect(missing).rejects.toBeInstanceOf(ServiceError);
    await expect(missing).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found',
      $fault: 'client',
      $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9A-V]{52}$/) },
    });
  });

  it('refuse what contains itself', async () => {
    const list: unknown[] = [];
    list.push({ L: list });
    const Item = { ...orderKey('ada', 1), list: { L: list } } as never;
    await expect(db.putItem({ TableName: 'orders', Item })).rejects.toBeInstanceOf(ServiceError);
  });

  it('serve other Regions and accounts', async () => {
    const options = { region: 'eu-west-1', accountId: '123456789012' };
    expect(await db.listTables({}, options)).toEqual({ TableNames: [] });
    await db.createTable({ ...ordersTable, TableName: 'elsewhere' }, options);
    const { Table } = await db.describeTable({ TableName: 'elsewhere' }, options);
    expect(Table.TableArn).toBe('arn:aws:dynamodb:eu-west-1:123456789012:table/elsewhere');
    await expect(db.listTables({}, { region: 'a/b' })).rejects.toBeInstanceOf(TypeError);
  });

  it('tell of trouble with its cause, and log it', async () => {
    const lines: string[] = [];
    const store = new MemoryStore();
    const troubled = await Stator.open({ store, log: (line) => lines.push(line) });
    await troubled.createTable(ordersTable);
    const trouble = new Error('The disk is full');
    store.transact = () => {
      throw trouble;
    };
    await expect(troubled.putItem({ TableName: 'orders', Item: orderKey('a', 1) })).rejects.toMatchObject({
      name: 'InternalServerError',
      $fault: 'server',
      cause: trouble,
    });
    expect(lines.join()).toContain('The disk is full');
  });
});

describe('forks', () => {
  it('see the past of their origin and nothing of its future', async () => {
    await db.putItem({ TableName: 'orders', Item: orderKey('ada', 1) });
    const fork = db.fork();
    await fork.putItem({ TableName: 'orders', Item: orderKey('ada', 2) });
    await db.putItem({ TableName: 'orders', Item: orderKey('ada', 3) });
    const has = async (of: Stator, order: number) =>
      (await of.getItem({ TableName: 'orders', Key: orderKey('ada', order) })).Item !== undefined;
    expect([await has(fork, 1), await has(fork, 2), await has(fork, 3)]).toEqual([true, true, false]);
    expect([await has(db, 1), await has(db, 2), await has(db, 3)]).toEqual([true, false, true]);
    await fork.deleteTable({ TableName: 'orders' });
    expect(await has(db, 1)).toBe(true);
    await fork.close();
    expect(await has(db, 1)).toBe(true);
  });

  it('of a seeded database never draw the id of a table that they already have', async () => {
    const seeded = await Stator.open({ seed: 1 });
    await seeded.createTable(ordersTable);
    await seeded.putItem({ TableName: 'orders', Item: orderKey('ada', 1) });
    const fork = seeded.fork();
    await fork.createTable({ ...ordersTable, TableName: 'others' });
    const found = await fork.getItem({ TableName: 'others', Key: orderKey('ada', 1) });
    expect(found.Item).toBeUndefined();
    const ids = await Promise.all(
      ['orders', 'others'].map(async (TableName) => (await fork.describeTable({ TableName })).Table.TableId),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('are refused where the store cannot be copied', async () => {
    const directory = await newDirectory();
    const other = await Stator.open({ store: { directory } });
    onTestFinished(async () => {
      await other.close();
      await rm(directory, { recursive: true });
    });
    expect(() => other.fork()).toThrow('Only a database in memory can be forked');
  });
});
