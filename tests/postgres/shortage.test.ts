import { afterEach, expect, test } from 'vitest';
import { Stator } from '../../src/index.ts';
import type { Store } from '../../src/storage/store.ts';
import { holdRow, until, waitingStatements } from './held-row.ts';
import { startPostgres } from './server.ts';
import { freshSchema, openTestStore } from './test-store.ts';
import { increment, valueAt } from './units.ts';

const opened: Store[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

/** A store whose server has no memory for the first swaps. */
async function openShort(swapsRefused: number) {
  let swaps = 0;
  const store = await openTestStore({
    onRoundTrip(statement) {
      if (statement.startsWith('swap') && ++swaps <= swapsRefused)
        throw Object.assign(new Error('out of shared memory'), { code: '53200', severity: 'ERROR' });
    },
  });
  opened.push(store);
  return { store, swaps: () => swaps };
}

test('a server without memory for a unit is asked again, after a while', async () => {
  const { store, swaps } = await openShort(3);
  await store.transact(increment('a'));
  expect(swaps()).toBe(4);
  expect(await valueAt(store, 'a')).toBe('1');
});

test('a server that stays without memory is not asked for ever', async () => {
  const { store, swaps } = await openShort(Number.POSITIVE_INFINITY);
  await expect(store.transact(increment('a'))).rejects.toMatchObject({
    trouble: 'contention',
    message: 'PostgreSQL: out of shared memory',
  });
  expect(swaps()).toBe(20);
});

// Under SERIALIZABLE the server keeps what finished transactions have read for as long as an older one is under way, and
// large batches met "out of shared memory ... max_pred_locks_per_transaction" by the hundred.
test('large batches need no memory for predicate locks', async () => {
  const server = await startPostgres({
    settings: ['max_pred_locks_per_transaction=20', 'max_connections=40'],
  });
  try {
    const schema = freshSchema();
    const db = await Stator.open({ store: { url: server.url, schema } });
    const TableName = 'large';
    await db.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    const write = async (writer: number) => {
      const items = Array.from({ length: 25 }, (_, i) => ({ pk: { S: `${writer}-${i}` } }));
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await db.batchWriteItem({ RequestItems: { [TableName]: requests } });
      expect(UnprocessedItems).toEqual({});
    };
    const writers = Array.from({ length: 100 }, (_, writer) => writer);
    await db.putItem({ TableName, Item: { pk: { S: 'held-item' } } });
    await Promise.all(writers.map(write));
    const row = await holdRow(schema, 'held-item', server.url);
    const stalled = db.updateItem({
      TableName,
      Key: { pk: { S: 'held-item' } },
      UpdateExpression: 'ADD n :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    });
    await until(async () => (await waitingStatements(schema, server.url)) === 1);
    for (let round = 0; round < 3; round++) await Promise.all(writers.map(write));
    await row.release();
    await stalled;
    expect((await db.scan({ TableName, Select: 'COUNT' })).Count).toBe(2_501);
    await db.close();
  } finally {
    await server.stop();
  }
});
