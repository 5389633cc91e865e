import { capacityLimits } from '../../../model/limits.ts';
import { partitionOf } from '../../../model/tables/table-arn.ts';
import type {
  BillingMode,
  GlobalIndexDescription,
  LocalIndexDescription,
  Projection,
  ProvisionedThroughput,
  ServerSideEncryption,
  TableClass,
  TableDescription,
  ThroughputDescription,
  WarmThroughput,
} from '../../../model/tables/table-description.ts';
import type { GlobalIndexInput, LocalIndexInput, SseInput } from '../../shapes/table-shapes.ts';
import type { CreateTableInput } from '../create-table.ts';

/** What a new table is given beside its request. */
export interface Birth {
  readonly nowMs: number;
  readonly tableId: string;
  readonly account: string;
  readonly region: string;
  /** The id of the key that the service would take when none is named. */
  readonly kmsKeyId: string;
}

/** The table that a checked CreateTable request makes. */
export function createdTable(input: CreateTableInput, birth: Birth): TableDescription {
  const mode = input.BillingMode ?? 'PROVISIONED';
  const sse = encryptionOf(input.SSESpecification, birth);
  return {
    tableName: input.TableName,
    tableId: birth.tableId,
    createdAt: birth.nowMs,
    keySchema: input.KeySchema ?? [],
    attributeDefinitions: input.AttributeDefinitions ?? [],
    billing: {
      mode,
      throughput: throughputOf(mode, input.ProvisionedThroughput),
      switchedToOnDemandAt: [],
      ...(mode === 'PAY_PER_REQUEST' && { onDemandSince: birth.nowMs }),
    },
    ...(input.OnDemandThroughput && { onDemandThroughput: input.OnDemandThroughput }),
    warmThroughput: warmOf(mode, input.ProvisionedThroughput, input.WarmThroughput),
    lsis: (input.LocalSecondaryIndexes ?? []).map(localIndexOf),
    gsis: (input.GlobalSecondaryIndexes ?? []).map((index) => globalIndexOf(index, mode)),
    ...(input.StreamSpecification?.StreamEnabled && {
      stream: {
        viewType: input.StreamSpecification.StreamViewType!,
        label: streamLabel(birth.nowMs),
      },
    }),
    deletionProtection: input.DeletionProtectionEnabled ?? false,
    tableClass: (input.TableClass ?? 'STANDARD') as TableClass,
    tableClassChangedAt: [],
    ...(sse && { sse }),
    sseChangedAt: [],
  };
}

function localIndexOf(index: LocalIndexInput): LocalIndexDescription {
  return {
    indexName: index.IndexName,
    keySchema: index.KeySchema,
    projection: index.Projection as Projection,
  };
}

export function globalIndexOf(index: GlobalIndexInput, mode: BillingMode): GlobalIndexDescription {
  return {
    ...localIndexOf(index),
    throughput: throughputOf(mode, index.ProvisionedThroughput),
    ...(index.OnDemandThroughput && { onDemandThroughput: index.OnDemandThroughput }),
    warmThroughput: warmOf(mode, index.ProvisionedThroughput, index.WarmThroughput),
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
  provisioned: ProvisionedThroughput | undefined,
  asked: WarmThroughput | undefined,
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
  sse: SseInput | undefined,
  { account, region, kmsKeyId }: Pick<Birth, 'account' | 'region' | 'kmsKeyId'>,
): ServerSideEncryption | undefined {
  if (sse?.Enabled !== true) return undefined;
  const key = sse.KMSMasterKeyId ?? kmsKeyId;
  const kmsMasterKeyArn = key.startsWith('arn:')
    ? key
    : `arn:${partitionOf(region)}:kms:${region}:${account}:${key.startsWith('alias/') ? key : `key/${key}`}`;
  return { sseType: 'KMS', kmsMasterKeyArn };
}
