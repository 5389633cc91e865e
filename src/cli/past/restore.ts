import { ServiceError } from '../../kit/service-error.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import { type restoreOptions, timeOf } from './past-options.ts';
import { failureOf, onPast, type PastPlace, untilOver } from './past-place.ts';
import { showJob } from './show-job.ts';

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
  const began = machine.nowMs();
  await onPast(settings, environment, async (place) => {
    const { caller } = place;
    if (await isUnderWay(place, TargetTableName, source, at.value))
      output.log('info', `Going on with the restore into ${TargetTableName} that was begun before.`);
    else if (isBackup) await caller.call('RestoreTableFromBackup', { TargetTableName, BackupArn: source });
    else
      await caller.call('RestoreTableToPointInTime', {
        TargetTableName,
        ...(source.startsWith('arn:') ? { SourceTableArn: source } : { SourceTableName: source }),
        ...(at.value === undefined
          ? { UseLatestRestorableTime: true }
          : { RestoreDateTime: timeOf(at.value) / 1000 }),
      });
    const { Table } = await untilOver(
      place,
      output,
      `The restore into ${TargetTableName}`,
      async () => {
        const found = await caller
          .call<{ Table: TableAnswer }>('DescribeTable', { TableName: TargetTableName })
          .catch(async (error: unknown) => {
            if (!(error instanceof ServiceError) || error.name !== 'ResourceNotFoundException') throw error;
            const removed = `Table ${TargetTableName} was removed.`;
            throw await failureOf(place, 'restore', TargetTableName, removed, error);
          });
        await showJob(place, output, 'restore', TargetTableName, began);
        return found;
      },
      ({ Table }) => Table.TableStatus === 'ACTIVE',
    );
    const { ItemCount: items, TableSizeBytes: bytes } = Table;
    const ms = machine.nowMs() - began;
    output.result(
      'restored',
      { source, table: TargetTableName, items, bytes, ms },
      (style) =>
        `${style('bold', TargetTableName)}: ${items} items, ${bytes} bytes in ${(ms / 1000).toFixed(1)} s`,
    );
  });
};

/** Whether the same restore was begun before, by a command that was stopped. */
async function isUnderWay(
  { caller }: PastPlace,
  TableName: string,
  source: string,
  at: string | undefined,
): Promise<boolean> {
  const found = await caller
    .call<{ Table: RestoringTable }>('DescribeTable', { TableName })
    .catch((error: unknown) => {
      if (error instanceof ServiceError && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    });
  const { RestoreInProgress, RestoreDateTime, SourceBackupArn, SourceTableArn } =
    found?.Table.RestoreSummary ?? {};
  if (RestoreInProgress !== true) return false;
  // A restore to another moment is another restore: the service tells that the name is taken.
  if (at !== undefined && RestoreDateTime !== timeOf(at) / 1000) return false;
  return SourceBackupArn === source || SourceTableArn === source || SourceTableArn?.split('/')[1] === source;
}

interface RestoringTable {
  readonly RestoreSummary?: {
    readonly RestoreInProgress?: boolean;
    /** Seconds since 1970. */
    readonly RestoreDateTime?: number;
    readonly SourceBackupArn?: string;
    readonly SourceTableArn?: string;
  };
}
