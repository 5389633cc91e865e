import type { Run } from '../command.ts';
import { Refusal } from '../dynamodb-caller.ts';
import { Failure, UsageError } from '../failure.ts';
import { type restoreOptions, timeOf } from './past-options.ts';
import { onPast, until } from './past-place.ts';

interface TableAnswer {
  readonly TableName: string;
  readonly TableStatus: string;
  readonly ItemCount: number;
  readonly TableSizeBytes: number;
}

/** Restores a backup, or a table with point-in-time recovery, into a new table. */
export const restore: Run<typeof restoreOptions> = async (
  settings,
  { output, operand: source, environment },
) => {
  const { to, at } = settings;
  if (source === undefined || to.value === undefined)
    throw new UsageError(
      'There is nothing to restore, or no name for the new table.',
      'Write stator restore <backup ARN or table> --to <new table>.',
    );
  const isBackup = source.startsWith('arn:') && source.includes('/backup/');
  if (isBackup && at.value !== undefined)
    throw new UsageError('A backup has one moment.', 'Leave --at out, or name a table instead of a backup.');
  const TargetTableName = to.value;
  const began = Date.now();
  await onPast(settings, environment, async (place) => {
    const { caller } = place;
    if (isBackup) await caller.call('RestoreTableFromBackup', { TargetTableName, BackupArn: source });
    else
      await caller.call('RestoreTableToPointInTime', {
        TargetTableName,
        ...(source.startsWith('arn:') ? { SourceTableArn: source } : { SourceTableName: source }),
        ...(at.value === undefined
          ? { UseLatestRestorableTime: true }
          : { RestoreDateTime: timeOf(at.value) / 1000 }),
      });
    const { Table } = await until(
      place,
      async () => {
        const found = await caller
          .call<{ Table: TableAnswer }>('DescribeTable', { TableName: TargetTableName })
          .catch((error: unknown) => {
            if (error instanceof Refusal && error.name === 'ResourceNotFoundException')
              throw new Failure(
                `The restore failed, and table ${TargetTableName} was removed.`,
                "The server's log and /_stator/jobs tell why.",
                error,
              );
            throw error;
          });
        output.progress(`Restoring ${TargetTableName}: ${found.Table.ItemCount} items …`);
        return found;
      },
      ({ Table }) => Table.TableStatus === 'ACTIVE',
    );
    const { ItemCount: items, TableSizeBytes: bytes } = Table;
    const ms = Date.now() - began;
    output.result(
      'restored',
      { source, table: TargetTableName, items, bytes, ms },
      (style) =>
        `${style('bold', TargetTableName)}: ${items} items, ${bytes} bytes in ${(ms / 1000).toFixed(1)} s`,
    );
  });
};
