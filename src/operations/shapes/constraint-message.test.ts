import { expect, test } from 'vitest';
import { DynamoError } from '../../model/errors.ts';
import { batchGetItemShape } from '../batches/batch-get-item.ts';
import { batchWriteItemShape } from '../batches/batch-write-item.ts';
import { deleteItemShape } from '../items/delete-item.ts';
import { getItemShape } from '../items/get-item.ts';
import { putItemShape } from '../items/put-item.ts';
import { updateItemShape } from '../items/update-item.ts';
import { queryShape } from '../search/query.ts';
import { scanShape } from '../search/scan.ts';
import { createTableShape } from '../tables/create-table.ts';
import { describeTableShape } from '../tables/describe-table.ts';
import { listTablesShape } from '../tables/list-tables.ts';
import { tagResourceShape } from '../tables/tag-resource.ts';
import { updateTableShape } from '../tables/update-table.ts';
import { updateTimeToLiveShape } from '../tables/update-time-to-live.ts';
import { transactWriteItemsShape } from '../transactions/transact-write-items.ts';
import { inputShape } from './input-shape.ts';

function message(shape: { check(body: unknown): unknown }, body: unknown): string | undefined {
  const result = shape.check(body);
  if (!(result instanceof DynamoError)) return undefined;
  expect(result.name).toBe('ValidationException');
  return result.message;
}

const broken = 'failed to satisfy constraint: Member must';
const enumOf = (values: string) => `${broken} satisfy enum value set: [${values}]`;
const pattern = `${broken} satisfy regular expression pattern: [a-zA-Z0-9_.-]+`;
const long256 = 'a'.repeat(256);
const item = { pk: { S: 'x' } };
const one = '1 validation error detected: ';

/** An operation of each layer with the same members. */
const olderPut = inputShape('PutItem', Object.fromEntries(putItemShape.shape.members), { layer: 'older' });

const cases: [string, { check(body: unknown): unknown }, unknown, string][] = [
  // Captured from the service, 20 September 2026 (eu-west-2) and 7 October 2026 (33 Regions).
  [
    'PutItem without table',
    putItemShape,
    { Item: item },
    `${one}Value null at 'tableName' ${broken} not be null`,
  ],
  [
    'PutItem, empty table name',
    putItemShape,
    { TableName: '', Item: {} },
    `${one}Value at 'TableName' ${broken} have length greater than or equal to 1`,
  ],
  [
    'PutItem, empty table name and a wrong enum',
    putItemShape,
    { TableName: '', ReturnValues: 'INVALID', Item: {} },
    `${one}Value at 'TableName' ${broken} have length greater than or equal to 1`,
  ],
  [
    'the same in a Region of the older layer',
    olderPut,
    { TableName: '', ReturnValues: 'INVALID', Item: {} },
    `2 validation errors detected: Value 'INVALID' at 'returnValues' ${enumOf('ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW')}; Value '' at 'tableName' ${broken} have length greater than or equal to 1`,
  ],
  [
    'PutItem, overlong table name',
    putItemShape,
    { TableName: long256, Item: item },
    `${one}Value '${long256}' at 'tableName' ${broken} have length less than or equal to 255`,
  ],
  [
    'PutItem, wrong characters',
    putItemShape,
    { TableName: 'bad table!@#', Item: item },
    `${one}Value 'bad table!@#' at 'tableName' ${pattern}`,
  ],
  [
    'PutItem, three wrong enums',
    putItemShape,
    {
      TableName: 'abc',
      Item: item,
      ReturnConsumedCapacity: 'X',
      ReturnItemCollectionMetrics: 'X',
      ReturnValues: 'X',
    },
    `3 validation errors detected: Value 'X' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}; Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; Value 'X' at 'returnItemCollectionMetrics' ${enumOf('SIZE, NONE')}`,
  ],
  [
    'DeleteItem, two wrong enums',
    deleteItemShape,
    { TableName: 'abc', Key: item, ReturnValues: 'INVALID', ReturnConsumedCapacity: 'INVALID' },
    `2 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}; Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]`,
  ],
  [
    'DeleteItem, wrong ConditionalOperator',
    deleteItemShape,
    { TableName: 'abc', Key: item, ConditionalOperator: 'NOR' },
    `${one}Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]`,
  ],
  [
    'UpdateItem stops at the first enum',
    updateItemShape,
    { TableName: 'abc', Key: item, ReturnValues: 'INVALID', ReturnConsumedCapacity: 'INVALID' },
    `${one}Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]`,
  ],
  [
    'UpdateItem without key falls back to the older words',
    updateItemShape,
    { TableName: '', ReturnConsumedCapacity: 'X', ReturnItemCollectionMetrics: 'X', ReturnValues: 'X' },
    `5 validation errors detected: Value 'X' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}; Value 'X' at 'returnItemCollectionMetrics' ${enumOf('SIZE, NONE')}; Value '' at 'tableName' ${broken} have length greater than or equal to 1; Value 'X' at 'returnValues' ${enumOf('ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW')}; Value null at 'key' ${broken} not be null`,
  ],
  [
    'UpdateItem without key and with a wrong ConditionalOperator',
    updateItemShape,
    { TableName: 'abc', ConditionalOperator: 'XOR' },
    `2 validation errors detected: Value 'XOR' at 'conditionalOperator' ${enumOf('OR, AND')}; Value null at 'key' ${broken} not be null`,
  ],
  [
    'Query says a wrong ConditionalOperator without envelope',
    queryShape,
    { TableName: 'abc', ConditionalOperator: 'NOR' },
    'Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]',
  ],
  [
    'Query, Limit 0',
    queryShape,
    { TableName: 'abc', Limit: 0 },
    `${one}Value at 'Limit' ${broken} have value greater than or equal to 1`,
  ],
  [
    'Scan, Limit 0',
    scanShape,
    { TableName: 'abc', Limit: 0 },
    `${one}Value '0' at 'limit' ${broken} have value greater than or equal to 1`,
  ],
  [
    'GetItem, empty AttributesToGet',
    getItemShape,
    { TableName: 'abc', Key: item, AttributesToGet: [] },
    `${one}Value at 'AttributesToGet' ${broken} have length greater than or equal to 1`,
  ],
  [
    'BatchGetItem, no tables',
    batchGetItemShape,
    { RequestItems: {} },
    `${one}Value at 'RequestItems' ${broken} have length greater than or equal to 1`,
  ],
  [
    'BatchGetItem, 101 keys',
    batchGetItemShape,
    { RequestItems: { T: { Keys: Array.from({ length: 101 }, () => item) } } },
    `${one}Value at 'RequestItems.T.member.Keys' ${broken} have length less than or equal to 100`,
  ],
  [
    'BatchWriteItem, no tables',
    batchWriteItemShape,
    { RequestItems: {} },
    'The requestItems parameter is required for BatchWriteItem',
  ],
  [
    'BatchWriteItem, 26 writes',
    batchWriteItemShape,
    {
      RequestItems: {
        Tab: Array.from({ length: 26 }, () => ({ PutRequest: { Item: item } })),
      },
    },
    `${one}Value '{Tab=[${Array.from(
      { length: 26 },
      () =>
        'WriteRequest(putRequest=PutRequest(item={pk=AttributeValue(s=x, n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=null, nULL=null, bOOL=null)}, workloadProfileName=null), deleteRequest=null)',
    ).join(
      ', ',
    )}]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]`,
  ],
  [
    'BatchWriteItem, wrong table name and wrong enum',
    batchWriteItemShape,
    { RequestItems: { 'a;': [{ DeleteRequest: { Key: {} } }] }, ReturnConsumedCapacity: 'X' },
    `${one}Value 'X' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}`,
  ],
  [
    'BatchGetItem, wrong table name and wrong enum',
    batchGetItemShape,
    { RequestItems: { 'bad!name': { Keys: [{ pk: { S: 'a' } }] } }, ReturnConsumedCapacity: 'X' },
    `2 validation errors detected: Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]; Value 'X' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}`,
  ],
  [
    'BatchWriteItem, wrong table name',
    batchWriteItemShape,
    { RequestItems: { 'a;': [{ DeleteRequest: { Key: {} } }] } },
    `${one}Value '{a;=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={}))]}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]`,
  ],
  [
    'BatchWriteItem, a put without item',
    batchWriteItemShape,
    { RequestItems: { Tab: [{ PutRequest: {} }] } },
    `${one}Value null at 'requestItems.Tab.member.1.member.putRequest.item' ${broken} not be null`,
  ],
  [
    'TransactWriteItems, no actions',
    transactWriteItemsShape,
    { TransactItems: [] },
    `${one}Value '[]' at 'transactItems' ${broken} have length greater than or equal to 1`,
  ],
  [
    'TransactWriteItems, token and capacity and an action',
    transactWriteItemsShape,
    { TransactItems: [{ Put: { TableName: 'x' } }], ClientRequestToken: '', ReturnConsumedCapacity: 'X' },
    `3 validation errors detected: Value '' at 'clientRequestToken' ${broken} have length greater than or equal to 1; Value 'X' at 'returnConsumedCapacity' ${enumOf('INDEXES, TOTAL, NONE')}; Value null at 'transactItems.1.member.put.item' ${broken} not be null`,
  ],

  // The control plane, all in the older layer.
  [
    'CreateTable without table name',
    createTableShape,
    { KeySchema: [] },
    "The parameter 'TableName' is required but was not present in the request",
  ],
  [
    'DescribeTable without table name',
    describeTableShape,
    {},
    "The parameter 'TableName' is required but was not present in the request",
  ],
  [
    'CreateTable, short name',
    createTableShape,
    { TableName: 'ab' },
    `${one}Value 'ab' at 'tableName' ${broken} have length greater than or equal to 3`,
  ],
  [
    'UpdateTable, short name',
    updateTableShape,
    { TableName: 'ab', WarmThroughput: {} },
    `${one}Value 'ab' at 'tableName' ${broken} have length greater than or equal to 3`,
  ],
  [
    'CreateTable, three keys',
    createTableShape,
    {
      TableName: 'abc',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
        { AttributeName: 'extra', KeyType: 'RANGE' },
      ],
    },
    `${one}Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' ${broken} have length less than or equal to 2`,
  ],
  [
    'CreateTable, many at once',
    createTableShape,
    {
      TableName: 'abc',
      AttributeDefinitions: [{ AttributeName: 'b', AttributeType: 'SS' }],
      KeySchema: [],
      ProvisionedThroughput: { ReadCapacityUnits: -1, WriteCapacityUnits: -1 },
      BillingMode: 'A',
    },
    `5 validation errors detected: Value 'SS' at 'attributeDefinitions.1.member.attributeType' ${enumOf('B, N, S')}; Value 'A' at 'billingMode' ${enumOf('PROVISIONED, PAY_PER_REQUEST')}; Value '-1' at 'provisionedThroughput.writeCapacityUnits' ${broken} have value greater than or equal to 1; Value '-1' at 'provisionedThroughput.readCapacityUnits' ${broken} have value greater than or equal to 1; Value '[]' at 'keySchema' ${broken} have length greater than or equal to 1`,
  ],
  [
    'CreateTable, a wrong key type',
    createTableShape,
    { TableName: 'abc', KeySchema: [{ AttributeName: 'pk', KeyType: 'INVALID' }] },
    `${one}Value 'INVALID' at 'keySchema.1.member.keyType' ${enumOf('HASH, RANGE')}`,
  ],
  [
    'CreateTable, index names with two defects, GSIs before LSIs',
    createTableShape,
    {
      TableName: 'abc',
      LocalSecondaryIndexes: [{ IndexName: 'h;', KeySchema: [], Projection: {} }],
      GlobalSecondaryIndexes: [
        {
          IndexName: long256,
          KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
          Projection: { NonKeyAttributes: [], ProjectionType: 'abc' },
        },
      ],
    },
    `6 validation errors detected: Value '${long256}' at 'globalSecondaryIndexes.1.member.indexName' ${broken} have length less than or equal to 255; Value 'abc' at 'globalSecondaryIndexes.1.member.projection.projectionType' ${enumOf('ALL, INCLUDE, KEYS_ONLY')}; Value '[]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' ${broken} have length greater than or equal to 1; Value 'h;' at 'localSecondaryIndexes.1.member.indexName' ${pattern}; Value 'h;' at 'localSecondaryIndexes.1.member.indexName' ${broken} have length greater than or equal to 3; Value '[]' at 'localSecondaryIndexes.1.member.keySchema' ${broken} have length greater than or equal to 1`,
  ],
  [
    'CreateTable, no more than ten are listed',
    createTableShape,
    { TableName: 'abc', LocalSecondaryIndexes: [{}, {}, {}, {}, {}] },
    `10 validation errors detected: ${[1, 2, 3]
      .flatMap((i) => ['indexName', 'keySchema', 'projection'].map((member) => `${i}.member.${member}`))
      .concat('4.member.indexName')
      .map((path) => `Value null at 'localSecondaryIndexes.${path}' ${broken} not be null`)
      .join('; ')}`,
  ],
  [
    'ListTables, empty start and Limit',
    listTablesShape,
    { ExclusiveStartTableName: '', Limit: 101 },
    `3 validation errors detected: Value '' at 'exclusiveStartTableName' ${pattern}; Value '' at 'exclusiveStartTableName' ${broken} have length greater than or equal to 3; Value '101' at 'limit' ${broken} have value less than or equal to 100`,
  ],
  [
    'UpdateTimeToLive, empty specification',
    updateTimeToLiveShape,
    { TableName: 'abc', TimeToLiveSpecification: {} },
    `2 validation errors detected: Value null at 'timeToLiveSpecification.enabled' ${broken} not be null; Value null at 'timeToLiveSpecification.attributeName' ${broken} not be null`,
  ],
  ['TagResource without resource', tagResourceShape, {}, 'Invalid TableArn'],
  [
    'TagResource without tags',
    tagResourceShape,
    { ResourceArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/T' },
    `${one}Value null at 'tags' ${broken} not be null`,
  ],
  [
    'an ARN that is too long',
    describeTableShape,
    { TableName: `arn:${'a'.repeat(1021)}` },
    `${one}Value 'arn:${'a'.repeat(1021)}' at 'tableName' ${broken} have length less than or equal to 1024`,
  ],
];

test.each(cases)('%s', (_, shape, body, text) => {
  expect(message(shape, body)).toBe(text);
});

test('an ARN stands for a table name', () => {
  const TableName = `arn:aws:dynamodb:eu-west-1:000000000000:table/${'a'.repeat(255)}`;
  expect(putItemShape.check({ TableName, Item: {} })).toEqual({ TableName, Item: {} });
  expect(describeTableShape.check({ TableName })).toEqual({ TableName });
});
