import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type AttributeMap, Stator, type StatorOptions, VirtualClock } from 'stator';

import stator = require('stator');

import { forkPerTest, type Hooks } from 'stator/testing';

const options: Omit<StatorOptions, 'store'> = { clock: new VirtualClock(0) };
const hooks: Hooks = { beforeAll, beforeEach, afterAll };
const ordersTable = {
  TableName: 'orders',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};
const db: Stator = forkPerTest({ tables: [ordersTable], ...options }, hooks);

test.each([1, 2])('begins with what was built, time %i', async () => {
  const Item: AttributeMap = { id: { S: 'mine' } };
  await db.putItem({ TableName: 'orders', Item, ConditionExpression: 'attribute_not_exists(id)' });
  expect((await db.getItem({ TableName: 'orders', Key: Item })).Item?.id?.S).toBe('mine');
});

test('import and require give the same', () => {
  expect(stator.Stator).toBe(Stator);
});

export async function refused(): Promise<void> {
  // @ts-expect-error An attribute value is not a bare string.
  await db.putItem({ TableName: 'orders', Item: { id: 'mine' } });
  // @ts-expect-error The option is misspelt.
  await Stator.open({ stor: 'memory' });
}
