import { DynamoError } from '../../model/errors.ts';
import { tableArnIn } from '../../model/tables/table-arn.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { RestoreJob } from '../backups/job.ts';
import type { Engine } from '../engine.ts';
import { cutAt, endOfMs } from '../history/eras.ts';
import { invalidRestoreTime } from '../history/recovery.ts';
import { statusAt } from '../tables/parts/lifecycle.ts';
import type { RestoreNote } from '../tables/parts/restore.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import { newTableRecord, type TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { backupInUse, backupNotFound, tableAlreadyExists } from './backup-refusals.ts';
import { ending } from './phases.ts';
import { hasLag, itemCount, replacedSince, restorableTable } from './recovery.ts';
import type { Overrides } from './requests.ts';
import { overridesError, restoredTable } from './restored-table.ts';
import { newBirth, newStorageId } from './table-command.ts';

/** A backup as a request names it. `arn` is how refusals name it. */
export interface NamedBackup extends TableName {
  readonly id: string;
  readonly arn: string;
}

/** Creates a table with the items of a backup. */
export async function restoreFromBackup(
  engine: Engine,
  target: TableName,
  { scope, tableName, id, arn }: NamedBackup,
  overrides: Overrides,
): Promise<TableRecord | DynamoError> {
  const { backups } = engine.past;
  const backup = await backups.find(scope, tableName, id);
  if (backup === undefined) return backupNotFound(arn);
  const refused = await refusedRestore(engine, target, backup.table, overrides);
  if (refused !== undefined) return refused;
  // Not observed on the service, where a backup is created within 50 milliseconds: the words are ours (guess).
  if (backup.status === 'CREATING') return backupInUse(`Backup is being created: ${arn}`);
  const jobId = backups.newJobId();
  const held = (await backups.isInUse(backup)) ? 'busy' : await backups.holdBackup(backup, jobId);
  if (held === 'gone') return backupNotFound(arn);
  if (held === 'busy') return backupInUse(`Backup is being used to restore another table: ${arn}`);
  const { storageId, chunks, digest, items, era, createdAt } = backup;
  return beginRestore(engine, target, {
    source: backup.table,
    overrides,
    from: { kind: 'backup', scope, tableName, backupId: id, backupStorageId: storageId, chunks, digest },
    itemsExpected: items,
    era,
    note: {
      jobId,
      restoreDateTime: createdAt,
      sourceBackupArn: arn,
      sourceTableArn: tableArnIn(backup, tableName),
    },
  });
}

/**
 * Creates a table with the items that another one had at a time; without a time, at the latest that it can be restored
 * to. Recovery is checked first, then the time, then the target (observed: ACK DDB-TABLE-100).
 */
export async function restoreToTime(
  engine: Engine,
  target: TableName,
  source: TableName,
  timeMs: number | undefined,
  overrides: Overrides,
): Promise<TableRecord | DynamoError> {
  const { backups } = engine.past;
  const found = await restorableTable(engine, source);
  if (found instanceof DynamoError) return found;
  const { record, window } = found;
  if (timeMs !== undefined && (timeMs < floorSecond(window.earliestMs) || timeMs > window.latestMs))
    return invalidRestoreTime(timeMs, window);
  const refused = await refusedRestore(engine, target, record.description, overrides);
  if (refused !== undefined) return refused;
  // A time within the first second is that of the beginning: clients know it without its fraction.
  const restoreMs = Math.max(Math.floor(timeMs ?? window.latestMs), window.earliestMs);
  const isNow = timeMs === undefined && !hasLag(engine, source.scope, record);
  const jobId = backups.newJobId();
  const held = await backups.hold(
    source.scope,
    source.tableName,
    jobId,
    async (current) => ({
      at: isNow ? 'now' : await cutAt(engine.store, current, endOfMs(restoreMs), current.recovery!.era),
    }),
    replacedSince(record),
  );
  if (held instanceof DynamoError) return held;
  const past = held.source;
  const begun = await beginRestore(engine, target, {
    source: record.description,
    overrides,
    from: { kind: 'table', source: past },
    itemsExpected: await itemCount(engine, record),
    era: past.cut.era + 1,
    note: {
      jobId,
      restoreDateTime: restoreMs,
      sourceTableArn: tableArnIn(source.scope, source.tableName),
    },
  });
  if (begun instanceof DynamoError) await backups.letGo(past, jobId);
  return begun;
}

async function refusedRestore(
  { catalogue, clock }: Engine,
  { scope, tableName }: TableName,
  source: TableDescription,
  overrides: Overrides,
): Promise<DynamoError | undefined> {
  return (
    overridesError(source, overrides) ??
    targetError(await catalogue.record(scope, tableName), tableName, nowMs(clock))
  );
}

/** Refuses a name that a table has already. */
function targetError(
  record: TableRecord | undefined,
  tableName: string,
  nowMs: number,
): DynamoError | undefined {
  if (record === undefined) return undefined;
  const { restore } = record;
  if (restore === undefined || statusAt(record, nowMs) !== 'CREATING') return tableAlreadyExists(tableName);
  const from =
    restore.sourceBackupArn === undefined
      ? `table: ${restore.sourceTableArn}`
      : `backup: ${restore.sourceBackupArn}`;
  return new DynamoError('TableInUseException', `Table: ${tableName} is already being restored from ${from}`);
}

interface Restore {
  readonly source: TableDescription;
  readonly overrides: Overrides;
  readonly from: RestoreJob['from'];
  readonly itemsExpected: number;
  /** The era that the new table begins with: above those of the items that it gets. */
  readonly era: number;
  readonly note: RestoreNote;
}

/** Creates the table of a restore together with its job, and does the job at once if it is small. */
async function beginRestore(
  engine: Engine,
  { scope, tableName }: TableName,
  { source, overrides, from, itemsExpected, era, note }: Restore,
): Promise<TableRecord | DynamoError> {
  const birth = newBirth(engine, scope);
  const description = restoredTable(source, tableName, overrides, birth);
  const storageId = newStorageId(engine);
  const put: TableRecord = {
    ...newTableRecord(description, storageId),
    order: { era, beganMicros: birth.nowMs * 1000 },
    phases: { filledByJob: true },
    restore: note,
  };
  const chance = engine.random.next();
  const activeAt = ending(engine.effectsOf(scope, tableName), birth.nowMs, restoreMs, chance);
  const { backups } = engine.past;
  const target = { scope, tableName, storageId };
  const job = backups.restoreJob(note.jobId, target, from, itemsExpected, activeAt);
  const created = await engine.catalogue.change(
    scope,
    tableName,
    (current) => targetError(current, tableName, birth.nowMs) ?? { put, also: [job] },
  );
  if (!(created instanceof DynamoError)) await backups.jobs.begin(note.jobId);
  return created;
}

function floorSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Restores of small tables take 81 to 721 seconds (observed: ACK DDB-TABLE-218). */
const restoreMs = [81_000, 721_000] as const;
