import type { Engine } from '../../engine/engine.ts';
import { isUnderWay } from '../../engine/phase-end.ts';
import { entryPrefix, type Scope, slotCounters } from '../../engine/store-keys.ts';
import {
  type TableStatus as CurrentStatus,
  type IndexPhase,
  indexPhaseAt,
  type TableRecord,
} from '../../engine/tables/table-record.ts';
import { formatTableArn, partitionOf, type TableArn } from '../../model/tables/table-arn.ts';
import type {
  GlobalIndexDescription,
  LocalIndexDescription,
  ThroughputDescription,
  WarmThroughput,
} from '../../model/tables/table-description.ts';
import { boolean, list, long, oneOf, required, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import {
  attributeDefinitions,
  billingMode,
  globalIndexKeySchema,
  onDemandThroughput,
  projectionMembers,
  streamSpecification,
} from '../shapes/table-shapes.ts';
import { decreasesOnDayOf } from './rules/change-quotas.ts';

const tableStatus = oneOf(
  'CREATING',
  'UPDATING',
  'DELETING',
  'ACTIVE',
  'INACCESSIBLE_ENCRYPTION_CREDENTIALS',
  'ARCHIVING',
  'ARCHIVED',
);
export type TableStatus = OutputValue<typeof tableStatus>;

const provisionedThroughputDescription = structure('ProvisionedThroughputDescription', {
  ReadCapacityUnits: required(long()),
  WriteCapacityUnits: required(long()),
  NumberOfDecreasesToday: required(long()),
  LastIncreaseDateTime: timestamp,
  LastDecreaseDateTime: timestamp,
});
export interface ProvisionedThroughputDescription
  extends OutputValue<typeof provisionedThroughputDescription> {}

const warmThroughputDescription = structure('TableWarmThroughputDescription', {
  ReadUnitsPerSecond: required(long()),
  WriteUnitsPerSecond: required(long()),
  Status: required(tableStatus),
});
export interface WarmThroughputDescription extends OutputValue<typeof warmThroughputDescription> {}

const indexMembers = {
  IndexName: required(string()),
  IndexArn: required(string()),
  KeySchema: required(globalIndexKeySchema),
  Projection: required(
    structure('Projection', {
      ...projectionMembers,
      ProjectionType: required(projectionMembers.ProjectionType),
    }),
  ),
  IndexSizeBytes: required(long()),
  ItemCount: required(long()),
};

const anonymousLocalIndexDescription = structure('LocalSecondaryIndexDescription', indexMembers);
export interface LocalSecondaryIndexDescription extends OutputValue<typeof anonymousLocalIndexDescription> {}
const localIndexDescription: Named<LocalSecondaryIndexDescription, typeof anonymousLocalIndexDescription> =
  anonymousLocalIndexDescription;

const anonymousGlobalIndexDescription = structure('GlobalSecondaryIndexDescription', {
  ...indexMembers,
  IndexStatus: required(oneOf('CREATING', 'UPDATING', 'DELETING', 'ACTIVE')),
  Backfilling: boolean,
  ProvisionedThroughput: required(provisionedThroughputDescription),
  OnDemandThroughput: onDemandThroughput,
  WarmThroughput: warmThroughputDescription,
});
export interface GlobalSecondaryIndexDescription
  extends OutputValue<typeof anonymousGlobalIndexDescription> {}
const globalIndexDescription: Named<GlobalSecondaryIndexDescription, typeof anonymousGlobalIndexDescription> =
  anonymousGlobalIndexDescription;

/** DeleteTable does not tell how the table was made (captures of 2026). */
const leavingMembers = {
  TableName: required(string()),
  TableId: required(string()),
  TableArn: required(string()),
  TableStatus: required(tableStatus),
  TableSizeBytes: required(long()),
  ItemCount: required(long()),
  ProvisionedThroughput: required(provisionedThroughputDescription),
  BillingModeSummary: structure('BillingModeSummary', {
    BillingMode: required(billingMode),
    LastUpdateToPayPerRequestDateTime: timestamp,
  }),
  OnDemandThroughput: onDemandThroughput,
  StreamSpecification: streamSpecification,
  LatestStreamLabel: string(),
  LatestStreamArn: string(),
  SSEDescription: structure('SSEDescription', {
    Status: required(string()),
    SSEType: required(string()),
    KMSMasterKeyArn: string(),
    InaccessibleEncryptionDateTime: timestamp,
  }),
  TableClassSummary: structure('TableClassSummary', {
    TableClass: required(string()),
    LastUpdateDateTime: timestamp,
  }),
  DeletionProtectionEnabled: required(boolean),
};

export const leavingTableDescription = structure('TableDescription', leavingMembers);

const anonymousTableDescription = structure('TableDescription', {
  ...leavingMembers,
  /** CreateTable has it only of a request that asks for it. */
  WarmThroughput: warmThroughputDescription,
  CreationDateTime: required(timestamp),
  AttributeDefinitions: required(attributeDefinitions),
  KeySchema: required(globalIndexKeySchema),
  LocalSecondaryIndexes: list(localIndexDescription),
  GlobalSecondaryIndexes: list(globalIndexDescription),
  RestoreSummary: structure('RestoreSummary', {
    SourceBackupArn: string(),
    SourceTableArn: string(),
    RestoreDateTime: required(timestamp),
    RestoreInProgress: required(boolean),
  }),
});
export interface TableDescription extends OutputValue<typeof anonymousTableDescription> {}
export const tableDescription: Named<TableDescription, typeof anonymousTableDescription> =
  anonymousTableDescription;

/** The numbers of items and their bytes, of the table and of each of its indexes. */
export interface TableCounts {
  of(slot: number): { readonly count: number; readonly bytes: number };
}

export const noCounts: TableCounts = { of: () => ({ count: 0, bytes: 0 }) };

/** Counts are exact at the moment of the question; the service refreshes its own about every six hours. */
export async function readCounts(engine: Engine, record: TableRecord): Promise<TableCounts> {
  const slots = [0, ...Object.values(record.slots)];
  const keys = slots.flatMap((slot) => {
    const { count, bytes } = slotCounters(entryPrefix(record.storageId, slot));
    return [count, bytes];
  });
  const sums = await engine.store.counters(keys);
  return {
    of(slot) {
      const at = slots.indexOf(slot) * 2;
      return { count: sums[at] ?? 0, bytes: sums[at + 1] ?? 0 };
    },
  };
}

/** A table as DescribeTable and its siblings tell of it. */
export function tableAnswer(
  record: TableRecord,
  scope: Scope,
  status: CurrentStatus,
  counts: TableCounts,
  nowMs: number,
  isWarming: (indexName: string | undefined) => boolean = () => false,
): object {
  const { description: table } = record;
  const arn: TableArn = {
    partition: partitionOf(scope.region),
    region: scope.region,
    account: scope.account,
    tableName: table.tableName,
  };
  const own = counts.of(0);
  const localIndex = (index: LocalIndexDescription) => {
    const { count, bytes } = counts.of(record.slots[index.indexName] ?? -1);
    return {
      IndexName: index.indexName,
      KeySchema: index.keySchema,
      Projection: index.projection,
      IndexSizeBytes: bytes,
      ItemCount: count,
      IndexArn: formatTableArn({ ...arn, part: { kind: 'index', name: index.indexName } }),
    };
  };
  const phase = indexPhaseAt(record, nowMs);
  const globalIndex = (index: GlobalIndexDescription) => ({
    ...localIndex(index),
    ...indexStatus(index.indexName, status, phase, nowMs),
    ProvisionedThroughput: throughputAnswer(index.throughput, nowMs),
    ...(index.onDemandThroughput && { OnDemandThroughput: index.onDemandThroughput }),
    WarmThroughput: warmAnswer(index.warmThroughput, isWarming(index.indexName)),
  });
  const gsis = phase?.kind === 'deleting' ? [...table.gsis, phase.index] : table.gsis;
  const { billing, tableClass, tableClassChangedAt, stream } = table;
  return {
    AttributeDefinitions: table.attributeDefinitions,
    TableName: table.tableName,
    KeySchema: table.keySchema,
    TableStatus: status,
    CreationDateTime: seconds(table.createdAt),
    ProvisionedThroughput: throughputAnswer(billing.throughput, nowMs),
    TableSizeBytes: own.bytes,
    ItemCount: own.count,
    TableArn: formatTableArn(arn),
    TableId: table.tableId,
    // Absent on a table that was born provisioned and always stayed so.
    ...(billing.onDemandSince !== undefined && {
      BillingModeSummary: {
        BillingMode: billing.mode,
        LastUpdateToPayPerRequestDateTime: seconds(billing.onDemandSince),
      },
    }),
    ...(table.lsis.length > 0 && { LocalSecondaryIndexes: table.lsis.map(localIndex) }),
    ...(gsis.length > 0 && { GlobalSecondaryIndexes: gsis.map(globalIndex) }),
    ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.viewType } }),
    ...(record.latestStreamLabel !== undefined && {
      LatestStreamLabel: record.latestStreamLabel,
      LatestStreamArn: formatTableArn({ ...arn, part: { kind: 'stream', name: record.latestStreamLabel } }),
    }),
    // Told only while the table is being created (DDB-TABLE-216).
    ...(record.restore &&
      status === 'CREATING' && {
        RestoreSummary: {
          ...(record.restore.sourceBackupArn && { SourceBackupArn: record.restore.sourceBackupArn }),
          ...(record.restore.sourceTableArn && { SourceTableArn: record.restore.sourceTableArn }),
          RestoreDateTime: seconds(record.restore.restoreDateTime),
          RestoreInProgress: true,
        },
      }),
    ...(table.sse && {
      SSEDescription: {
        Status: 'ENABLED',
        SSEType: table.sse.sseType,
        KMSMasterKeyArn: table.sse.kmsMasterKeyArn,
      },
    }),
    ...((tableClass !== 'STANDARD' || tableClassChangedAt.length > 0) && {
      TableClassSummary: {
        TableClass: tableClass,
        ...(tableClassChangedAt.length > 0 && { LastUpdateDateTime: seconds(tableClassChangedAt.at(-1)!) }),
      },
    }),
    DeletionProtectionEnabled: table.deletionProtection,
    ...(table.onDemandThroughput && { OnDemandThroughput: table.onDemandThroughput }),
    WarmThroughput: warmAnswer(table.warmThroughput, isWarming(undefined)),
  };
}

function warmAnswer(warm: Required<WarmThroughput>, isWarming: boolean): object {
  return { ...warm, Status: isWarming ? 'UPDATING' : 'ACTIVE' };
}

/** `Backfilling` is told of indexes that UpdateTable adds, until they are ready. */
function indexStatus(
  name: string,
  table: CurrentStatus,
  phase: IndexPhase | undefined,
  nowMs: number,
): { IndexStatus: string; Backfilling?: boolean } {
  if (table === 'CREATING' || table === 'DELETING') return { IndexStatus: table };
  if (phase?.kind === 'deleting' && phase.index.indexName === name) return { IndexStatus: 'DELETING' };
  if (phase?.kind === 'creating' && phase.indexName === name)
    return { IndexStatus: 'CREATING', Backfilling: !isUnderWay(phase.backfillsAt, nowMs) };
  return { IndexStatus: 'ACTIVE' };
}

function throughputAnswer(throughput: ThroughputDescription, nowMs: number): object {
  return {
    ...(throughput.increasedAt !== undefined && { LastIncreaseDateTime: seconds(throughput.increasedAt) }),
    ...(throughput.decreasedAt !== undefined && { LastDecreaseDateTime: seconds(throughput.decreasedAt) }),
    NumberOfDecreasesToday: decreasesOnDayOf(nowMs, throughput),
    ReadCapacityUnits: throughput.ReadCapacityUnits,
    WriteCapacityUnits: throughput.WriteCapacityUnits,
  };
}

/** Timestamps travel as seconds with a fraction. */
function seconds(ms: number): number {
  return ms / 1000;
}
