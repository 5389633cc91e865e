import type { RestoreJob } from '../../engine/backups/job.ts';
import { nowMs } from '../../engine/clock.ts';
import { randomBytes, randomUuid } from '../../engine/randomness.ts';
import { type Scope, storageIdBytes } from '../../engine/store-keys.ts';
import {
  newTableRecord,
  type RestoreNote,
  statusAt,
  type TableRecord,
} from '../../engine/tables/table-record.ts';
import { DynamoError } from '../../model/errors.ts';
import type { TableDescription } from '../../model/tables/table-description.ts';
import { toHex } from '../../model/values/hex.ts';
import type { RequestRoad } from '../request-road.ts';
import { noCounts, tableAnswer } from '../tables/table-answer.ts';
import { ending } from '../tables/table-phases.ts';
import { tableAlreadyExists } from './backup-errors.ts';
import { type Overrides, restoredTable } from './restored-table.ts';

export interface RestoreTarget {
  readonly scope: Scope;
  readonly tableName: string;
  readonly source: TableDescription;
  readonly overrides: Overrides;
  readonly from: RestoreJob['from'];
  readonly itemsExpected: number;
  /** The era that the new table begins with: above those of the items that it gets. */
  readonly era: number;
  readonly note: RestoreNote;
}

/** Refuses a name that a table has already. */
export function targetError(
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

/** Creates the table of a restore together with its job, and does the job at once if it is small. */
export async function beginRestore(
  { engine }: RequestRoad,
  { scope, tableName, source, overrides, from, itemsExpected, era, note }: RestoreTarget,
): Promise<{ TableDescription: object } | DynamoError> {
  const now = nowMs(engine.clock);
  const birth = { tableId: randomUuid(engine.random), kmsKeyId: randomUuid(engine.random) };
  const description = restoredTable(source, tableName, overrides, { nowMs: now, ...scope, ...birth });
  const storageId = toHex(randomBytes(engine.random, storageIdBytes));
  const record: TableRecord = {
    ...newTableRecord(description, storageId, {}),
    order: { era, beganMicros: now * 1000 },
    phases: { filledByJob: true },
    restore: note,
  };
  const chance = engine.random.next();
  const activeAt = ending(engine.effectsOf(scope, tableName), now, restoreMs, chance);
  const job = engine.past.backups.restoreJob(
    note.jobId,
    { scope, tableName, storageId },
    from,
    itemsExpected,
    activeAt,
  );
  const created = await engine.catalogue.change(
    scope,
    tableName,
    (current) => targetError(current, tableName, now) ?? { put: record, also: [job] },
  );
  if (created instanceof DynamoError) return created;
  await engine.past.backups.jobs.begin(note.jobId);
  return { TableDescription: tableAnswer(created, scope, 'CREATING', noCounts, now) };
}

/** Restores of small tables took 81 to 721 seconds on the service in October 2026 (DDB-TABLE-218). */
const restoreMs = [81_000, 721_000] as const;
