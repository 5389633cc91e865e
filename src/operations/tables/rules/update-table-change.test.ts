import { expect, test } from 'vitest';
import { decreasesOnDayOf } from '../../../engine/control/rules/change-quotas.ts';
import { tableChangeError } from '../../../engine/control/rules/table-change-rules.ts';
import type { TableDescription } from '../../../engine/tables/table-parts.ts';
import { tableChangeOf } from '../table-requests.ts';
import {
  alter,
  ceiling,
  create,
  day,
  gsi,
  hour,
  infrequent,
  invalid,
  newIndex,
  now,
  onDemand,
  provisioned,
  quota,
  raised,
  read,
  sse,
  stream,
  text,
  toOnDemand,
  toProvisioned,
  units,
  warm,
} from './update-table.fixture.ts';

const withBilling = (billing: Partial<TableDescription['billing']>): TableDescription => ({
  ...provisioned,
  billing: { ...provisioned.billing, ...billing },
});
const lowered = (count: number, at: number) =>
  withBilling({ throughput: { ...units(10), decreasesThatDay: count, decreasedAt: at } });
const decreases = (last: string, next: string) =>
  `LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of decreases today: 4. Last decrease at ${last}. Next decrease can be made at ${next}.`;
const sameUnits = (what: string, kind: string, r: number) =>
  `The provisioned throughput for the ${what} will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the ${kind}: ${r}. Requested ReadCapacityUnits: ${r}. Current WriteCapacityUnits provisioned for the ${kind}: ${r}. Requested WriteCapacityUnits: ${r}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.`;
const at0021 = Date.UTC(2026, 9, 9, 0, 21, 34);

test.each<[string, object, TableDescription, string]>([
  ['the same units', { ProvisionedThroughput: units(10) }, provisioned, sameUnits('table', 'table', 10)],
  [
    'the same units with the same mode',
    { BillingMode: 'PROVISIONED', ProvisionedThroughput: units(10) },
    provisioned,
    sameUnits('table', 'table', 10),
  ],
  [
    'the same units of an index',
    alter({ ProvisionedThroughput: units(5) }),
    provisioned,
    sameUnits('index gsi', 'index', 5),
  ],
  [
    'a fifth decrease',
    { ProvisionedThroughput: units(9) },
    lowered(4, at0021),
    decreases(
      'Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time',
      'Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal Time',
    ),
  ],
  [
    'a decrease in one dimension counts',
    { ProvisionedThroughput: units(9, 100) },
    lowered(4, at0021),
    decreases(
      'Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time',
      'Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal Time',
    ),
  ],
  [
    'units above the quota',
    { ProvisionedThroughput: units(40001) },
    provisioned,
    'LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in eu-west-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.',
  ],
  [
    'units for an on-demand table',
    raised,
    onDemand,
    `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'PROVISIONED without units',
    { BillingMode: 'PROVISIONED' },
    onDemand,
    `${invalid}ProvisionedThroughput must be specified when BillingMode is PROVISIONED`,
  ],
  [
    'PROVISIONED without units for the indexes',
    toProvisioned,
    { ...onDemand, gsis: [gsi, { ...gsi, indexName: 'gsi2' }] },
    `${invalid}ProvisionedThroughput must be specified for index: gsi,gsi2`,
  ],
  [
    'a fifth switch to on-demand',
    toOnDemand,
    withBilling({ switchedToOnDemandAt: [now - 23 * hour, now - 3 * hour, now - 2 * hour, now - hour] }),
    'LimitExceededException: Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s). Last update at Thursday, October 8, 2026 at 11:50:00 PM Coordinated Universal Time. Next update can be made at Friday, October 9, 2026 at 1:50:00 AM Coordinated Universal Time',
  ],
  [
    'a ceiling for a provisioned table',
    { OnDemandThroughput: { MaxWriteRequestUnits: 0 } },
    provisioned,
    `${invalid}MaxWriteRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED`,
  ],
  [
    'a ceiling of -2',
    { OnDemandThroughput: { MaxReadRequestUnits: -2 } },
    onDemand,
    `${invalid}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
  ],
  [
    'a ceiling above the quota',
    { OnDemandThroughput: { MaxWriteRequestUnits: 40001 } },
    onDemand,
    'LimitExceededException: Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for table exceeds TableMaxWriteCapacityUnits of the account in region eu-west-1',
  ],
  [
    'less warm',
    { WarmThroughput: { WriteUnitsPerSecond: 3999 } },
    onDemand,
    `${invalid}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported`,
  ],
  [
    'a stream again',
    stream,
    { ...onDemand, stream: { viewType: 'KEYS_ONLY', label: 'l' } },
    'Table already has an enabled stream: TableName: T',
  ],
  [
    'no stream to disable',
    { StreamSpecification: { StreamEnabled: false } },
    onDemand,
    'Table has no stream to disable: TableName: T',
  ],
  ['encryption off', { SSESpecification: {} }, onDemand, `${invalid}Table is already encrypted by default`],
  [
    'encryption by the same key',
    { SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: 'arn:k' } },
    { ...onDemand, sse: { sseType: 'KMS', kmsMasterKeyArn: 'arn:k' } },
    `${invalid}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key`,
  ],
  [
    'a fifth change of encryption',
    sse,
    { ...onDemand, sseChangedAt: [now - 4 * hour, now - 3 * hour, now - 2 * hour, now - hour] },
    'LimitExceededException: Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending at Friday, October 9, 2026 at 12:50:00 AM Coordinated Universal Time. After the first 4 change, each subsequent change in the same window can be performed at most once every 21600 seconds. Number of updates today: 4. Last change at Thursday, October 8, 2026 at 11:50:00 PM Coordinated Universal Time. Next changes can be made at Friday, October 9, 2026 at 5:50:00 AM Coordinated Universal Time.',
  ],
  [
    'a third change of class, even to the same',
    { TableClass: 'STANDARD' },
    { ...onDemand, tableClassChangedAt: [now - 29 * day, now - day] },
    'LimitExceededException: Subscriber limit exceeded: Updates to TableClass are limited to 2 times in 30 day(s).',
  ],
  [
    'an index that exists',
    create({ IndexName: 'lsi' }),
    onDemand,
    'Attempting to create an index which already exists',
  ],
  [
    'a new index with units on demand',
    create({ ProvisionedThroughput: units(1) }),
    onDemand,
    `${invalid}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: new when BillingMode is PAY_PER_REQUEST`,
  ],
  [
    'a new index without units',
    create(),
    provisioned,
    `${invalid}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: new`,
  ],
  [
    'a new index that changes the type of a key',
    {
      AttributeDefinitions: [{ AttributeName: 'x', AttributeType: 'N' }],
      GlobalSecondaryIndexUpdates: [
        { Create: { ...newIndex, KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }] } },
      ],
    },
    { ...onDemand, lsis: [] },
    `${invalid}Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{x:S:HASH}] New schema: Schema:[SchemaElement: key{x:N:HASH}]`,
  ],
  [
    'a twenty-first index',
    create(),
    { ...onDemand, gsis: Array.from({ length: 20 }, (_, i) => ({ ...gsi, indexName: `g${i}` })) },
    'LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20',
  ],
  [
    'units for an index on demand',
    alter({ ProvisionedThroughput: units(1) }),
    onDemand,
    `${invalid}The only Updates for index: gsi when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput`,
  ],
  [
    'less warm for an index',
    alter({ WarmThroughput: { ReadUnitsPerSecond: 1 } }),
    onDemand,
    `${invalid}Requested ReadUnitsPerSecond for WarmThroughput for index gsi is lower than current WarmThroughput, decreasing WarmThroughput is not supported`,
  ],
  [
    'a local index deleted',
    { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'lsi' } }] },
    onDemand,
    'Cannot delete an index that is not a GlobalSecondaryIndex: lsi',
  ],
  [
    'a local index updated',
    { GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'lsi' } }] },
    onDemand,
    'Cannot update an index that is not a GlobalSecondaryIndex: lsi',
  ],
])('against the table: %s', (_, body, table, expected) => {
  expect(text(tableChangeError(tableChangeOf(read(body)), table, now, quota))).toBe(expected);
});

test.each<[string, object, TableDescription]>([
  ['more units', raised, provisioned],
  ['a fourth decrease', { ProvisionedThroughput: units(9) }, lowered(3, at0021)],
  ['a fifth, an hour later', { ProvisionedThroughput: units(9) }, lowered(4, now - hour)],
  ['a fifth, on the next day', { ProvisionedThroughput: units(9) }, lowered(4, now - 51 * 60_000)],
  ['an increase after four decreases', raised, lowered(4, at0021)],
  ['on-demand again', toOnDemand, onDemand],
  [
    'a switch after the first of four is a day old',
    toOnDemand,
    withBilling({ switchedToOnDemandAt: [now - day, now - 3, now - 2, now - 1] }),
  ],
  [
    'PROVISIONED with every index',
    { ...toProvisioned, ...alter({ ProvisionedThroughput: units(5) }) },
    onDemand,
  ],
  ['a ceiling taken away', { OnDemandThroughput: { MaxReadRequestUnits: -1 } }, onDemand],
  ['a ceiling with the switch', { ...toOnDemand, ...ceiling }, provisioned],
  ['as warm as it is', { WarmThroughput: warm }, onDemand],
  ['a new index', create(), onDemand],
  ['a new index on a provisioned table', create({ ProvisionedThroughput: units(1) }), provisioned],
  ['a second change of class', infrequent, { ...onDemand, tableClassChangedAt: [now - 31 * day, now - day] }],
  [
    'encryption by another key',
    { SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: 'arn:2' } },
    { ...onDemand, sse: { sseType: 'KMS', kmsMasterKeyArn: 'arn:1' } },
  ],
])('accepted by the table: %s', (_, body, table) => {
  expect(text(tableChangeError(tableChangeOf(read(body)), table, now, quota))).toBeUndefined();
});

test('the counter of decreases falls back at midnight', () => {
  const throughput = { ...units(1), decreasesThatDay: 4, decreasedAt: Date.UTC(2026, 9, 8, 23, 59) };
  expect(decreasesOnDayOf(Date.UTC(2026, 9, 8, 23, 59, 59), throughput)).toBe(4);
  expect(decreasesOnDayOf(Date.UTC(2026, 9, 9), throughput)).toBe(0);
  expect(decreasesOnDayOf(0, { ...units(1), decreasesThatDay: 0 })).toBe(0);
});
