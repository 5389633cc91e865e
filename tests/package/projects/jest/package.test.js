const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { DynamoDBClient, ListTablesCommand } = require('@aws-sdk/client-dynamodb');
const { ServiceError, Stator, VirtualClock } = require('stator');
const testing = require('stator/testing');
const ordersTable = require('../orders-table.json');

test('both entries of the package have the same classes', async () => {
  expect(testing.VirtualClock).toBe(VirtualClock);
  const base = await testing.testDatabase({ tables: [ordersTable], clock: new VirtualClock(0) });
  expect(base.db).toBeInstanceOf(Stator);
  await expect(base.db.deleteTable({ TableName: 'nothing' })).rejects.toBeInstanceOf(ServiceError);
  await base.close();
});

test('the client is that of the SDK which the tests load', async () => {
  const db = await Stator.open();
  expect(db.client()).toBeInstanceOf(DynamoDBClient);
  await db.close();
});

test('a server answers the SDK', async () => {
  const db = await Stator.open();
  await db.createTable(ordersTable);
  const server = await db.listen({ port: 0 });
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const client = new DynamoDBClient({ endpoint: server.url, region: 'us-east-1', credentials });
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual(['orders']);
  client.destroy();
  await db.close();
});

test('data stays on disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stator-test-'));
  const db = await Stator.open({ store: { directory } });
  await db.createTable(ordersTable);
  await db.putItem({ TableName: 'orders', Item: { id: { S: 'kept' } } });
  await db.close();
  const again = await Stator.open({ store: { directory } });
  expect((await again.scan({ TableName: 'orders' })).Items).toEqual([{ id: { S: 'kept' } }]);
  await again.close();
  rmSync(directory, { recursive: true });
});

test('a template in YAML is read', async () => {
  const base = await testing.testDatabase({
    cloudFormation: `
      Resources:
        Orders:
          Type: AWS::DynamoDB::Table
          Properties:
            TableName: !Sub 'orders'
            BillingMode: PAY_PER_REQUEST
            AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
            KeySchema: [{ AttributeName: id, KeyType: HASH }]`,
  });
  expect((await base.db.listTables()).TableNames).toEqual(['orders']);
  await base.close();
});

test('a package that is not installed is named', async () => {
  await expect(Stator.open({ store: 'postgres://127.0.0.1/none' })).rejects.toThrow('npm install pg');
});

test('expired items are deleted when the clock moves', async () => {
  const clock = new VirtualClock(Date.parse('2026-01-01'));
  const db = await Stator.open({ clock });
  await db.createTable(ordersTable);
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'until' };
  await db.updateTimeToLive({ TableName: 'orders', TimeToLiveSpecification });
  const until = { N: String(clock.nowMs() / 1000 + 60) };
  await db.putItem({ TableName: 'orders', Item: { id: { S: 'a' }, until } });
  clock.advanceMs(120_000);
  await db.settled();
  expect((await db.scan({ TableName: 'orders' })).Count).toBe(0);
  await db.close();
});

test('mistakes are told in one sentence', async () => {
  await expect(Stator.open({ stor: 'memory' })).rejects.toThrow('did you mean "store"?');
  expect(() => new VirtualClock()).toThrow('Date.parse');
});
