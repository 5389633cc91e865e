import { capacityLimits } from '../../model/limits.ts';
import { partitionOf } from '../../model/tables/table-arn.ts';
import type {
  BillingMode,
  GlobalIndexDescription,
  ProvisionedThroughput,
  ServerSideEncryption,
  TableClass,
  TableDescription,
  ThroughputDescription,
  WarmThroughput,
} from '../../model/tables/table-description.ts';
import type { NewGlobalIndex, NewTable, RequestedCapacity, RequestedEncryption } from './requests.ts';

/** What a new table is given beside its request. */
export interface Birth {
  readonly nowMs: number;
  readonly tableId: string;
  readonly account: string;
  readonly region: string;
  /** The id of the key that the service would take when none is named. */
  readonly kmsKeyId: string;
}

/** The table that a checked request makes. */
export function createdTable(request: NewTable, birth: Birth): TableDescription {
  const mode = request.billingMode;
  const sse = encryptionOf(request.encryption, birth);
  return {
    tableName: request.tableName,
    tableId: birth.tableId,
    createdAt: birth.nowMs,
    keySchema: request.keySchema,
    attributeDefinitions: request.attributeDefinitions,
    billing: {
      mode,
      throughput: throughputOf(mode, request.throughput),
      switchedToOnDemandAt: [],
      ...(mode === 'PAY_PER_REQUEST' && { onDemandSince: birth.nowMs }),
    },
    ...(request.onDemandThroughput && { onDemandThroughput: request.onDemandThroughput }),
    warmThroughput: warmOf(mode, request),
    lsis: request.lsis,
    gsis: request.gsis.map((index) => globalIndexOf(index, mode)),
    ...(request.stream?.enabled && {
      stream: { viewType: request.stream.viewType!, label: streamLabel(birth.nowMs) },
    }),
    deletionProtection: request.deletionProtection ?? false,
    tableClass: (request.tableClass ?? 'STANDARD') as TableClass,
    tableClassChangedAt: [],
    ...(sse && { sse }),
    sseChangedAt: [],
  };
}

export function globalIndexOf(index: NewGlobalIndex, mode: BillingMode): GlobalIndexDescription {
  const { indexName, keySchema, projection, throughput, onDemandThroughput } = index;
  return {
    ...{ indexName, keySchema, projection },
    throughput: throughputOf(mode, throughput),
    ...(onDemandThroughput && { onDemandThroughput }),
    warmThroughput: warmOf(mode, index),
  };
}

/** On-demand tables and indexes report zero units. */
export function throughputOf(
  mode: BillingMode,
  provisioned: ProvisionedThroughput | undefined,
): ThroughputDescription {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = mode === 'PROVISIONED' ? (provisioned ?? {}) : {};
  return { ReadCapacityUnits, WriteCapacityUnits, decreasesThatDay: 0 };
}

function warmOf(
  mode: BillingMode,
  { throughput: provisioned, warmThroughput: asked }: RequestedCapacity,
): Required<WarmThroughput> {
  const least =
    mode === 'PAY_PER_REQUEST'
      ? [capacityLimits.onDemandInitialReadUnitsPerSecond, capacityLimits.onDemandInitialWriteUnitsPerSecond]
      : [provisioned?.ReadCapacityUnits ?? 0, provisioned?.WriteCapacityUnits ?? 0];
  return {
    ReadUnitsPerSecond: asked?.ReadUnitsPerSecond ?? least[0]!,
    WriteUnitsPerSecond: asked?.WriteUnitsPerSecond ?? least[1]!,
  };
}

/** The label of a stream is the moment at which it was switched on: `2026-11-15T07:33:00.123`. */
export function streamLabel(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, -1);
}

/** A key may be named by ARN, by alias or by id; a table encrypted without one has the account's key for DynamoDB. */
export function encryptionOf(
  asked: RequestedEncryption | undefined,
  { account, region, kmsKeyId }: Pick<Birth, 'account' | 'region' | 'kmsKeyId'>,
): ServerSideEncryption | undefined {
  if (asked?.enabled !== true) return undefined;
  const key = asked.key ?? kmsKeyId;
  const kmsMasterKeyArn = key.startsWith('arn:')
    ? key
    : `arn:${partitionOf(region)}:kms:${region}:${account}:${key.startsWith('alias/') ? key : `key/${key}`}`;
  return { sseType: 'KMS', kmsMasterKeyArn };
}
