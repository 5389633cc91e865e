import type { TableDescription } from '../../../engine/tables/table-parts.ts';
import { DynamoError } from '../../../model/errors.ts';
import { defaultTableQuotas } from '../../../model/tables/table-quotas.ts';
import { type UpdateTableInput, updateTableShape } from '../update-table.ts';

/** Tables and requests of which the tests of UpdateTable make their cases. */

export const quota = {
  ...defaultTableQuotas,
  region: 'eu-west-1',
  tableMaxReadCapacityUnits: 40_000,
  tableMaxWriteCapacityUnits: 40_000,
};
export const now = Date.UTC(2026, 9, 9, 0, 50, 0);
export const hour = 3_600_000;
export const day = 24 * hour;
export const invalid = 'One or more parameter values were invalid: ';

export const units = (r: number, w = r) => ({ ReadCapacityUnits: r, WriteCapacityUnits: w });
export const warm = { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000 };
export const unchanged = (throughput: { ReadCapacityUnits: number; WriteCapacityUnits: number }) => ({
  ...throughput,
  decreasesThatDay: 0,
});

export const gsi = {
  indexName: 'gsi',
  keySchema: [{ AttributeName: 'x', KeyType: 'HASH' as const }],
  projection: { ProjectionType: 'ALL' as const },
  throughput: unchanged(units(5)),
  warmThroughput: warm,
};
export const provisioned: TableDescription = {
  tableName: 'T',
  tableId: '0',
  createdAt: 0,
  keySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  attributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'x', AttributeType: 'S' },
  ],
  billing: { mode: 'PROVISIONED', throughput: unchanged(units(10)), switchedToOnDemandAt: [] },
  warmThroughput: warm,
  lsis: [
    {
      indexName: 'lsi',
      keySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'x', KeyType: 'RANGE' },
      ],
      projection: { ProjectionType: 'ALL' },
    },
  ],
  gsis: [gsi],
  deletionProtection: false,
  tableClass: 'STANDARD',
  tableClassChangedAt: [],
  sseChangedAt: [],
};
export const onDemand: TableDescription = {
  ...provisioned,
  billing: { mode: 'PAY_PER_REQUEST', throughput: unchanged(units(0)), switchedToOnDemandAt: [] },
};

export function read(body: object): UpdateTableInput {
  const input = updateTableShape.check({ TableName: 'T12', ...body });
  if (input instanceof DynamoError) throw new Error(`Not a case of step 10: ${input.message}`);
  return input;
}

export function text(error: DynamoError | undefined): string | undefined {
  return error && (error.name === 'ValidationException' ? error.message : `${error.name}: ${error.message}`);
}

export const stream = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } };
export const sse = { SSESpecification: { Enabled: true } };
export const protection = { DeletionProtectionEnabled: true };
export const infrequent = { TableClass: 'STANDARD_INFREQUENT_ACCESS' };
export const warmer = { WarmThroughput: { ReadUnitsPerSecond: 13000 } };
export const ceiling = { OnDemandThroughput: { MaxReadRequestUnits: 5 } };
export const raised = { ProvisionedThroughput: units(20) };
export const toOnDemand = { BillingMode: 'PAY_PER_REQUEST' };
export const toProvisioned = { BillingMode: 'PROVISIONED', ...raised };
export const defined = { AttributeDefinitions: [{ AttributeName: 'y', AttributeType: 'S' }] };
export const newIndex = {
  IndexName: 'new',
  KeySchema: [{ AttributeName: 'y', KeyType: 'HASH' }],
  Projection: { ProjectionType: 'ALL' },
};
export const create = (more: object = {}) => ({
  ...defined,
  GlobalSecondaryIndexUpdates: [{ Create: { ...newIndex, ...more } }],
});
export const remove = { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'gsi' } }] };
export const alter = (action: object) => ({
  GlobalSecondaryIndexUpdates: [{ Update: { IndexName: 'gsi', ...action } }],
});
export const only = (what: string) => `${invalid}${what} must be the only operation in the request`;
export const required = (members: string) => `At least one of ${members} is required`;
export const everyChange =
  'ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass';
