import type { Engine } from '../engine/engine.ts';
import { entryPrefix, type Scope, slotCounters } from '../engine/store-keys.ts';
import { type IndexPhase, indexPhaseAt, type TableRecord, type TableStatus } from '../engine/table-record.ts';
import { formatTableArn, partitionOf, type TableArn } from '../model/table-arn.ts';
import type {
  GlobalIndexDescription,
  LocalIndexDescription,
  ThroughputDescription,
} from '../model/table-description.ts';
import { decreasesOnDayOf } from './table-request/change-quotas.ts';

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
  status: TableStatus,
  counts: TableCounts,
  nowMs: number,
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
    WarmThroughput: { ...index.warmThroughput, Status: 'ACTIVE' },
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
    WarmThroughput: { ...table.warmThroughput, Status: 'ACTIVE' },
  };
}

/** `Backfilling` is told of indexes that UpdateTable adds, until they are ready. */
function indexStatus(
  name: string,
  table: TableStatus,
  phase: IndexPhase | undefined,
  nowMs: number,
): { IndexStatus: string; Backfilling?: boolean } {
  if (table === 'CREATING' || table === 'DELETING') return { IndexStatus: table };
  if (phase?.kind === 'deleting' && phase.index.indexName === name) return { IndexStatus: 'DELETING' };
  if (phase?.kind === 'creating' && phase.indexName === name)
    return { IndexStatus: 'CREATING', Backfilling: nowMs >= (phase.backfillsAt ?? 0) };
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
