import { DynamoError, tableNotFound, validationError } from '../../model/errors.ts';
import { endWithTable } from '../change-log/stream-life.ts';
import type { Engine } from '../engine.ts';
import { statusAt, type TableStatus } from '../tables/parts/lifecycle.ts';
import type { TableCounts } from '../tables/parts/table-part.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { readCounts } from './describe-table.ts';
import { indexesBusyError } from './index-phases.ts';
import { busyError, deletionEnd } from './phases.ts';
import { changeTable } from './table-command.ts';

export interface DeletedTable {
  readonly record: TableRecord;
  /** The items that went with the table. */
  readonly counts: TableCounts;
}

/** Deletes a table. Its data goes at once; with recovery on, a system backup of its last state stays. */
export async function deleteTable(engine: Engine, table: TableName): Promise<DeletedTable | DynamoError> {
  const { scope, tableName } = table;
  const chance = engine.random.next();
  const before = await engine.catalogue.record(scope, tableName);
  if (before === undefined) return tableNotFound(tableName);
  const counts = await readCounts(engine, before);
  const system = before.recovery && (await engine.past.backups.systemBackup(scope, before, systemBackupMs));
  const record = await changeTable(engine, table, (current, { nowMs, effects }) => {
    const refused =
      indexesBusyError(effects, current, nowMs) ??
      busyError(current, statusAt(current, nowMs) as TableStatus) ??
      (current.description.deletionProtection ? protectedTable() : undefined);
    if (refused !== undefined) return refused;
    const deletingUntil = deletionEnd(effects, nowMs, chance);
    const keepAs = deletingUntil === undefined ? undefined : { ...current, phases: { deletingUntil } };
    // The backup is of this very table, whose recovery was not switched off or on since it was looked at.
    const isBackedUp = current.recovery !== undefined && current.storageId === before.storageId;
    const backup = isBackedUp ? system : undefined;
    const readers = [...(current.readers ?? []), ...(backup === undefined ? [] : [backup.reader])];
    return {
      drop: readers.length === 0 ? current : { ...current, readers },
      ...(keepAs && { keepAs }),
      retires: readers.length > 0,
      also: [...endWithTable(current, scope, nowMs), ...(backup?.mutations(current) ?? [])],
    };
  });
  if (record instanceof DynamoError) return record;
  engine.capacity.forget(record.storageId);
  if (system !== undefined) await engine.past.backups.jobs.begin(system.jobId);
  engine.jobs.wake();
  if (before.followers !== undefined) engine.changeLog.noteArrival(before.storageId);
  return { record, counts };
}

/** A table with point-in-time recovery leaves a backup for 35 days, which nobody can delete. */
const systemBackupMs = 35 * 86_400_000;

function protectedTable(): DynamoError {
  return validationError(
    'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
  );
}
