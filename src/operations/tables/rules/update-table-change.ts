import { type DynamoError, invalidParameter, validationError } from '../../../model/errors.ts';
import type { TableDescription } from '../../../model/tables/table-description.ts';
import type { UpdateTableInput } from '../update-table.ts';
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
 * Plan of UpdateTable, second part: does the change fit the table as it is? That the table is ACTIVE has been seen to before.
 * As a request makes one change, the order matters only within one; there, quotas come last.
 */
export function updateTableError(
  input: UpdateTableInput,
  table: TableDescription,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  return (
    billingChangeError(input, table, nowMs, quota) ??
    throughputChangeError(input, table, nowMs, quota) ??
    onDemandChangeError(input, table, quota) ??
    warmChangeError(input, table, quota) ??
    streamChangeError(input, table) ??
    sseChangeError(input, table, nowMs) ??
    (input.TableClass === undefined ? undefined : tableClassQuotaError(table.tableClassChangedAt, nowMs)) ??
    indexChangesError(input, table, nowMs, quota)
  );
}

function billingChangeError(
  input: UpdateTableInput,
  table: TableDescription,
  nowMs: number,
  { switchesToOnDemandPerDay }: ThroughputQuota,
): DynamoError | undefined {
  const current = table.billing.mode;
  if (input.BillingMode === 'PROVISIONED') {
    if (input.ProvisionedThroughput === undefined) {
      return invalidParameter('ProvisionedThroughput must be specified when BillingMode is PROVISIONED');
    }
    return current === 'PROVISIONED' ? undefined : unprovisionedIndexes(input, table);
  }
  if (input.BillingMode === undefined && current === 'PAY_PER_REQUEST' && input.ProvisionedThroughput) {
    return invalidParameter(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
  }
  // To be switched to the mode it has is accepted and changes nothing, so it does not count either.
  if (input.BillingMode === 'PAY_PER_REQUEST' && current === 'PROVISIONED') {
    return onDemandSwitchQuotaError(table.billing.switchedToOnDemandAt, nowMs, switchesToOnDemandPerDay);
  }
  return undefined;
}

/** A table that becomes provisioned needs the throughput of every global index in the same call. */
function unprovisionedIndexes(input: UpdateTableInput, table: TableDescription): DynamoError | undefined {
  const given = new Set(
    (input.GlobalSecondaryIndexUpdates ?? [])
      .filter((update) => update.Update?.ProvisionedThroughput !== undefined || update.Delete !== undefined)
      .map((update) => (update.Update ?? update.Delete)?.IndexName),
  );
  const missing = table.gsis.map((index) => index.indexName).filter((name) => !given.has(name));
  if (missing.length === 0) return undefined;
  return invalidParameter(`ProvisionedThroughput must be specified for index: ${missing.join(',')}`);
}

function throughputChangeError(
  input: UpdateTableInput,
  table: TableDescription,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const requested = input.ProvisionedThroughput;
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
  input: UpdateTableInput,
  table: TableDescription,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const mode = input.BillingMode ?? table.billing.mode;
  return (
    onDemandError(input.OnDemandThroughput, ofTable, mode, 'UpdateTable') ??
    onDemandQuotaError(input.OnDemandThroughput, ofTable, quota)
  );
}

function warmChangeError(
  input: UpdateTableInput,
  table: TableDescription,
  quota: ThroughputQuota,
): DynamoError | undefined {
  return (
    raisedWarmError(input.WarmThroughput, ofTable, table.warmThroughput) ??
    warmQuotaError(input.WarmThroughput, ofTable, quota)
  );
}

/** Changing the view type takes two calls: the stream must be off before it can be on again. */
function streamChangeError(input: UpdateTableInput, table: TableDescription): DynamoError | undefined {
  const requested = input.StreamSpecification?.StreamEnabled;
  if (requested === true && table.stream !== undefined) {
    return validationError(`Table already has an enabled stream: TableName: ${table.tableName}`);
  }
  if (requested === false && table.stream === undefined) {
    return validationError(`Table has no stream to disable: TableName: ${table.tableName}`);
  }
  return undefined;
}

function sseChangeError(
  input: UpdateTableInput,
  table: TableDescription,
  nowMs: number,
): DynamoError | undefined {
  const requested = input.SSESpecification;
  if (requested === undefined) return undefined;
  if (requested.Enabled !== true && table.sse === undefined) {
    return invalidParameter('Table is already encrypted by default');
  }
  if (requested.Enabled === true && table.sse !== undefined) {
    const key = requested.KMSMasterKeyId;
    if (key === undefined || key === table.sse.kmsMasterKeyArn) {
      return invalidParameter(
        'Table is already encrypted with given KMSMasterKeyId. ' +
          'Use KMSMasterKeyId parameter if you want to change Master Key',
      );
    }
  }
  return sseQuotaError(table.sseChangedAt, nowMs);
}
