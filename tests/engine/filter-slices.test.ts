import { expect, it, onTestFinished } from 'vitest';
import { Stator } from '../../src/index.ts';
import { stepsAtOnceMax, stepsPerSlice } from '../../src/model/slices.ts';
import { heldFor } from '../held-steps.ts';

/** The most expensive filters: as many searches as fit, for parts that nearly occur everywhere. */

const partOf = (i: number) => `${'a'.repeat(24)}${i === 99 ? 'z' : `b${i}`}`;
const parts = Array.from({ length: 100 }, (_, i) => partOf(i));
const filter = {
  FilterExpression: parts.map((_, i) => `contains(t,:${i})`).join(' OR '),
  ExpressionAttributeValues: Object.fromEntries(parts.map((part, i) => [`:${i}`, { S: part }])),
};

async function opened(items: number, length = 250_000) {
  const db = await Stator.open({ physics: 'off' });
  onTestFinished(() => db.close());
  await db.createTable({
    TableName: 'pages',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'n', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'n', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  for (let n = 0; n < items; n++)
    await db.putItem({
      TableName: 'pages',
      Item: { pk: { S: 'a' }, n: { N: `${n}` }, t: { S: `${'a'.repeat(length)}${n === 1 ? 'z' : 'b'}` } },
    });
  return db;
}

const query = { KeyConditionExpression: 'pk = :p', ProjectionExpression: 'n' };

it.each<[string, (db: Stator) => Promise<{ Items?: readonly object[] | undefined }>]>([
  [
    'Query',
    (db) =>
      db.query({
        ...{ TableName: 'pages', ...query, ...filter },
        ExpressionAttributeValues: { ':p': { S: 'a' }, ...filter.ExpressionAttributeValues },
      }),
  ],
  ['Scan', (db) => db.scan({ TableName: 'pages', ProjectionExpression: 'n', ...filter })],
  [
    'ExecuteStatement',
    (db) =>
      db.executeStatement({
        Statement: `SELECT n FROM pages WHERE pk = ? AND (${parts.map(() => 'contains(t,?)').join(' OR ')})`,
        Parameters: [{ S: 'a' }, ...parts.map((part) => ({ S: part }))],
      }),
  ],
])('the filter of a %s holds the event loop for a slice at a time', async (_, read) => {
  const db = await opened(3);
  let items: readonly object[] | undefined;
  const { most, total } = await heldFor(async () => {
    items = (await read(db)).Items;
  });
  expect(items).toEqual([{ n: { N: '1' } }]);
  expect(most).toBeLessThan(stepsPerSlice + stepsAtOnceMax);
  expect(total).toBeGreaterThan(10 * stepsPerSlice);
});

it('a page that waits notices that its table is gone', async () => {
  // The page needs a second chunk of entries.
  const db = await opened(1_001, 500);
  const reading = db.scan({ TableName: 'pages', ...filter });
  const outcome = expect(reading).rejects.toThrow('resource not found');
  await db.deleteTable({ TableName: 'pages' });
  await outcome;
});

it('ordinary pages count nothing', async () => {
  const db = await opened(2);
  const { total } = await heldFor(() =>
    db.query({
      ...{ TableName: 'pages', ...query, FilterExpression: '#t < :n' },
      ExpressionAttributeNames: { '#t': 't' },
      ExpressionAttributeValues: { ':p': { S: 'a' }, ':n': { S: 'b' } },
    }),
  );
  expect(total).toBe(0);
});
