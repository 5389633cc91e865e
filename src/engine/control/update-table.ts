import { DynamoError } from '../../model/errors.ts';
import { randomUuid } from '../../runtime/randomness.ts';
import { withWarmPartitions } from '../capacity/warm-throughput.ts';
import { emptyLog, type LogBeginning } from '../change-log/log-beginning.ts';
import { beginStream, endStream, type StreamChange } from '../change-log/stream-life.ts';
import type { Engine } from '../engine.ts';
import { indexBehaviours } from '../indexes/index-behaviour.ts';
import { addIndex, removeIndex } from '../indexes/index-life.ts';
import type { Scope } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import { changedTable, type TableDescription } from '../tables/table-parts.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { creatingIndex, deletingIndex, updateBusyError } from './index-phases.ts';
import { updatePhases } from './phases.ts';
import type { NewGlobalIndex, TableChange } from './requests.ts';
import { protectionIntervalError, withoutChanges } from './rules/short-intervals.ts';
import { tableChangeError } from './rules/table-change-rules.ts';
import { throughputQuota } from './rules/throughput-rules.ts';
import { nextStreamLabel, withStreamLabel } from './stream-label.ts';
import { changeTable, type Moment } from './table-command.ts';

export interface UpdatedTable {
  readonly record: TableRecord;
  /** The description that the last decision saw. */
  readonly before: TableDescription;
  readonly nowMs: number;
}

/** Changes a table. The request was checked by itself. */
export async function updateTable(
  engine: Engine,
  table: TableName,
  request: TableChange,
): Promise<UpdatedTable | DynamoError> {
  const { scope, tableName } = table;
  const kmsKeyId = randomUuid(engine.random);
  const stream = await streamPreparation(engine, table, request);
  // Drawn once, before: deciding may be done more than once and must come to the same.
  const chance = engine.random.next();
  const modelled = await engine.modelled(scope, tableName);
  const quota = throughputQuota(scope.region, engine.quotas);
  const isToggling = request.deletionProtection !== undefined;
  // Only reported, never decided upon: whatever the last decision saw.
  let seen: Omit<UpdatedTable, 'record'> | undefined;
  const record = await changeTable(engine, table, (current, moment) => {
    const { nowMs, effects } = moment;
    const before = current.description;
    seen = { before, nowMs };
    const warm = withWarmPartitions(before, modelled, engine.capacity.nowMs());
    const judged = effects.limitsChanges ? warm : withoutChanges(warm);
    const isSlow = isToggling && effects.acts('changeQuotas');
    const refused =
      updateBusyError(request, current, nowMs) ??
      tableChangeError(request, judged, nowMs, quota) ??
      (isSlow ? protectionIntervalError(current, nowMs) : undefined);
    if (refused !== undefined) return refused;
    const description = changedTable(request, before, { nowMs, kmsKeyId, ...scope });
    const updated: TableRecord = {
      ...current,
      description: stream === undefined ? description : withStreamLabel(description, stream.label),
      epoch: current.epoch + 1,
      phases: updatePhases(effects, request, current, nowMs, chance),
      ...(isSlow && { protectionChangedAt: nowMs }),
    };
    const log = stream?.log ?? emptyLog(updated);
    const { record: streaming, mutations } = streamChange(engine, request, updated, scope, log, nowMs);
    const change = withIndexChange(request, current, streaming, scope, moment, chance);
    return { ...change, also: [...(change.also ?? []), ...mutations] };
  });
  if (record instanceof DynamoError) return record;
  if (request.stream !== undefined) engine.changeLog.noteArrival(record.storageId);
  const { created, deleted } = indexChangeIn(request);
  if (created !== undefined) await engine.indexFiller.begin(record);
  if (deleted !== undefined) engine.jobs.wake();
  return { record, ...seen! };
}

/** What a stream that is to begin needs to know before it begins. */
async function streamPreparation(
  engine: Engine,
  { scope, tableName }: TableName,
  { stream: asked }: TableChange,
): Promise<{ readonly label: string; readonly log: LogBeginning | undefined } | undefined> {
  if (asked?.enabled !== true) return undefined;
  const before = await engine.catalogue.record(scope, tableName);
  return {
    label: await nextStreamLabel(engine, scope, tableName),
    log: before && (await engine.changeLog.beginning(scope, before)),
  };
}

/** Begins or ends the table's stream. The record has its new epoch already. */
function streamChange(
  { h16 }: Engine,
  { stream: asked }: TableChange,
  updated: TableRecord,
  scope: Scope,
  log: LogBeginning,
  nowMs: number,
): StreamChange {
  if (asked === undefined) return { record: updated, mutations: [] };
  return asked.enabled ? beginStream(updated, scope, { nowMs, h16, log }) : endStream(updated, scope, nowMs);
}

/** The one index that a request creates or deletes. */
export function indexChangeIn({ indexes = [] }: TableChange): {
  readonly created: NewGlobalIndex | undefined;
  readonly deleted: string | undefined;
} {
  const creation = indexes.find((change) => change.kind === 'create');
  const deletion = indexes.find((change) => change.kind === 'delete');
  return { created: creation?.index, deleted: deletion?.indexName };
}

function withIndexChange(
  request: TableChange,
  current: TableRecord,
  updated: TableRecord,
  scope: Scope,
  { effects, nowMs }: Moment,
  chance: number,
): RecordChange {
  const { created, deleted } = indexChangeIn(request);
  if (created !== undefined)
    return addIndex(updated, scope, creatingIndex(effects, created.indexName, nowMs, chance), nowMs);
  if (deleted === undefined) return { put: updated };
  const index = indexBehaviours.global
    .in(current.description)
    .find(({ indexName }) => indexName === deleted)!;
  return removeIndex(updated, deleted, deletingIndex(effects, index, nowMs, chance));
}
