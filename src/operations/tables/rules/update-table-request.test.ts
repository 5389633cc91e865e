import { expect, test } from 'vitest';
import {
  ceiling,
  create,
  defined,
  everyChange,
  infrequent,
  invalid,
  newIndex,
  only,
  protection,
  raised,
  read,
  remove,
  required,
  sse,
  stream,
  text,
  toOnDemand,
  toProvisioned,
  units,
  warmer,
} from './update-table.fixture.ts';
import { updateTableRequestError } from './update-table-request.ts';

test.each<[string, object, string]>([
  ['nothing', {}, required(everyChange)],
  ['definitions only', defined, required(everyChange)],
  ['empty throughput', { OnDemandThroughput: {}, WarmThroughput: {} }, required(everyChange)],
  [
    'consistency only',
    { MultiRegionConsistency: 'STRONG' },
    required(everyChange.replace('MultiRegionConsistency, ', '')),
  ],
  ['SSE + protection', { ...sse, ...protection }, only('Server-Side Encryption modification')],
  ['class + SSE', { ...infrequent, ...sse }, only('Server-Side Encryption modification')],
  ['protection + class', { ...protection, ...infrequent }, only('TableClass modification')],
  ['warm + protection', { ...warmer, ...protection }, only('DeletionProtection modification')],
  ['protection + billing', { ...protection, ...toOnDemand }, only('DeletionProtection modification')],
  ['warm + stream', { ...warmer, ...stream }, only('WarmThroughput')],
  [
    'replica + SSE',
    { ReplicaUpdates: [{ Delete: { RegionName: 'r' } }], ...sse },
    only('Replica modification'),
  ],
  [
    'stream + ceiling',
    { ...stream, ...ceiling },
    `${invalid}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request`,
  ],
  [
    'warm + ceiling',
    { ...warmer, ...ceiling },
    `${invalid}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request`,
  ],
  [
    'stream + units',
    { ...stream, ...raised },
    `${invalid}You cannot modify stream status while updating table IOPS`,
  ],
  [
    'stream + PROVISIONED',
    { ...stream, ...toProvisioned },
    `${invalid}You cannot modify stream status while updating table IOPS`,
  ],
  [
    'new index + units',
    { ...create(), ...raised },
    `${invalid}You cannot create or delete index while updating table IOPS`,
  ],
  [
    'index deletion + units',
    { ...remove, ...raised },
    `${invalid}You cannot create or delete index while updating table IOPS`,
  ],
  [
    'new index + stream',
    { ...create(), ...stream },
    `${invalid}You cannot create or delete index while changing stream status`,
  ],
  [
    'new index + warm',
    { ...create(), ...warmer },
    `${invalid}Create global secondary index cannot be specified when updating WarmThroughput`,
  ],
  ['new index + class', { ...create(), ...infrequent }, only('TableClass modification')],
  [
    'on-demand with units',
    { ...toOnDemand, ...raised },
    `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'units out of bounds',
    { ProvisionedThroughput: units(1, 2e12) },
    'Given value 2000000000000 for WriteCapacityUnits is out of bounds',
  ],
  [
    'a stream without view type',
    { StreamSpecification: { StreamEnabled: true } },
    `${invalid}If stream is being enabled then UpdateViewType is required`,
  ],
  [
    'no stream with view type',
    { StreamSpecification: { StreamEnabled: false, StreamViewType: 'KEYS_ONLY' } },
    `${invalid}If stream is being disabled, then UpdateViewType must not be specified`,
  ],
  [
    'an unknown class',
    { TableClass: '' },
    'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].',
  ],
  [
    'no index updates',
    { GlobalSecondaryIndexUpdates: [] },
    `${invalid}List of GlobalSecondaryIndexUpdates is empty`,
  ],
  [
    'an index update without action',
    { GlobalSecondaryIndexUpdates: [{}] },
    `${invalid}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null`,
  ],
  [
    'an index update with two actions',
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'gsi' }, Update: { IndexName: 'gsi' } }] },
    `${invalid}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object`,
  ],
  [
    'one index twice',
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'gsi' } }, { Update: { IndexName: 'gsi' } }] },
    `${invalid}Only one global secondary index update per index is allowed simultaneously. Index: gsi`,
  ],
  [
    'two index actions',
    { ...defined, GlobalSecondaryIndexUpdates: [{ Create: newIndex }, { Delete: { IndexName: 'gsi' } }] },
    'LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
  ],
  [
    'a new index without definitions',
    { GlobalSecondaryIndexUpdates: [{ Create: newIndex }] },
    `${invalid}AttributeDefinitions is not specified for index: new`,
  ],
  [
    'a new index whose key is not defined here',
    create({ KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }] }),
    `${invalid}Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [y]`,
  ],
])('whatever the table: %s', (_, body, expected) => {
  expect(text(updateTableRequestError(read(body)))).toBe(expected);
});

test.each<[string, object]>([
  ['units', raised],
  ['on-demand with ceiling', { ...toOnDemand, ...ceiling }],
  ['on-demand with stream', { ...toOnDemand, ...stream }],
  ['on-demand with a new index', { ...toOnDemand, ...create() }],
  [
    'an unused definition',
    {
      ...create(),
      AttributeDefinitions: [...defined.AttributeDefinitions, { AttributeName: 'z', AttributeType: 'N' }],
    },
  ],
])('a request that is sound: %s', (_, body) => {
  expect(updateTableRequestError(read(body))).toBeUndefined();
});
