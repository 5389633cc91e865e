import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { BackupRecord } from '../backups/backup-record.ts';
import type { Engine } from '../engine.ts';
import { type RestorableWindow, recoveryUnavailable, restorableWindow } from '../history/recovery.ts';
import { entryPrefix, type Scope, slotCounters } from '../store-keys.ts';
import { statusAt } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { backupTableNotFound } from './backup-refusals.ts';

/** Switches point-in-time recovery on, or changes its period. */
export async function enableRecovery(
  engine: Engine,
  { scope, tableName }: TableName,
  periodDays: number | undefined,
): Promise<TableRecord | DynamoError> {
  const refusal = notYetEnabled(engine, scope, tableName);
  const record = await engine.past.recovery.enable(scope, tableName, periodDays, refusal);
  if (!(record instanceof DynamoError)) engine.past.keeper.wake();
  return record;
}

/** Switches point-in-time recovery off. What it kept is gone. */
export async function disableRecovery(
  engine: Engine,
  { scope, tableName }: TableName,
): Promise<TableRecord | DynamoError> {
  const refusal = notYetEnabled(engine, scope, tableName);
  const record = await engine.past.recovery.disable(scope, tableName, refusal);
  if (!(record instanceof DynamoError)) engine.jobs.wake();
  return record;
}

/** Begins a backup. A small one is done when this returns. */
export function createBackup(
  engine: Engine,
  { scope, tableName }: TableName,
  backupName: string,
): Promise<BackupRecord | DynamoError> {
  return engine.past.backups.create(scope, tableName, backupName, notYetEnabled(engine, scope, tableName));
}

/** The record of a table whose backups are described. `named` is how the refusal of a missing table names it. */
export async function tableWithPast(
  engine: Engine,
  { scope, tableName }: TableName,
  named = tableName,
): Promise<TableRecord | DynamoError> {
  const found = await engine.catalogue.record(scope, tableName);
  return missingTable(engine, named)(found) ?? engine.past.eras.settled(scope, found!);
}

export interface RestorableTable {
  readonly record: TableRecord;
  readonly window: RestorableWindow;
}

/** A table that jobs may read as it was, and the times that they may read. */
export async function restorableTable(
  engine: Engine,
  table: TableName,
  named?: string,
): Promise<RestorableTable | DynamoError> {
  const record = await tableWithPast(engine, table, named);
  if (record instanceof DynamoError) return record;
  const window = windowOf(engine, table.scope, record);
  return window === undefined ? recoveryUnavailable(table.tableName) : { record, window };
}

/** Refuses to read the past of a table that was replaced, or whose recovery was switched off, since it was found. */
export function replacedSince({
  storageId,
  description,
}: TableRecord): (current: TableRecord | undefined) => DynamoError | undefined {
  return (current) =>
    current?.storageId !== storageId || current.recovery === undefined
      ? recoveryUnavailable(description.tableName)
      : undefined;
}

/** The number of items that a job on a table will meet. */
export async function itemCount({ store }: Engine, { storageId }: TableRecord): Promise<number> {
  const [items] = await store.counters([slotCounters(entryPrefix(storageId, 0)).count]);
  return items!;
}

/**
 * The service's latest restorable time trails by five minutes (observed: ACK DDB-TABLE-085). Here only where physics
 * act it out.
 */
const latestLagMs = 300_000;

/** The times that a table can be restored to. Undefined while its recovery is off. */
export function windowOf(engine: Engine, scope: Scope, record: TableRecord): RestorableWindow | undefined {
  return restorableWindow(record, nowMs(engine.clock), hasLag(engine, scope, record) ? latestLagMs : 0);
}

/** Whether the latest restorable time of a table trails behind. Otherwise "latest" is a moment of now. */
export function hasLag(engine: Engine, scope: Scope, { description }: TableRecord): boolean {
  return engine.effectsOf(scope, description.tableName).acts('controlPlanePhases');
}

/** Refuses a table that is being created or deleted: it is not found (observed: ACK DDB-BACKUP-001). */
function missingTable(
  engine: Engine,
  named: string,
): (record: TableRecord | undefined) => DynamoError | undefined {
  const now = nowMs(engine.clock);
  return (record) => {
    const status = record === undefined ? 'gone' : statusAt(record, now);
    return status === 'ACTIVE' || status === 'UPDATING' ? undefined : backupTableNotFound(named);
  };
}

/**
 * For some seconds after a table's creation its backups are only being enabled (observed: ACK DDB-BACKUP-002), where
 * that is acted out.
 */
function notYetEnabled(
  engine: Engine,
  scope: Scope,
  tableName: string,
): (record: TableRecord | undefined) => DynamoError | undefined {
  const acts = engine.effectsOf(scope, tableName).acts('controlPlanePhases');
  const missing = missingTable(engine, tableName);
  const now = nowMs(engine.clock);
  return (record) => {
    const refused = missing(record);
    const createdMs = record?.phases.creatingUntil;
    if (refused !== undefined || !acts || createdMs === undefined) return refused;
    return now < createdMs + enablingMs
      ? new DynamoError(
          'ContinuousBackupsUnavailableException',
          `Backups are being enabled for the table: ${tableName}. Please retry later`,
        )
      : undefined;
  };
}

const enablingMs = 3_000;
