import type { TableDescription } from '../../data/tables.ts';
import { attributeType, keyNames } from '../../data/tables.ts';

/** What of operations the Query page knows. Every other operation can be typed by its name. */

/** `statement` is PartiQL; the others are operations with a JSON body. */
export const statementMode = 'PartiQL';

const reads = new Set([
  ...['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems', 'ListTables', 'ListTagsOfResource'],
]);

export function isRead(operation: string): boolean {
  return reads.has(operation) || /^(Describe|List|Get)/.test(operation);
}

export const operations: readonly string[] = [
  ...['Query', 'Scan', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'BatchWriteItem'],
  ...['TransactGetItems', 'TransactWriteItems', 'ExecuteTransaction', 'BatchExecuteStatement'],
  ...[
    'DescribeTable',
    'UpdateTable',
    'ListTables',
    'DescribeTimeToLive',
    'UpdateTimeToLive',
    'DescribeLimits',
  ],
];

const search = [
  ...['TableName', 'IndexName', 'FilterExpression', 'ProjectionExpression', 'ExpressionAttributeNames'],
  ...[
    'ExpressionAttributeValues',
    'Select',
    'Limit',
    'ExclusiveStartKey',
    'ConsistentRead',
    'ReturnConsumedCapacity',
  ],
];
const write = [
  ...[
    'TableName',
    'ConditionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ReturnValues',
  ],
  ...['ReturnConsumedCapacity', 'ReturnItemCollectionMetrics', 'ReturnValuesOnConditionCheckFailure'],
];

const parameters: Readonly<Record<string, readonly string[]>> = {
  Query: [...search, 'KeyConditionExpression', 'ScanIndexForward'],
  Scan: [...search, 'Segment', 'TotalSegments'],
  GetItem: [
    'TableName',
    'Key',
    'ProjectionExpression',
    'ExpressionAttributeNames',
    'ConsistentRead',
    'ReturnConsumedCapacity',
  ],
  PutItem: [...write, 'Item'],
  UpdateItem: [...write, 'Key', 'UpdateExpression'],
  DeleteItem: [...write, 'Key'],
  BatchGetItem: ['RequestItems', 'ReturnConsumedCapacity', 'Keys'],
  BatchWriteItem: ['RequestItems', 'ReturnConsumedCapacity', 'PutRequest', 'DeleteRequest', 'Item', 'Key'],
  TransactGetItems: ['TransactItems', 'Get', 'TableName', 'Key', 'ReturnConsumedCapacity'],
  TransactWriteItems: [
    ...[
      'TransactItems',
      'Put',
      'Update',
      'Delete',
      'ConditionCheck',
      'TableName',
      'Item',
      'Key',
      'UpdateExpression',
    ],
    ...['ConditionExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues', 'ClientRequestToken'],
  ],
};

export function parametersOf(operation: string): readonly string[] {
  return parameters[operation] ?? ['TableName', 'Limit', 'ReturnConsumedCapacity'];
}

/** A request to begin with, for a table. */
export function templateOf(operation: string, table: TableDescription): string {
  const { TableName } = table;
  const { hash, range } = keyNames(table);
  const value = (name: string, text: string) => {
    const type = attributeType(table, name) ?? 'S';
    return { [type]: type === 'N' ? '0' : text };
  };
  const Key = { [hash]: value(hash, '…'), ...(range !== undefined && { [range]: value(range, '…') }) };
  const quoted = `"${TableName.replaceAll('"', '""')}"`;
  switch (operation) {
    case statementMode:
      // Binary has no literal in PartiQL.
      return attributeType(table, hash) === 'B'
        ? `SELECT * FROM ${quoted}`
        : `SELECT * FROM ${quoted} WHERE "${hash}" = ${attributeType(table, hash) === 'N' ? '0' : "'…'"}`;
    case 'Query':
      return json({
        TableName,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': hash },
        ExpressionAttributeValues: { ':pk': value(hash, '…') },
        Limit: 100,
      });
    case 'Scan':
      return json({ TableName, Limit: 100 });
    case 'GetItem':
    case 'DeleteItem':
      return json({ TableName, Key });
    case 'PutItem':
      return json({
        TableName,
        Item: Key,
        ConditionExpression: 'attribute_not_exists(#pk)',
        ExpressionAttributeNames: { '#pk': hash },
      });
    case 'UpdateItem':
      return json({
        TableName,
        Key,
        UpdateExpression: 'SET #a = :a',
        ExpressionAttributeNames: { '#a': 'attribute' },
        ExpressionAttributeValues: { ':a': { S: '…' } },
      });
    case 'BatchGetItem':
      return json({ RequestItems: { [TableName]: { Keys: [Key] } } });
    case 'BatchWriteItem':
      return json({ RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } });
    case 'TransactGetItems':
      return json({ TransactItems: [{ Get: { TableName, Key } }] });
    case 'TransactWriteItems':
      return json({ TransactItems: [{ Put: { TableName, Item: Key } }] });
    case 'ListTables':
    case 'DescribeLimits':
      return '{}';
    default:
      return json({ TableName });
  }
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
