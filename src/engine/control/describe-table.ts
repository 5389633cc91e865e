import { formatTableArn, partitionOf, type TableArn } from '../../model/tables/table-arn.ts';
import type {
  GlobalIndexDescription,
  LocalIndexDescription,
  ThroughputDescription,
  WarmThroughput,
} from '../../model/tables/table-description.ts';
import type { TableResources } from '../capacity/table-resources.ts';
import { isWarming, withWarmPartitions } from '../capacity/warm-throughput.ts';
import { nowMs } from '../clock.ts';
import type { Engine } from '../engine.ts';
import { isUnderWay } from '../phase-end.ts';
import { entryPrefix, type Scope, slotCounters } from '../store-keys.ts';
import {
  type IndexPhase,
  indexPhaseAt,
  statusAt,
  type TableRecord,
  type TableStatus,
} from '../tables/table-record.ts';
import { decreasesOnDayOf } from './rules/change-quotas.ts';

/** Describes a table as it is now. */
export async function describeRecord(engine: Engine, scope: Scope, record: TableRecord): Promise<object> {
  // Programs that wait for an index poll it with this operation.
  await engine.indexFiller.attend(record);
  const now = nowMs(engine.clock);
  const counts = await readCounts(engine, record);
  const resources = await engine.modelled(scope, record.description.tableName);
  const description = withWarmPartitions(record.description, resources, engine.capacity.nowMs());
  const status = statusAt(record, now) as TableStatus;
  const isWarming = warmingIn(engine, scope, record, resources);
  return tableAnswer({ ...record, description }, scope, { status, counts, nowMs: now, isWarming });
}

/** Describes a table that a command changed at `nowMs`, with the status that begins. */
export async function changedTableAnswer(
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  status: TableStatus,
  nowMs: number,
): Promise<object> {
  const counts = await readCounts(engine, record);
  // The model takes the change now: partitions that it needs come some time from now on, with or without traffic.
  const resources = await engine.modelled(scope, record.description.tableName);
  const isWarming = warmingIn(engine, scope, record, resources);
  return tableAnswer(record, scope, { status, counts, nowMs, isWarming });
}

/** Describes a table that a command has just created. */
export function newTableAnswer({ clock }: Engine, scope: Scope, record: TableRecord): object {
  return tableAnswer(record, scope, { status: 'CREATING', counts: noCounts, nowMs: nowMs(clock) });
}

/** Which of a table and its indexes are being warmed up, where that takes its time: their partitions come minutes later. */
function warmingIn(
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  resources: TableResources | undefined,
): (indexName: string | undefined) => boolean {
  const { tableName } = record.description;
  if (resources === undefined || !engine.effectsOf(scope, tableName, record).acts('controlPlanePhases'))
    return () => false;
  return (name) => isWarming(name === undefined ? resources.main : resources.globalIndex(name));
}

/** The numbers of items and their bytes, of the table and of each of its indexes. */
export interface TableCounts {
  of(slot: number): { readonly count: number; readonly bytes: number };
}

const noCounts: TableCounts = { of: () => ({ count: 0, bytes: 0 }) };

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

/** What a description needs beside the record. */
export interface Described {
  readonly status: TableStatus;
  readonly counts: TableCounts;
  readonly nowMs: number;
  readonly isWarming?: (indexName: string | undefined) => boolean;
}

/** A table as DescribeTable and its siblings describe it. */
export function tableAnswer(
  record: TableRecord,
  scope: Scope,
  { status, counts, nowMs, isWarming = () => false }: Described,
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
  table: TableStatus,
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
