import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { forkPerTest, testDatabase } from '../../../src/testing/index.ts';
import { orderKey, ordersTable } from '../orders-table.ts';

/** A suite for Node's own runner, which the test that starts it expects to pass. */

const base = await testDatabase({
  tables: ordersTable,
  setup: ({ db }) => db.putItem({ TableName: 'orders', Item: orderKey('seed', 1) }),
});
const db = forkPerTest(base, { before, beforeEach, after });
const client = db.client();

for (const order of [2, 3]) {
  void test(`begins with what was built, time ${order}`, async () => {
    const { GetItemCommand, PutItemCommand } = await import('@aws-sdk/client-dynamodb');
    const has = async (key: ReturnType<typeof orderKey>) =>
      (await client.send(new GetItemCommand({ TableName: 'orders', Key: key }))).Item !== undefined;
    assert.equal(await has(orderKey('seed', 1)), true);
    assert.equal(await has(orderKey('test', 1)), false);
    await client.send(new PutItemCommand({ TableName: 'orders', Item: orderKey('test', 1) }));
    assert.equal(await has(orderKey('test', 1)), true);
  });
}
