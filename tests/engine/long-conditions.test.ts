import { rm } from 'node:fs/promises';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { Stator, type StoreChoice } from '../../src/index.ts';
import { stepsAtOnceMax, stepsPerSlice } from '../../src/model/slices.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { evaluatedFor, heldFor } from '../held-steps.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { FaultyStore } from '../storage/faulty-store.ts';

/** The most expensive conditions of writes: as many searches as fit, for parts that nearly occur everywhere. */

const partsOf = (count: number) => Array.from({ length: count }, (_, i) => `${'a'.repeat(24)}b${i}c`);
function nothingOf(count: number) {
  const parts = partsOf(count);
  return {
    ConditionExpression: parts.map((_, i) => `NOT contains(t,:${i})`).join(' AND '),
    ExpressionAttributeValues: Object.fromEntries(parts.map((part, i) => [`:${i}`, { S: part }])),
  };
}
const sixty = nothingOf(60);
const ten = nothingOf(10);

const text = (end: string, length = 250_000) => ({ S: `${'a'.repeat(length)}${end}` });
const key = (i: number) => ({ pk: { S: `${i}` } });

async function openedWith(store: StoreChoice, items: number, end = 'b'): Promise<Stator> {
  const db = await Stator.open({ store, physics: 'off' });
  onTestFinished(() => db.close());
  await db.createTable({
    TableName: 'things',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  for (let i = 0; i < items; i++)
    await db.putItem({ TableName: 'things', Item: { ...key(i), t: text(end), n: { N: '1' } } });
  return db;
}

const stores: [string, () => Promise<StoreChoice>][] = [
  ['memory', async () => 'memory'],
  [
    'lmdb',
    async () => {
      const directory = await newDirectory();
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      return { directory };
    },
  ],
  ['postgres', async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
];

const atOnceMax = stepsPerSlice + stepsAtOnceMax;

describe.each(stores)('long conditions on %s', (_, store) => {
  it('of single writes hold the event loop for a slice at a time', async () => {
    const db = await openedWith(await store(), 4);
    const { most, total } = await evaluatedFor(async () => {
      await db.updateItem({
        ...{ TableName: 'things', Key: key(0), ...sixty },
        UpdateExpression: 'SET n = n + :n',
        ExpressionAttributeValues: { ...sixty.ExpressionAttributeValues, ':n': { N: '1' } },
      });
      await db.putItem({ TableName: 'things', Item: { ...key(1), n: { N: '2' } }, ...sixty });
      await db.deleteItem({ TableName: 'things', Key: key(2), ...sixty });
      await db.batchExecuteStatement({
        Statements: [
          {
            Statement: `UPDATE things SET n = 2 WHERE pk = ? AND ${partsOf(60)
              .map(() => 'NOT contains(t,?)')
              .join(' AND ')}`,
            Parameters: [{ S: '3' }, ...partsOf(60).map((S) => ({ S }))],
          },
        ],
      });
    });
    expect(most).toBeLessThan(atOnceMax);
    expect(total).toBeGreaterThan(20 * stepsPerSlice);
    const { Items } = await db.scan({ TableName: 'things', ProjectionExpression: 'pk, n' });
    expect(Items!.map(({ pk, n }) => [pk!.S, n!.N]).sort()).toEqual([
      ['0', '2'],
      ['1', '2'],
      ['3', '2'],
    ]);
  });

  it('of a transaction hold the event loop for a slice at a time', async () => {
    const db = await openedWith(await store(), 20);
    const transaction = (end: string) => ({
      TransactItems: [
        ...Array.from({ length: 19 }, (_, i) => ({
          ConditionCheck: {
            ...{ TableName: 'things', Key: key(i), ...ten },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
          },
        })),
        { Put: { TableName: 'things', Item: { ...key(19), t: { S: end } }, ...ten } },
      ],
    });
    const { most, total } = await evaluatedFor(() => db.transactWriteItems(transaction('done')));
    expect(most).toBeLessThan(atOnceMax);
    expect(total).toBeGreaterThan(20 * stepsPerSlice);
    expect((await db.getItem({ TableName: 'things', Key: key(19) })).Item!.t).toEqual({ S: 'done' });

    await db.putItem({ TableName: 'things', Item: { ...key(7), t: { S: `x${partsOf(1)[0]}` } } });
    const failed = await db.transactWriteItems(transaction('never')).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: Array.from({ length: 20 }, (_, i) =>
        i === 7
          ? { Code: 'ConditionalCheckFailed', Item: { ...key(7), t: { S: `x${partsOf(1)[0]}` } } }
          : { Code: 'None' },
      ),
    });
    expect((await db.getItem({ TableName: 'things', Key: key(19) })).Item!.t).toEqual({ S: 'done' });
  });

  it('are not believed when the item has changed meanwhile', async () => {
    const db = await openedWith(await store(), 1);
    const changed = { ...key(0), t: { S: `x${partsOf(1)[0]}` } };
    const update = db
      .updateItem({
        ...{ TableName: 'things', Key: key(0), ...sixty },
        UpdateExpression: 'SET n = :n',
        ExpressionAttributeValues: { ...sixty.ExpressionAttributeValues, ':n': { N: '9' } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
      .catch((error: unknown) => error);
    const check = db
      .transactWriteItems({
        TransactItems: [
          { ConditionCheck: { TableName: 'things', Key: key(0), ...sixty } },
          { Put: { TableName: 'things', Item: key(5) } },
        ],
      })
      .catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 1));
    await db.putItem({ TableName: 'things', Item: changed });
    // Both were sent before the change and end after it.
    expect(await update).toMatchObject({ name: 'ConditionalCheckFailedException', Item: changed });
    expect(await check).toMatchObject({ name: 'TransactionCanceledException' });
    const { Items } = await db.scan({ TableName: 'things' });
    expect(Items).toEqual([changed]);
  });
});

it('updates of many large items hold the event loop for one item at a time', async () => {
  const db = await openedWith('memory', 0);
  const list = Array.from({ length: 20_000 }, () => ({ BOOL: true }));
  for (let i = 0; i < 20; i++) await db.putItem({ TableName: 'things', Item: { ...key(i), l: { L: list } } });
  const { most, total } = await heldFor(() =>
    db.transactWriteItems({
      TransactItems: Array.from({ length: 20 }, (_, i) => ({
        Update: {
          ...{ TableName: 'things', Key: key(i), UpdateExpression: 'SET l[1] = :l' },
          ExpressionAttributeValues: { ':l': { N: `${i}` } },
        },
      })),
    }),
  );
  expect(most).toBeLessThan(atOnceMax);
  expect(total).toBeGreaterThan(2 * stepsPerSlice);
  for (const i of [0, 19]) {
    const { Item } = await db.getItem({ TableName: 'things', Key: key(i) });
    expect(Item!.l!.L!.slice(0, 3)).toEqual([{ BOOL: true }, { N: `${i}` }, { BOOL: true }]);
    expect(Item!.l!.L).toHaveLength(20_000);
  }
});

it('many units of one group of commits evaluate little each', async () => {
  const directory = await newDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const db = await openedWith({ directory }, 1);
  const { most } = await evaluatedFor(() =>
    Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        db.putItem({
          ...{ TableName: 'things', Item: { ...key(0), t: text('b', 30_000 + i) } },
          ...nothingOf(3),
        }),
      ),
    ),
  );
  expect(most).toBeLessThan(atOnceMax);
});

describe('other writers of the same item', () => {
  const update = (db: Stator) =>
    db.updateItem({
      ...{ TableName: 'things', Key: key(0), ...sixty },
      UpdateExpression: 'SET m = :n',
      ExpressionAttributeValues: { ...sixty.ExpressionAttributeValues, ':n': { N: '9' } },
    });

  /** Adds to the item's counter again and again until the work is done. Returns how often. */
  async function busyUntil(writer: Stator, work: Promise<unknown>): Promise<number> {
    let isDone = false;
    const ended = work.finally(() => (isDone = true)).catch(() => {});
    let count = 0;
    while (!isDone) {
      await writer.updateItem({
        ...{ TableName: 'things', Key: key(0), UpdateExpression: 'ADD n :n' },
        ExpressionAttributeValues: { ':n': { N: '1' } },
      });
      count++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    return count;
  }

  it('of this process wait at the second try, so that none starves', async () => {
    const db = await openedWith('memory', 1);
    const evaluated = update(db);
    const count = await busyUntil(db, evaluated);
    await evaluated;
    const { Item } = await db.getItem({ TableName: 'things', Key: key(0) });
    expect([Item!.m, Item!.n]).toEqual([{ N: '9' }, { N: `${count + 1}` }]);
  });

  it('in a BatchWriteItem wait too', async () => {
    const db = await openedWith('memory', 1);
    let isDone = false;
    const evaluated = update(db).finally(() => (isDone = true));
    let count = 0;
    for (; !isDone; count++) {
      const puts = [0, 1].map((i) => ({
        PutRequest: { Item: { ...key(i), t: text('b'), n: { N: `${count}` } } },
      }));
      const { UnprocessedItems } = await db.batchWriteItem({ RequestItems: { things: puts } });
      expect(UnprocessedItems).toEqual({});
      await new Promise((resolve) => setImmediate(resolve));
    }
    await evaluated;
    const { Items } = await db.scan({ TableName: 'things', ProjectionExpression: 'pk, n, m' });
    const last = { n: { N: `${count - 1}` } };
    expect(Items).toHaveLength(2);
    expect(Items).toEqual(expect.arrayContaining([{ ...key(1), ...last }]));
    // The update followed a put, and a last put may have followed the update.
    const updated = Items!.find(({ pk }) => pk!.S === '0')!;
    expect(updated.m ?? { N: '9' }).toEqual({ N: '9' });
  });

  it('of another process end it in the end', async () => {
    class SharedStore extends FaultyStore {
      override readonly exclusive = false;
    }
    const memory = new MemoryStore();
    const db = await openedWith(new SharedStore(memory) as never, 1);
    const other = await Stator.open({ store: new SharedStore(memory) as never, physics: 'off' });
    onTestFinished(() => other.close());
    const evaluated = update(db);
    const outcome = expect(evaluated).rejects.toThrow();
    const count = await busyUntil(other, evaluated);
    await outcome;
    const { Item } = await other.getItem({ TableName: 'things', Key: key(0) });
    expect([Item!.m, Item!.n]).toEqual([undefined, { N: `${count + 1}` }]);
  });
});

it('a write whose table was replaced during the evaluation is planned again', async () => {
  const db = await openedWith('memory', 1);
  const updated = db.updateItem({
    ...{ TableName: 'things', Key: key(0), ...sixty },
    UpdateExpression: 'SET n = :n',
    ExpressionAttributeValues: { ...sixty.ExpressionAttributeValues, ':n': { N: '9' } },
  });
  const outcome = expect(updated).rejects.toThrow('resource not found');
  await db.deleteTable({ TableName: 'things' });
  await outcome;
});

it('ordinary conditions are evaluated in the unit, once', async () => {
  const memory = new MemoryStore();
  const db = await openedWith(memory as never, 1);
  const spy = vi.spyOn(memory, 'transact');
  const { total } = await heldFor(() =>
    db.updateItem({
      ...{ TableName: 'things', Key: key(0), UpdateExpression: 'SET n = :n' },
      ConditionExpression: 'attribute_exists(pk) AND n < :n',
      ExpressionAttributeValues: { ':n': { N: '7' } },
    }),
  );
  expect(total).toBe(0);
  expect(spy).toHaveBeenCalledOnce();
});
