import { type DynamoError, invalidParameter, limitExceeded, validationError } from '../../../model/errors.ts';
import { capacityLimits } from '../../../model/limits.ts';
import type {
  BillingMode,
  OnDemandThroughput,
  ProvisionedThroughput,
  WarmThroughput,
} from '../../../model/tables/table-description.ts';
import type { TableQuotas } from '../../../model/tables/table-quotas.ts';

/** Every account has the quotas that a new one has, except for those that the database was opened with. */
export function throughputQuota(region: string, quotas: TableQuotas): ThroughputQuota {
  return {
    ...quotas,
    region,
    tableMaxReadCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
    tableMaxWriteCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
  };
}

/** What the account may have in the Region of the request; the service names the Region when it refuses. */
export interface ThroughputQuota extends TableQuotas {
  readonly region: string;
  readonly tableMaxReadCapacityUnits: number;
  readonly tableMaxWriteCapacityUnits: number;
}

/** What a throughput belongs to. */
export type Owner = { readonly table: true } | { readonly index: string };

const moreInTheGuide =
  'Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.';

/** A bound of its own, far above any quota (observed: dynalite's tests). */
export function outOfBounds(throughput: ProvisionedThroughput | undefined): DynamoError | undefined {
  for (const unit of ['ReadCapacityUnits', 'WriteCapacityUnits'] as const) {
    const value = throughput?.[unit] ?? 0;
    if (value > capacityLimits.provisionedUnitsRequestMax) {
      return validationError(`Given value ${value} for ${unit} is out of bounds`);
    }
  }
  return undefined;
}

export function provisionedQuotaError(
  throughput: ProvisionedThroughput | undefined,
  owner: Owner,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const limits = {
    ReadCapacityUnits: quota.tableMaxReadCapacityUnits,
    WriteCapacityUnits: quota.tableMaxWriteCapacityUnits,
  };
  for (const unit of ['ReadCapacityUnits', 'WriteCapacityUnits'] as const) {
    const value = throughput?.[unit] ?? 0;
    if (value <= limits[unit]) continue;
    const [of, per] = 'index' in owner ? [` for index ${owner.index}`, 'index'] : ['', 'table'];
    return limitExceeded(
      `The requested ${unit}${of}, ${value}, is above the per ${per} maximum for the account in ` +
        `${quota.region}. Per ${per} maximum: ${limits[unit]}. ${moreInTheGuide}`,
    );
  }
  return undefined;
}

/**
 * Ceilings of an on-demand table. CreateTable and UpdateTable word the first rule differently; it wins over the
 * range, and reads are named before writes (observed: dynoxide's captures, 24 July 2026). The quota comes last.
 */
export function onDemandError(
  ceilings: OnDemandThroughput | undefined,
  owner: Owner,
  mode: BillingMode,
  operation: 'CreateTable' | 'UpdateTable',
): DynamoError | undefined {
  const of = 'index' in owner ? `index : ${owner.index}` : 'table';
  for (const unit of ['MaxReadRequestUnits', 'MaxWriteRequestUnits'] as const) {
    if (mode === 'PAY_PER_REQUEST' || ceilings?.[unit] === undefined) continue;
    const forIndex = 'index' in owner ? ` for ${of}` : '';
    const ending =
      operation === 'CreateTable'
        ? 'when table BillingMode is PROVISIONED.'
        : 'when the table BillingMode is PROVISIONED';
    return invalidParameter(`${unit} for OnDemandThroughput${forIndex} cannot be specified ${ending}`);
  }
  for (const unit of ['MaxReadRequestUnits', 'MaxWriteRequestUnits'] as const) {
    const value = ceilings?.[unit];
    if (value === undefined || value >= 1) continue;
    // Minus one takes a ceiling away, so it means nothing to a table that is only being created.
    if (value === -1 && operation === 'UpdateTable') continue;
    return invalidParameter(`Requested ${unit} for OnDemandThroughput for ${of} is outside of valid range`);
  }
  return undefined;
}

export function onDemandQuotaError(
  ceilings: OnDemandThroughput | undefined,
  owner: Owner,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const of = 'index' in owner ? `index : ${owner.index}` : 'table';
  if ((ceilings?.MaxReadRequestUnits ?? 0) > quota.tableMaxReadCapacityUnits) {
    return exceeds('MaxReadRequestUnits for OnDemandThroughput', of, 'Read', quota);
  }
  if ((ceilings?.MaxWriteRequestUnits ?? 0) > quota.tableMaxWriteCapacityUnits) {
    return exceeds('MaxWriteRequestUnits for OnDemandThroughput', of, 'Write', quota);
  }
  return undefined;
}

/** What a new on-demand table can do from its first second. */
const initialOnDemand = {
  ReadUnitsPerSecond: capacityLimits.onDemandInitialReadUnitsPerSecond,
  WriteUnitsPerSecond: capacityLimits.onDemandInitialWriteUnitsPerSecond,
};
const initialPage =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html' +
  '#on-demand-capacity-mode-initial';

const warmUnits = [
  ['ReadUnitsPerSecond', 'ReadCapacityUnits'],
  ['WriteUnitsPerSecond', 'WriteCapacityUnits'],
] as const;

/** Warm throughput of what is being created: not below what it starts with anyway. */
export function initialWarmError(
  warm: WarmThroughput | undefined,
  owner: Owner,
  mode: BillingMode,
  provisioned: ProvisionedThroughput | undefined,
): DynamoError | undefined {
  const of = 'index' in owner ? `index ${owner.index}` : 'table';
  for (const [unit, capacity] of warmUnits) {
    const value = warm?.[unit];
    if (value === undefined) continue;
    if (mode === 'PAY_PER_REQUEST' && value < initialOnDemand[unit]) {
      return invalidParameter(
        `Requested ${unit} for WarmThroughput for ${of} is lower than initial throughput for OnDemand. ` +
          `See: ${initialPage}`,
      );
    }
    if (mode === 'PROVISIONED' && value < (provisioned?.[capacity] ?? 0)) {
      return invalidParameter(
        `Requested ${unit} for WarmThroughput for ${of} is lower than ${capacity} of ProvisionedThroughput`,
      );
    }
  }
  return undefined;
}

/** Warm throughput of what exists: only upwards; the same value again is accepted. */
export function raisedWarmError(
  warm: WarmThroughput | undefined,
  owner: Owner,
  current: Required<WarmThroughput>,
): DynamoError | undefined {
  const of = 'index' in owner ? `index ${owner.index}` : 'table';
  for (const [unit] of warmUnits) {
    const value = warm?.[unit];
    if (value !== undefined && value < current[unit]) {
      return invalidParameter(
        `Requested ${unit} for WarmThroughput for ${of} is lower than current WarmThroughput, ` +
          'decreasing WarmThroughput is not supported',
      );
    }
  }
  return undefined;
}

export function warmQuotaError(
  warm: WarmThroughput | undefined,
  owner: Owner,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const of = 'index' in owner ? `index ${owner.index}` : 'table';
  if ((warm?.ReadUnitsPerSecond ?? 0) > quota.tableMaxReadCapacityUnits) {
    return exceeds('ReadUnitsPerSecond for WarmThroughput', of, 'Read', quota);
  }
  if ((warm?.WriteUnitsPerSecond ?? 0) > quota.tableMaxWriteCapacityUnits) {
    return exceeds('WriteUnitsPerSecond for WarmThroughput', of, 'Write', quota);
  }
  return undefined;
}

export function sameThroughputError(
  throughput: ProvisionedThroughput,
  owner: Owner,
  current: ProvisionedThroughput,
): DynamoError | undefined {
  const { ReadCapacityUnits: reads, WriteCapacityUnits: writes } = throughput;
  if (reads !== current.ReadCapacityUnits || writes !== current.WriteCapacityUnits) return undefined;
  const of = 'index' in owner ? `index ${owner.index}` : 'table';
  const kind = 'index' in owner ? 'index' : 'table';
  return validationError(
    `The provisioned throughput for the ${of} will not change. The requested value equals the current value. ` +
      `Current ReadCapacityUnits provisioned for the ${kind}: ${reads}. Requested ReadCapacityUnits: ${reads}. ` +
      `Current WriteCapacityUnits provisioned for the ${kind}: ${writes}. Requested WriteCapacityUnits: ${writes}. ` +
      moreInTheGuide,
  );
}

function exceeds(what: string, of: string, side: 'Read' | 'Write', quota: ThroughputQuota): DynamoError {
  return limitExceeded(
    `Subscriber limit exceeded: Requested ${what} for ${of} exceeds TableMax${side}CapacityUnits of the account ` +
      `in region ${quota.region}`,
  );
}
