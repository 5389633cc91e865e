import type { DynamoError } from '../../model/errors.ts';
import type { GlobalIndexDescription } from '../../model/tables/table-description.ts';
import type { TableEffects } from '../capacity/mode-settings.ts';
import { isUnderWay } from '../phase-end.ts';
import { type CreatingIndex, type DeletingIndex, indexPhaseAt } from '../tables/parts/index-phase.ts';
import { statusAt, type TableStatus } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { busyError, ending, indexAllocationMs, indexDeletionMs, inUse } from './phases.ts';
import { addsOrRemoves, type TableChange } from './requests.ts';
import { oneIndexAtATime } from './rules/index-rules.ts';

/**
 * What an index goes through when UpdateTable adds or deletes it, and what is refused meanwhile. The times (observed:
 * ACK, October 2026): 24 to 56 seconds until the table is ACTIVE again and backfilling begins, 8 to 17 minutes until
 * the index is ACTIVE, even of an empty table; 2.6 to 5 seconds of DELETING. The refusals are from the same notes
 * (observed: ACK DDB-TABLE-149, -175, -376, -444, -458). Those for changes of a stream and of ceilings while an index
 * is deleted are worded after their neighbours (inferred). The double space in `Index is being …` is in messages of the
 * service (observed: user reports).
 */
export function creatingIndex(
  effects: TableEffects,
  indexName: string,
  now: number,
  chance: number,
): CreatingIndex {
  const backfillsAt = ending(effects, now, indexAllocationMs, chance);
  const activeAt = ending(effects, now, [468_000, 1_003_000], chance);
  return {
    kind: 'creating',
    indexName,
    filled: false,
    ...(backfillsAt !== undefined && { backfillsAt }),
    ...(activeAt !== undefined && { activeAt }),
  };
}

export function deletingIndex(
  effects: TableEffects,
  index: GlobalIndexDescription,
  now: number,
  chance: number,
): DeletingIndex | undefined {
  const until = ending(effects, now, indexDeletionMs, chance);
  return until === undefined ? undefined : { kind: 'deleting', index, until };
}

/** The refusal of an UpdateTable while another change is under way. */
export function updateBusyError(
  request: TableChange,
  record: TableRecord,
  nowMs: number,
): DynamoError | undefined {
  const status = statusAt(record, nowMs) as TableStatus;
  if (status === 'CREATING' || status === 'DELETING') return busyError(record, status);
  const phase = indexPhaseAt(record, nowMs);
  if (phase?.kind === 'creating') return whileCreating(request, record, phase, nowMs);
  if (phase?.kind === 'deleting') return whileDeleting(request, record, phase);
  if (status === 'UPDATING' && request.indexes?.some(addsOrRemoves)) return indexChangeWhileUpdating(record);
  return busyError(record, status);
}

function whileCreating(
  request: TableChange,
  { description: { tableName } }: TableRecord,
  { indexName, backfillsAt }: CreatingIndex,
  nowMs: number,
): DynamoError | undefined {
  const isBackfilling = !isUnderWay(backfillsAt, nowMs);
  for (const change of request.indexes ?? []) {
    if (change.kind === 'create' || (change.kind === 'delete' && change.indexName !== indexName))
      return oneIndexAtATime();
    if (isBackfilling) continue;
    if (change.kind === 'delete')
      return inUse(
        'Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index ' +
          `is active. Table: ${tableName} Index: ${indexName}`,
      );
    if (change.indexName === indexName)
      return inUse(
        `Index is being created but is not backfilling yet.  Table: ${tableName} Index: ${indexName}`,
      );
  }
  if (request.stream !== undefined) return inUse("Can't change stream status when an index is being created");
  if (isBackfilling) return undefined;
  if (changesUnits(request))
    return inUse(
      `Can't change table IOPS when an index is being created. Table: ${tableName} Indexes: [${indexName}]`,
    );
  if (request.onDemandThroughput !== undefined)
    return inUse(
      `OnDemandThroughput cannot be updated while index creation is in progress for indexes: [${indexName}]`,
    );
  return undefined;
}

function whileDeleting(
  request: TableChange,
  { description: { tableName } }: TableRecord,
  { index: { indexName } }: DeletingIndex,
): DynamoError | undefined {
  for (const change of request.indexes ?? []) {
    if (change.kind !== 'create' && change.indexName === indexName)
      return inUse(`Index is being deleted.  Table: ${tableName} Index: ${indexName}`);
    if (addsOrRemoves(change)) return oneIndexAtATime();
  }
  if (request.stream !== undefined) return inUse("Can't change stream status when an index is being deleted");
  if (changesUnits(request))
    return inUse(
      `Can't change table IOPS when an index is being deleted. Table: ${tableName} Indexes: [${indexName}]`,
    );
  if (request.onDemandThroughput !== undefined)
    return inUse(
      `OnDemandThroughput cannot be updated while index deletion is in progress for indexes: [${indexName}]`,
    );
  return undefined;
}

function changesUnits({ throughput, billingMode }: TableChange): boolean {
  return throughput !== undefined || billingMode !== undefined;
}

function indexChangeWhileUpdating({ description: { tableName }, phases }: TableRecord): DynamoError {
  switch (phases.updating) {
    case 'stream':
      return inUse("Can't create or delete an index when stream status is being updated.");
    case 'class':
      return inUse("Can't create or delete an index when a table class update is in progress.");
    default:
      return inUse(`Can't create or delete indexes while table IOPS are being updated. Table: ${tableName}`);
  }
}

/** DeleteTable has to wait for the indexes, where waiting is acted out. */
export function indexesBusyError(
  effects: TableEffects,
  record: TableRecord,
  nowMs: number,
): DynamoError | undefined {
  return effects.acts('controlPlanePhases') && indexPhaseAt(record, nowMs) !== undefined
    ? inUse('Cannot delete table while indexes are being created, updated, or deleted.')
    : undefined;
}
