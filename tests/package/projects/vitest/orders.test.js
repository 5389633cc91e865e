import { createRequire } from 'node:module';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Stator } from 'stator';
import { forkPerTest } from 'stator/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import ordersTable from '../orders-table.json';

const db = forkPerTest({ tables: [ordersTable] }, { beforeAll, beforeEach, afterAll });
const client = db.documentClient();

test.each([1, 2])('begins with what was built, time %i', async () => {
  const get = new GetCommand({ TableName: 'orders', Key: { id: 'mine' } });
  expect((await client.send(get)).Item).toBeUndefined();
  await client.send(new PutCommand({ TableName: 'orders', Item: { id: 'mine' } }));
  expect((await client.send(get)).Item).toEqual({ id: 'mine' });
});

test('the client is that of the SDK which the tests load', () => {
  expect(db).toBeInstanceOf(Stator);
  expect(db.client()).toBeInstanceOf(DynamoDBClient);
});

test('CommonJS in the same process has the same classes', () => {
  expect(createRequire(import.meta.url)('stator').Stator).toBe(Stator);
});
