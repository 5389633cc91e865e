import { endWithTable } from '../../engine/change-log/stream-life.ts';
import { nowMs } from '../../engine/clock.ts';
import { statusAt, type TableStatus } from '../../engine/tables/table-record.ts';
import { DynamoError, tableNotFound, validationError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { indexesBusyError } from './index-phases.ts';
import { leavingTableDescription, readCounts, tableAnswer } from './table-answer.ts';
import { busyError, deletionEnd } from './table-phases.ts';

export const deleteTableShape = inputShape('DeleteTable', { TableName: controlTableName });
export interface DeleteTableInput extends InputOf<typeof deleteTableShape> {}

export const deleteTableOutput = outputShape({ TableDescription: required(leavingTableDescription) });
export interface DeleteTableOutput extends OutputOf<typeof deleteTableOutput> {}

export const deleteTable = operation<DeleteTableInput, DeleteTableOutput>(
  deleteTableShape,
  deleteTableOutput,
  onTable,
  async (road, input) => {
    const { engine } = road;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const now = nowMs(engine.clock);
    const chance = engine.random.next();
    const before = await engine.catalogue.record(scope, tableName);
    const counts = before && (await readCounts(engine, before));
    const system =
      before?.recovery && (await engine.past.backups.systemBackup(scope, before, systemBackupMs));
    const result = await engine.catalogue.change(scope, tableName, (current) => {
      if (current === undefined) return tableNotFound(tableName);
      const effects = engine.effectsOf(scope, tableName, current);
      const busy =
        indexesBusyError(effects, current, now) ?? busyError(current, statusAt(current, now) as TableStatus);
      if (busy !== undefined) return busy;
      if (current.description.deletionProtection) return protectedTable();
      const deletingUntil = deletionEnd(effects, now, chance);
      const keepAs = deletingUntil === undefined ? undefined : { ...current, phases: { deletingUntil } };
      // The backup of this very table, and of one whose recovery was not switched off or on since it was looked at.
      const isBackedUp = current.recovery !== undefined && current.storageId === before?.storageId;
      const readers = [
        ...(current.readers ?? []),
        ...(isBackedUp && system !== undefined ? [system.reader] : []),
      ];
      return {
        drop: readers.length === 0 ? current : { ...current, readers },
        ...(keepAs && { keepAs }),
        retires: readers.length > 0,
        also: [
          ...endWithTable(current, scope, now),
          ...(isBackedUp ? (system?.mutations(current) ?? []) : []),
        ],
      };
    });
    if (result instanceof DynamoError) return result;
    engine.capacity.forget(result.storageId);
    if (system !== undefined) await engine.past.backups.jobs.begin(system.jobId);
    engine.removeDropped();
    if (before?.followers !== undefined) engine.changeLog.noteArrival(before.storageId);
    return { TableDescription: leavingTable(tableAnswer(result, scope, 'DELETING', counts!, now)) };
  },
);

/** Unlike DescribeTable, DeleteTable does not say how the table was made (captures of 2026). */
function leavingTable(described: object): object {
  const {
    AttributeDefinitions: _definitions,
    KeySchema: _keys,
    CreationDateTime: _created,
    LocalSecondaryIndexes: _locals,
    GlobalSecondaryIndexes: _globals,
    WarmThroughput: _warm,
    ...told
  } = described as Readonly<Record<string, unknown>>;
  return told;
}

/** A table with point-in-time recovery leaves a backup for 35 days, which nobody can delete. */
const systemBackupMs = 35 * 86_400_000;

function protectedTable(): DynamoError {
  return validationError(
    'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
  );
}
