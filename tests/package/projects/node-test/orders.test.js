import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, beforeEach, test } from 'node:test';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Stator, VirtualClock } from 'stator';
import * as testing from 'stator/testing';

const ordersTable = JSON.parse(readFileSync(new URL('../orders-table.json', import.meta.url), 'utf8'));
const db = testing.forkPerTest({ tables: [ordersTable] }, { before, beforeEach, after });
const client = db.documentClient();

for (const time of [1, 2])
  test(`begins with what was built, time ${time}`, async () => {
    const get = new GetCommand({ TableName: 'orders', Key: { id: 'mine' } });
    assert.equal((await client.send(get)).Item, undefined);
    await client.send(new PutCommand({ TableName: 'orders', Item: { id: 'mine' } }));
    assert.deepEqual((await client.send(get)).Item, { id: 'mine' });
  });

test('import and require give the same classes', () => {
  const require = createRequire(import.meta.url);
  const [common, commonTesting] = [require('stator'), require('stator/testing')];
  assert.equal(common.Stator, Stator);
  assert.equal(commonTesting.forkPerTest, testing.forkPerTest);
  assert.equal(commonTesting.VirtualClock, VirtualClock);
  assert.ok(db instanceof common.Stator);
});
