import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type VirtualClock } from '../../src/index.ts';
import { opened, tableWith } from './load.ts';

const TableName = 'Tracking';
const Key = { pk: { S: 'a' }, sk: { S: '1' } };
const key = { TableName, Key };
const put = () => new PutItemCommand({ TableName, Item: Key });
const transactPut = () =>
  new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: Key } }] });
const transactGet = () => new TransactGetItemsCommand({ TransactItems: [{ Get: key }] });
const conflict = {
  name: 'TransactionCanceledException',
  CancellationReasons: [{ Code: 'TransactionConflict' }],
};

/** Sends two requests in one turn of the event loop: the second meets the first under way. */
async function meet(first: Promise<unknown>, second: Promise<unknown>): Promise<unknown[]> {
  return (await Promise.allSettled([first, second])).map((result) =>
    result.status === 'fulfilled' ? 'done' : result.reason,
  );
}

let db: Stator;
let clock: VirtualClock;
afterEach(() => db.close());

describe('in enforce, what the three kinds of conflict are', () => {
  beforeEach(async () => {
    ({ db, clock } = await opened(tableWith(), { physics: 'enforce' }));
  });
  const client = () => db.client({ maxAttempts: 1 });

  for (const [name, write] of [
    ['PutItem', put],
    [
      'UpdateItem',
      () =>
        new UpdateItemCommand({
          ...key,
          UpdateExpression: 'SET a = :a',
          ExpressionAttributeValues: { ':a': { N: '1' } },
        }),
    ],
    ['DeleteItem', () => new DeleteItemCommand(key)],
    [
      'BatchWriteItem',
      () => new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } }),
    ],
    [
      'ExecuteStatement',
      () => new ExecuteStatementCommand({ Statement: `UPDATE ${TableName} SET b=1 WHERE pk='a' AND sk='1'` }),
    ],
    ['TransactWriteItems', transactPut],
  ] as const)
    it(`a TransactGetItems meets a ${name}`, async () => {
      await client().send(put());
      expect(await meet(client().send(write() as never), client().send(transactGet()))).toMatchObject([
        'done',
        conflict,
      ]);
      clock.advanceMs(20);
      await client().send(transactGet());
    });

  it('a single write meets a TransactWriteItems, and a TransactWriteItems meets another', async () => {
    expect(await meet(client().send(transactPut()), client().send(put()))).toMatchObject([
      'done',
      { name: 'TransactionConflictException' },
    ]);
    expect(await meet(client().send(transactPut()), client().send(transactPut()))).toMatchObject([
      'done',
      conflict,
    ]);
  });

  it('and no other: a TransactWriteItems behind a single write, GetItem, other items', async () => {
    const other = new PutItemCommand({ TableName, Item: { ...Key, sk: { S: '2' } } });
    expect(await meet(client().send(put()), client().send(transactPut()))).toEqual(['done', 'done']);
    expect(await meet(client().send(put()), client().send(put()))).toEqual(['done', 'done']);
    expect(await meet(client().send(put()), client().send(new GetItemCommand(key)))).toEqual([
      'done',
      'done',
    ]);
    expect(await meet(client().send(other), client().send(transactGet()))).toEqual(['done', 'done']);
  });
});

it('in shadow nothing conflicts', async () => {
  ({ db, clock } = await opened(tableWith(), {}));
  const client = db.client({ maxAttempts: 1 });
  expect(await meet(client.send(put()), client.send(transactGet()))).toEqual(['done', 'done']);
});

it('on a real clock a write is under way for milliseconds', async () => {
  const effects = { controlPlanePhases: false };
  db = await Stator.open({ physics: { mode: 'enforce', effects } });
  await db.createTable(tableWith() as never);
  const client = db.client({ maxAttempts: 1 });
  expect(await meet(client.send(put()), client.send(transactGet()))).toMatchObject(['done', conflict]);
});
