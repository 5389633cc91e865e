// Does requests of every kind, so often each, with the package as it is built; see `shapes.ts`.
import { pathToFileURL } from 'node:url';
import { wholeRequest } from '../http/in-process.ts';
import { indexName, Orders, tableDefinition, tableName } from '../http/items.ts';

const [index, count] = [process.argv[2]!, Number(process.argv[3])];
const { Stator } = (await import(pathToFileURL(index).href)) as typeof import('../../src/index.ts');
const orders = new Orders(100, 1);
const TableName = tableName;
const key = (i: number) => orders.key(i % 100);
const values = (i: number) => ({ ':n': { N: String(i) }, ':pk': { S: orders.partitionKey(i % 100) } });
const update = (i: number) => ({
  TableName,
  Key: key(i),
  UpdateExpression: 'SET amount = :n',
  ConditionExpression: 'attribute_exists(pk) AND pk = :pk',
  ExpressionAttributeValues: values(i),
});
const query = (i: number) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk',
  FilterExpression: 'amount <> :n',
  ExpressionAttributeValues: values(i),
  Limit: 3,
});
const ReturnConsumedCapacity = 'INDEXES';
const [one, two] = [(i: number) => key(i), (i: number) => key(i + 50)];

const requests: readonly (readonly [string, (i: number) => object])[] = [
  ['PutItem', (i) => ({ TableName, Item: orders.item(i % 100, i) })],
  ['PutItem', (i) => ({ TableName, Item: orders.item(i % 100, i), ReturnConsumedCapacity })],
  [
    'PutItem',
    (i) => ({ TableName, Item: orders.item(i % 100, i), ConditionExpression: 'attribute_exists(pk)' }),
  ],
  ['GetItem', (i) => ({ TableName, Key: key(i) })],
  ['GetItem', (i) => ({ TableName, Key: key(i), ProjectionExpression: 'note', ReturnConsumedCapacity })],
  ['UpdateItem', update],
  [
    'UpdateItem',
    (i) => ({ TableName, Key: key(i), UpdateExpression: 'REMOVE amount', ReturnValues: 'ALL_NEW' }),
  ],
  ['Query', query],
  ['Query', (i) => ({ Select: 'COUNT', ReturnConsumedCapacity, ...query(i) })],
  [
    'Query',
    (i) => ({
      TableName,
      IndexName: indexName,
      KeyConditionExpression: 'warehouse = :w',
      ExpressionAttributeValues: { ':w': { S: orders.warehouse(i % 100) } },
    }),
  ],
  ['Scan', () => ({ TableName, Limit: 2 })],
  [
    'BatchGetItem',
    (i) => ({ RequestItems: { [TableName]: { Keys: [one(i), two(i)] } }, ReturnConsumedCapacity }),
  ],
  [
    'BatchWriteItem',
    (i) => ({
      RequestItems: {
        [TableName]: [
          { PutRequest: { Item: orders.item(i % 100, i) } },
          { DeleteRequest: { Key: { ...one(i), sk: { S: 'none' } } } },
        ],
      },
      ReturnConsumedCapacity,
    }),
  ],
  [
    'TransactWriteItems',
    (i) => ({
      ClientRequestToken: `token ${i}`,
      TransactItems: [
        { Put: { TableName, Item: orders.item(i % 100, i) } },
        { Update: { ...update(i + 50) } },
        { Delete: { TableName, Key: { ...one(i), sk: { S: 'none' } } } },
        { ConditionCheck: { TableName, Key: key(i + 25), ConditionExpression: 'attribute_exists(pk)' } },
      ],
      ReturnConsumedCapacity,
    }),
  ],
  [
    'TransactGetItems',
    (i) => ({ TransactItems: [{ Get: { TableName, Key: one(i) } }, { Get: { TableName, Key: two(i) } }] }),
  ],
  [
    'ExecuteStatement',
    (i) => ({
      Statement: `SELECT * FROM "${TableName}" WHERE pk = ? AND sk = ?`,
      Parameters: [{ S: orders.partitionKey(i % 100) }, { S: orders.sortKey(i % 100) }],
    }),
  ],
  [
    'ExecuteStatement',
    (i) => ({
      Statement: `SELECT note FROM "${TableName}" WHERE pk = ? AND amount <> ?`,
      Parameters: [{ S: orders.partitionKey(i % 100) }, { N: '1' }],
    }),
  ],
  [
    'ExecuteStatement',
    (i) => ({
      Statement: `UPDATE "${TableName}" SET amount = ? WHERE pk = ? AND sk = ?`,
      Parameters: [{ N: '3' }, { S: orders.partitionKey(i % 100) }, { S: orders.sortKey(i % 100) }],
    }),
  ],
];

const db = await Stator.open();
await db.createTable({
  ...(tableDefinition as unknown as Parameters<typeof db.createTable>[0]),
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
});
for (let i = 0; i < 100; i++) await wholeRequest(db, 'PutItem', { TableName, Item: orders.item(i, 0) });
for (const [operation, input] of requests)
  for (let i = 0; i < count; i++) await wholeRequest(db, operation, input(i));
for (let i = 0; i < count; i++) {
  const copy = db.fork();
  await wholeRequest(copy, 'PutItem', { TableName, Item: orders.item(i % 100, i) });
  await copy.close();
}
await db.close();
