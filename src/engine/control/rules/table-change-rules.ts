import { type DynamoError, invalidParameter, validationError } from '../../../model/errors.ts';
import { ownCapacities } from '../../tables/parts/indexes.ts';
import type { TableDescription } from '../../tables/table-parts.ts';
import type { TableChange } from '../requests.ts';
import {
  decreaseQuotaError,
  onDemandSwitchQuotaError,
  sseQuotaError,
  tableClassQuotaError,
} from './change-quotas.ts';
import { indexChangesError } from './index-changes.ts';
import {
  onDemandError,
  onDemandQuotaError,
  provisionedQuotaError,
  raisedWarmError,
  sameThroughputError,
  type ThroughputQuota,
  warmQuotaError,
} from './throughput-rules.ts';

const ofTable = { table: true } as const;

/**
 * Checks a change against the table as it is. That the table is ACTIVE was checked before.
 * As a request makes one change, the order matters only within one; there, quotas come last.
 */
export function tableChangeError(
  request: TableChange,
  table: TableDescription,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  return (
    billingChangeError(request, table, nowMs, quota) ??
    throughputChangeError(request, table, nowMs, quota) ??
    onDemandChangeError(request, table, quota) ??
    warmChangeError(request, table, quota) ??
    streamChangeError(request, table) ??
    sseChangeError(request, table, nowMs) ??
    (request.tableClass === undefined ? undefined : tableClassQuotaError(table.tableClassChangedAt, nowMs)) ??
    indexChangesError(request, table, nowMs, quota)
  );
}

function billingChangeError(
  request: TableChange,
  table: TableDescription,
  nowMs: number,
  { switchesToOnDemandPerDay }: ThroughputQuota,
): DynamoError | undefined {
  const current = table.billing.mode;
  if (request.billingMode === 'PROVISIONED') {
    if (request.throughput === undefined) {
      return invalidParameter('ProvisionedThroughput must be specified when BillingMode is PROVISIONED');
    }
    return current === 'PROVISIONED' ? undefined : unprovisionedIndexes(request, table);
  }
  if (request.billingMode === undefined && current === 'PAY_PER_REQUEST' && request.throughput) {
    return invalidParameter(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
  }
  // To be switched to the mode it has is accepted and changes nothing, so it does not count either.
  if (request.billingMode === 'PAY_PER_REQUEST' && current === 'PROVISIONED') {
    return onDemandSwitchQuotaError(table.billing.switchedToOnDemandAt, nowMs, switchesToOnDemandPerDay);
  }
  return undefined;
}

/** A table that becomes provisioned needs the throughput of every global index in the same call. */
function unprovisionedIndexes(request: TableChange, table: TableDescription): DynamoError | undefined {
  const given = new Set(
    (request.indexes ?? []).flatMap((change) =>
      change.kind === 'delete' || (change.kind === 'update' && change.throughput !== undefined)
        ? change.indexName
        : [],
    ),
  );
  const missing = ownCapacities(table)
    .map(({ index }) => index.indexName)
    .filter((name) => !given.has(name));
  if (missing.length === 0) return undefined;
  return invalidParameter(`ProvisionedThroughput must be specified for index: ${missing.join(',')}`);
}

function throughputChangeError(
  request: TableChange,
  table: TableDescription,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const requested = request.throughput;
  if (requested === undefined) return undefined;
  const { mode, throughput } = table.billing;
  // On-demand tables report zero units; coming from there, nothing is the same and nothing is lowered.
  if (mode === 'PROVISIONED') {
    const error =
      sameThroughputError(requested, ofTable, throughput) ?? decreaseQuotaError(requested, throughput, nowMs);
    if (error !== undefined) return error;
  }
  return provisionedQuotaError(requested, ofTable, quota);
}

function onDemandChangeError(
  request: TableChange,
  table: TableDescription,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const mode = request.billingMode ?? table.billing.mode;
  return (
    onDemandError(request.onDemandThroughput, ofTable, mode, 'UpdateTable') ??
    onDemandQuotaError(request.onDemandThroughput, ofTable, quota)
  );
}

function warmChangeError(
  request: TableChange,
  table: TableDescription,
  quota: ThroughputQuota,
): DynamoError | undefined {
  return (
    raisedWarmError(request.warmThroughput, ofTable, table.warmThroughput) ??
    warmQuotaError(request.warmThroughput, ofTable, quota)
  );
}

/** Changing the view type takes two calls: the stream must be off before it can be on again. */
function streamChangeError(request: TableChange, table: TableDescription): DynamoError | undefined {
  const requested = request.stream?.enabled;
  if (requested === true && table.stream !== undefined) {
    return validationError(`Table already has an enabled stream: TableName: ${table.tableName}`);
  }
  if (requested === false && table.stream === undefined) {
    return validationError(`Table has no stream to disable: TableName: ${table.tableName}`);
  }
  return undefined;
}

function sseChangeError(
  request: TableChange,
  table: TableDescription,
  nowMs: number,
): DynamoError | undefined {
  const requested = request.encryption;
  if (requested === undefined) return undefined;
  if (requested.enabled !== true && table.sse === undefined) {
    return invalidParameter('Table is already encrypted by default');
  }
  if (requested.enabled === true && table.sse !== undefined) {
    const key = requested.key;
    if (key === undefined || key === table.sse.kmsMasterKeyArn) {
      return invalidParameter(
        'Table is already encrypted with given KMSMasterKeyId. ' +
          'Use KMSMasterKeyId parameter if you want to change Master Key',
      );
    }
  }
  return sseQuotaError(table.sseChangedAt, nowMs);
}
