import { expect, test } from 'vitest';
import { DynamoError } from '../../../model/errors.ts';
import { defaultTableQuotas } from '../../../model/tables/table-quotas.ts';
import { type CreateTableInput, createTableShape } from '../create-table.ts';
import { createTableError } from './create-table-request.ts';

const quota = {
  ...defaultTableQuotas,
  region: 'eu-west-1',
  tableMaxReadCapacityUnits: 40_000,
  tableMaxWriteCapacityUnits: 40_000,
};

const invalid = 'One or more parameter values were invalid: ';
const units = (r: number, w = r) => ({ ReadCapacityUnits: r, WriteCapacityUnits: w });
const define = (...names: string[]) => names.map((name) => ({ AttributeName: name, AttributeType: 'S' }));
const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' });
const range = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' });
const all = { ProjectionType: 'ALL' };
const index = (IndexName: string, KeySchema: object[], more: object = {}) => ({
  IndexName,
  KeySchema,
  Projection: all,
  ...more,
});

function answer(body: object): string | undefined {
  const input = createTableShape.check({ TableName: 'abc', ...body });
  if (input instanceof DynamoError) throw new Error(`Not a case of step 10: ${input.message}`);
  const error = createTableError(input as CreateTableInput, quota);
  return error && (error.name === 'ValidationException' ? error.message : `${error.name}: ${error.message}`);
}

const onDemand = { BillingMode: 'PAY_PER_REQUEST' };
const oneKey = { AttributeDefinitions: define('a'), KeySchema: [hash('a')] };
const twoKeys = { AttributeDefinitions: define('a', 'b'), KeySchema: [hash('a'), range('b')] };
const plain = { ...oneKey, ...onDemand };
const provisioned = { ProvisionedThroughput: units(1) };

const gsi = (keys: object[], more: object = {}, definitions = ['a', 'b']) => ({
  AttributeDefinitions: define(...definitions),
  KeySchema: [hash('a')],
  ...onDemand,
  GlobalSecondaryIndexes: [index('gsi', keys, more)],
});
const lsi = (...indexes: object[]) => ({ ...twoKeys, ...provisioned, LocalSecondaryIndexes: indexes });
const letters = (prefix: string, n: number) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

const cases: [string, object, string][] = [
  // Billing.
  [
    'provisioned without units',
    oneKey,
    `${invalid}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ],
  [
    'on-demand with units',
    { ...plain, ...provisioned },
    `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'billing comes before keys',
    { AttributeDefinitions: [], KeySchema: [range('a')] },
    `${invalid}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ],
  [
    'units out of bounds, reads first',
    { AttributeDefinitions: [], KeySchema: [hash('a')], ProvisionedThroughput: units(1000000000001) },
    'Given value 1000000000001 for ReadCapacityUnits is out of bounds',
  ],
  [
    'writes out of bounds',
    { ...oneKey, ProvisionedThroughput: units(1000000000000, 1000000000001) },
    'Given value 1000000000001 for WriteCapacityUnits is out of bounds',
  ],
  [
    'units above the quota',
    { ...oneKey, ProvisionedThroughput: units(40001, 1) },
    'LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in eu-west-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
  ],

  // The table's key.
  [
    'no schema at all',
    onDemand,
    "2 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be null; Value null at 'keySchema' failed to satisfy constraint: Member must not be null",
  ],
  [
    'fewer definitions than keys',
    { AttributeDefinitions: define('b'), KeySchema: [hash('a'), range('b')], ...onDemand },
    'Invalid KeySchema: Some index key attribute have no definition',
  ],
  [
    'one name twice with one definition',
    { AttributeDefinitions: define('a'), KeySchema: [hash('a'), range('a')], ...onDemand },
    'Invalid KeySchema: Some index key attribute have no definition',
  ],
  [
    'one name twice with enough definitions',
    { AttributeDefinitions: define('a', 'b'), KeySchema: [hash('a'), hash('a')], ...onDemand },
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  ],
  [
    'a definition twice',
    { AttributeDefinitions: define('a', 'a'), KeySchema: [hash('a')], ...onDemand },
    'Attribute Name is duplicated: a',
  ],
  [
    'a key without definition',
    { AttributeDefinitions: define('b'), KeySchema: [hash('a')], ...onDemand },
    `${invalid}Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]`,
  ],
  [
    'the first is no HASH',
    { ...twoKeys, KeySchema: [range('a'), hash('b')], ...onDemand },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ],
  [
    'the second is no RANGE',
    { ...twoKeys, KeySchema: [hash('a'), hash('b')], ...onDemand },
    'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
  ],
  [
    'an unused definition without indexes',
    { ...plain, AttributeDefinitions: define('a', 'b') },
    `${invalid}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
  ],
  [
    'an unused definition with indexes',
    gsi([hash('b')], {}, ['a', 'b', 'c']),
    `${invalid}Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c], keys used: [a, b]`,
  ],

  // Local indexes.
  ['no LSIs', lsi(), `${invalid}List of LocalSecondaryIndexes is empty`],
  [
    'an LSI needs a sort key of the table',
    {
      AttributeDefinitions: define('a', 'b'),
      KeySchema: [hash('a')],
      ...provisioned,
      LocalSecondaryIndexes: [index('abc', [range('c')])],
    },
    `${invalid}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
  ],
  [
    'an LSI without definition',
    lsi(index('abc', [range('c'), range('d')])),
    `${invalid}Some index key attributes are not defined in AttributeDefinitions. Keys: [c, d], AttributeDefinitions: [a, b]`,
  ],
  [
    'an LSI that begins with RANGE',
    lsi(index('abc', [range('a')])),
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ],
  [
    'an LSI of one name',
    lsi(index('abc', [hash('a'), range('a')])),
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  ],
  [
    'an LSI of two HASH keys',
    lsi(index('abc', [hash('a'), hash('b')])),
    'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
  ],
  [
    'an LSI without sort key',
    lsi(index('abc', [hash('b')])),
    `${invalid}Index KeySchema does not have a range key for index: abc`,
  ],
  [
    'an LSI of another partition key',
    lsi(index('abc', [hash('b'), range('a')])),
    `${invalid}Index KeySchema does not have the same leading hash key as table KeySchema for index: abc. index hash key: b, table hash key: a`,
  ],
  [
    'two LSIs of one name',
    lsi(index('abc', [hash('a'), range('b')]), index('abc', [hash('a'), range('b')])),
    `${invalid}Duplicate index name: abc`,
  ],
  [
    'six LSIs',
    lsi(...letters('lsi', 6).map((name) => index(name, [hash('a'), range('b')]))),
    `${invalid}Number of LocalSecondaryIndexes exceeds per-table limit of 5`,
  ],

  // Global indexes.
  ['no GSIs', { ...plain, GlobalSecondaryIndexes: [] }, `${invalid}List of GlobalSecondaryIndexes is empty`],
  [
    'LSIs come before GSIs',
    { ...lsi(), GlobalSecondaryIndexes: [] },
    `${invalid}List of LocalSecondaryIndexes is empty`,
  ],
  [
    'a GSI without definition',
    gsi([hash('c')]),
    `${invalid}Some index key attributes are not defined in AttributeDefinitions. Keys: [c], AttributeDefinitions: [a, b]`,
  ],
  [
    'a GSI that begins with RANGE',
    gsi([range('b')]),
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ],
  [
    'a GSI with one name twice',
    gsi([hash('b'), range('b')]),
    'The KeySchema contains multiple key attributes with the same name',
  ],
  [
    'a GSI with HASH after RANGE',
    gsi([hash('a'), range('b'), hash('c')], {}, ['a', 'b', 'c']),
    `${invalid}All HASH key attributes must precede RANGE key attributes in the KeySchema`,
  ],
  [
    'a GSI of five HASH keys',
    gsi(letters('h', 5).map(hash), {}, ['a', ...letters('h', 5)]),
    `${invalid}The KeySchema exceeds the maximum allowed number of HASH key attributes`,
  ],
  [
    'a GSI of five RANGE keys',
    gsi([hash('a'), ...letters('r', 5).map(range)], {}, ['a', ...letters('r', 5)]),
    `${invalid}The KeySchema exceeds the maximum allowed number of RANGE key attributes`,
  ],
  [
    'an on-demand GSI with units',
    gsi([hash('b')], provisioned),
    `${invalid}ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'a provisioned GSI without units',
    { ...gsi([hash('b')]), BillingMode: 'PROVISIONED', ...provisioned },
    `${invalid}ProvisionedThroughput is not specified for index: gsi`,
  ],
  [
    'two GSIs of one name',
    { ...plain, GlobalSecondaryIndexes: [index('same', [hash('a')]), index('same', [hash('a')])] },
    `${invalid}Duplicate index name: same`,
  ],
  [
    'an LSI and a GSI of one name',
    {
      ...lsi(index('same', [hash('a'), range('b')])),
      GlobalSecondaryIndexes: [index('same', [hash('b')], provisioned)],
    },
    `${invalid}Duplicate index name: same`,
  ],
  [
    'twenty-one GSIs',
    { ...plain, GlobalSecondaryIndexes: letters('gsi', 21).map((name) => index(name, [hash('a')])) },
    `${invalid}GlobalSecondaryIndex count exceeds the per-table limit of 20`,
  ],
  [
    'the quota of an index',
    {
      ...gsi([hash('b')], { ProvisionedThroughput: units(1, 50000) }),
      BillingMode: 'PROVISIONED',
      ...provisioned,
    },
    'LimitExceededException: The requested WriteCapacityUnits for index gsi, 50000, is above the per index maximum for the account in eu-west-1. Per index maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
  ],

  // Projections.
  ['no projection type', gsi([hash('b')], { Projection: {} }), `${invalid}Unknown ProjectionType: null`],
  [
    'ALL with names',
    gsi([hash('b')], { Projection: { ProjectionType: 'ALL', NonKeyAttributes: ['x'] } }),
    `${invalid}ProjectionType is ALL, but NonKeyAttributes is specified`,
  ],
  [
    'KEYS_ONLY with names',
    lsi(
      index('abc', [hash('a'), range('b')], {
        Projection: { ProjectionType: 'KEYS_ONLY', NonKeyAttributes: ['x'] },
      }),
    ),
    `${invalid}ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified`,
  ],
  [
    'INCLUDE without names',
    gsi([hash('b')], { Projection: { ProjectionType: 'INCLUDE' } }),
    `${invalid}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
  ],
  [
    'a name twice',
    gsi([hash('b')], { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x', 'y', 'x'] } }),
    `${invalid}Duplicate element in NonKeyAttributes: x`,
  ],
  [
    'more than a hundred names',
    {
      ...plain,
      GlobalSecondaryIndexes: letters('gsi', 6).map((name) =>
        index(name, [hash('a')], {
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: letters('x', 20) },
        }),
      ),
    },
    `${invalid}Number of NonKeyAttributes across all secondary indexes exceeds the per-table limit of 100`,
  ],

  // On-demand ceilings and warm throughput.
  [
    'a ceiling on a provisioned table',
    { ...oneKey, ...provisioned, OnDemandThroughput: { MaxReadRequestUnits: 0 } },
    `${invalid}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.`,
  ],
  ...[0, -1, -2].map((value): [string, object, string] => [
    `a ceiling of ${value}`,
    { ...plain, OnDemandThroughput: { MaxReadRequestUnits: value, MaxWriteRequestUnits: value } },
    `${invalid}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
  ]),
  [
    "a ceiling of 0 on an index's writes",
    gsi([hash('b')], { OnDemandThroughput: { MaxWriteRequestUnits: 0 } }),
    `${invalid}Requested MaxWriteRequestUnits for OnDemandThroughput for index : gsi is outside of valid range`,
  ],
  [
    'a ceiling above the quota',
    { ...plain, OnDemandThroughput: { MaxReadRequestUnits: 40001 } },
    'LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput for table exceeds TableMaxReadCapacityUnits of the account in region eu-west-1',
  ],
  [
    'less warm than on-demand begins with',
    { ...plain, WarmThroughput: { ReadUnitsPerSecond: 1, WriteUnitsPerSecond: 1 } },
    `${invalid}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial`,
  ],
  [
    'less warm than an index begins with',
    gsi([hash('b')], { WarmThroughput: { WriteUnitsPerSecond: 3999 } }),
    `${invalid}Requested WriteUnitsPerSecond for WarmThroughput for index gsi is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial`,
  ],
  [
    'less warm than provisioned',
    { ...oneKey, ProvisionedThroughput: units(10), WarmThroughput: { ReadUnitsPerSecond: 5 } },
    `${invalid}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than ReadCapacityUnits of ProvisionedThroughput`,
  ],

  // Other settings.
  [
    'a stream that is off with a view type',
    { ...plain, StreamSpecification: { StreamEnabled: false, StreamViewType: 'NEW_IMAGE' } },
    `${invalid}Table is being created with a stream disabled, UpdateViewType should not be specified`,
  ],
  [
    'a stream without view type',
    { ...plain, StreamSpecification: { StreamEnabled: true } },
    `${invalid}Table is being created with a stream enabled, UpdateViewType is required`,
  ],
  [
    'an unknown table class',
    { ...plain, TableClass: 'GOLD' },
    'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].',
  ],
  [
    'encryption: a type when off',
    { ...plain, SSESpecification: { SSEType: 'KMS' } },
    `${invalid}SSEType can not be specified if Enabled is false`,
  ],
  [
    'encryption: a key when off',
    { ...plain, SSESpecification: { Enabled: false, KMSMasterKeyId: 'k' } },
    `${invalid}KMSMasterKeyId can not be specified if Enabled is false`,
  ],
  [
    'encryption: AES256',
    { ...plain, SSESpecification: { Enabled: true, SSEType: 'AES256' } },
    `${invalid}SSEType AES256 is not supported`,
  ],
  [
    'encryption: a key without type',
    { ...plain, SSESpecification: { Enabled: true, KMSMasterKeyId: 'k' } },
    `${invalid}SSEType KMS is required if KMSMasterKeyId is specified`,
  ],
  [
    'a tag without value',
    { ...plain, Tags: [{ Key: 'k' }] },
    'The Tag Value provided is invalid, Value: null',
  ],
  [
    'a tag of other characters',
    { ...plain, Tags: [{ Key: '🦊', Value: 'v' }] },
    'The Tag Key provided is invalid, Key: 🦊',
  ],
  ['a tag without key', { ...plain, Tags: [{ Value: 'v' }] }, 'The Tag Key provided is invalid, Key: null'],
  [
    'a reserved tag',
    { ...plain, Tags: [{ Key: 'aws:x', Value: '' }] },
    'Tag Key cannot be prefixed with aws:, Key: aws:x',
  ],
  [
    'a tag twice',
    {
      ...plain,
      Tags: [
        { Key: 'k', Value: '' },
        { Key: 'k', Value: 'v' },
      ],
    },
    'Duplicate Tag Keys provided as input: Duplicate Tag Key found k',
  ],
  [
    'fifty-one tags',
    { ...plain, Tags: letters('k', 51).map((Key) => ({ Key, Value: '' })) },
    'Number of Tags exceed the current limit for the provided ResourceArn',
  ],
];

test.each(cases)('%s', (_, body, text) => {
  expect(answer(body)).toBe(text);
});

test.each<[string, object]>([
  ['a plain table', plain],
  ['the full provisioned one', { ...lsi(index('abc', [hash('a'), range('b')])) }],
  [
    'four and four keys',
    gsi([...letters('h', 4).map(hash), ...letters('r', 4).map(range)], {}, [
      'a',
      ...letters('h', 4),
      ...letters('r', 4),
    ]),
  ],
  ['two HASH keys in a GSI', gsi([hash('b'), hash('a')])],
  ['empty ceilings', { ...plain, OnDemandThroughput: {}, WarmThroughput: {} }],
  ['one ceiling', { ...plain, OnDemandThroughput: { MaxReadRequestUnits: 100 } }],
  [
    'long tags of letters beyond the first plane',
    { ...plain, Tags: [{ Key: '𝒳'.repeat(128), Value: '𝒳'.repeat(256) }] },
  ],
  [
    'the replica of a foreign table',
    { GlobalTableSourceArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/T' },
  ],
])('accepted: %s', (_, body) => {
  expect(answer(body)).toBeUndefined();
});
