import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wholeRequest } from '../../benchmarks/http/in-process.ts';
import { Stator } from '../../src/index.ts';

/** Strings of a request are parts of its body. Nothing that a database remembers may keep bodies in memory. */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const warmUp = 50;
const bodies = 400;
const filling = 'x'.repeat(60_000);
let db: Stator;

beforeAll(async () => {
  db = await Stator.open();
  await db.createTable({
    TableName: 'items',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
});

afterAll(() => db.close());

function usedMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

const item = { pk: { S: 'a' }, filling: { S: filling } };
const key = { pk: { S: 'a' } };

it.each<[string, string, (i: number) => object, number?]>([
  ['missing tables', 'GetItem', (i) => ({ TableName: `missing-table-number-${i}`, Key: key, filling })],
  [
    'conditions',
    'PutItem',
    (i) => ({ TableName: 'items', Item: item, ConditionExpression: `attribute_not_exists(some_name_${i})` }),
  ],
  [
    'updates',
    'UpdateItem',
    (i) => ({ TableName: 'items', Key: key, UpdateExpression: `REMOVE some_attribute_${i}`, filling }),
  ],
  [
    'projections',
    'GetItem',
    (i) => ({ TableName: 'items', Key: key, ProjectionExpression: `some_attribute_${i}`, filling }),
  ],
  [
    'statements',
    'ExecuteStatement',
    (i) => ({ Statement: `SELECT * FROM items WHERE pk = 'value ${i}'`, filling }),
  ],
  [
    'names of attributes',
    'PutItem',
    (i) => ({ TableName: 'items', Item: { ...item, [`a_longer_name_of_an_attribute_${i}`]: { S: 'x' } } }),
  ],
  [
    'keys',
    'PutItem',
    (i) => ({ TableName: 'items', Item: { ...item, pk: { S: `a-partition-key-of-number-${i % 20}` } } }),
  ],
  [
    'names that an update adds, of items with so many of them',
    'UpdateItem',
    (i) => {
      const names = Array.from({ length: (i % 60) + 1 }, (_, k) => [
        `#n${k}`,
        `a_longer_name_${i}_${60 - k}`,
      ]);
      return {
        TableName: 'items',
        Key: { pk: { S: `updated-${i}` } },
        UpdateExpression: `SET ${names.map(([reference]) => `${reference} = :v`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(names),
        ExpressionAttributeValues: { ':v': { BOOL: true } },
        filling: i < warmUp ? '' : filling,
      };
    },
    // One body for each number of names would be 3.6 MB.
    2.5,
  ],
])('keeps no bodies for the sake of %s', async (_, operation, input, mbMax = 8) => {
  const send = async (from: number, to: number) => {
    for (let i = from; i < to; i++) await wholeRequest(db, operation, input(i)).catch(() => undefined);
  };
  await send(0, warmUp);
  const before = usedMb();
  await send(warmUp, warmUp + bodies);
  // All of them would be 24 MB.
  expect(usedMb() - before).toBeLessThan(mbMax);
});
