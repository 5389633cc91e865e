const { forkPerTest } = require('stator/testing');
const { OrderStore } = require('./order-store.js');
const ordersTable = require('../orders-table.json');

const db = forkPerTest(
  {
    tables: [ordersTable],
    setup: ({ db }) => db.putItem({ TableName: 'orders', Item: { id: { S: 'built' } } }),
  },
  { beforeAll, beforeEach, afterAll },
);
const orders = new OrderStore(db.documentClient());

beforeAll(async () => {
  // Written before a test, it would be gone when the test begins.
  await expect(db.putItem({ TableName: 'orders', Item: { id: { S: 'early' } } })).rejects.toThrow(
    'use setup',
  );
});

test.each([1, 2])('begins with what was built, time %i', async () => {
  expect(await orders.find('built')).toEqual({ id: 'built' });
  expect(await orders.find('mine')).toBeUndefined();
  await orders.create({ id: 'mine', lines: [{ price: 3 }], note: Buffer.from('a') });
  expect(await orders.find('mine')).toMatchObject({ id: 'mine', lines: [{ price: 3 }] });
});

test('refuses a second order of the same number', async () => {
  await expect(orders.create({ id: 'built' })).rejects.toThrow('The conditional request failed');
});

test('answers PartiQL, batches and transactions', async () => {
  const statement = { Statement: "SELECT * FROM orders WHERE id = 'built'" };
  expect((await db.executeStatement(statement)).Items).toEqual([{ id: { S: 'built' } }]);
  const put = (id) => ({ Put: { TableName: 'orders', Item: { id: { S: id } } } });
  await db.transactWriteItems({ TransactItems: [put('one'), put('two')] });
  expect((await db.scan({ TableName: 'orders' })).Count).toBe(3);
});
