import { ServiceError } from '../../kit/service-error.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../failure.ts';
import type { Output } from '../output.ts';
import type { backupOptions } from './past-options.ts';
import { failureOf, onPast, type PastPlace, untilOver } from './past-place.ts';
import { showJob } from './show-job.ts';

interface Backup {
  readonly BackupArn: string;
  readonly BackupName: string;
  readonly BackupStatus: string;
  readonly BackupType: string;
  /** Seconds since 1970. */
  readonly BackupCreationDateTime: number;
  readonly BackupSizeBytes?: number;
  readonly TableName?: string;
}

/** Makes, lists and deletes backups. */
export const backup: Run<typeof backupOptions> = async (
  settings,
  { output, operand: tableName, environment },
) => {
  const { name, list, delete: arn } = settings;
  if (tableName === undefined && !list.value && arn.value === undefined)
    throw new UsageError('There is no table to back up.', 'Write stator backup <table>.');
  await onPast(settings, environment, async (place) => {
    if (arn.value !== undefined) {
      await place.caller.call('DeleteBackup', { BackupArn: arn.value });
      output.result('deleted', { backupArn: arn.value }, () => `Deleted ${arn.value}`);
    } else if (list.value) await listAll(place, tableName, output);
    else await make(place, tableName!, name.value, output);
  });
};

function defaultName(tableName: string): string {
  return `${tableName}-${machine.now().toISOString().slice(0, 19).replaceAll(':', '')}`.slice(-255);
}

async function make(
  place: PastPlace,
  TableName: string,
  name: string | undefined,
  output: Output,
): Promise<void> {
  const began = machine.nowMs();
  const earlier = name === undefined ? undefined : await begunBefore(place, TableName, name);
  if (earlier !== undefined) output.log('info', `Going on with ${earlier}, which was begun before.`);
  const BackupArn = earlier ?? (await begin(place, TableName, name ?? defaultName(TableName)));
  const { BackupDescription } = await untilOver(
    place,
    output,
    `Backup ${BackupArn}`,
    async () => {
      await showJob(place, output, 'backup', TableName, began);
      return place.caller
        .call<DescribedBackup>('DescribeBackup', { BackupArn })
        .catch(async (error: unknown) => {
          if (!(error instanceof ServiceError) || error.name !== 'BackupNotFoundException') throw error;
          throw await failureOf(place, 'backup', TableName, 'What there was of it was removed.', error);
        });
    },
    ({ BackupDescription: each }) => each.BackupDetails.BackupStatus === 'AVAILABLE',
  );
  const { BackupSizeBytes: bytes = 0 } = BackupDescription.BackupDetails;
  const { ItemCount: items } = BackupDescription.SourceTableDetails;
  const ms = machine.nowMs() - began;
  output.result('backed up', { table: TableName, backupArn: BackupArn, items, bytes, ms }, (style) =>
    [
      `${style('bold', TableName)}: ${items} items, ${bytes} bytes in ${(ms / 1000).toFixed(1)} s`,
      BackupArn,
    ].join('\n'),
  );
}

interface DescribedBackup {
  readonly BackupDescription: {
    readonly BackupDetails: Backup;
    readonly SourceTableDetails: { readonly ItemCount: number };
  };
}

async function begin({ caller }: PastPlace, TableName: string, BackupName: string): Promise<string> {
  const { BackupDetails } = await caller.call<{ BackupDetails: Backup }>('CreateBackup', {
    TableName,
    BackupName,
  });
  return BackupDetails.BackupArn;
}

/** The ARN of a backup of that name that the server is still making: an earlier command began it and was stopped. */
async function begunBefore(place: PastPlace, tableName: string, name: string): Promise<string | undefined> {
  return (await allBackups(place, tableName)).find(
    ({ BackupName, BackupStatus }) => BackupName === name && BackupStatus === 'CREATING',
  )?.BackupArn;
}

async function listAll(place: PastPlace, TableName: string | undefined, output: Output): Promise<void> {
  const backups = await allBackups(place, TableName);
  output.result('backups', { backups }, (style) =>
    backups.length === 0
      ? 'There are no backups.'
      : backups
          .map((each) =>
            [
              style('dim', new Date(each.BackupCreationDateTime * 1000).toISOString().slice(0, 19)),
              each.BackupStatus.padEnd(9),
              `${each.BackupSizeBytes ?? 0} bytes`.padStart(16),
              style('bold', `${each.TableName} ${each.BackupName}`),
              each.BackupArn,
            ].join('  '),
          )
          .join('\n'),
  );
}

async function allBackups(place: PastPlace, TableName: string | undefined): Promise<Backup[]> {
  const backups: Backup[] = [];
  for (let after: string | undefined; ; ) {
    const page: { BackupSummaries: Backup[]; LastEvaluatedBackupArn?: string } = await place.caller.call(
      'ListBackups',
      {
        ...(TableName !== undefined && { TableName }),
        BackupType: 'ALL',
        ...(after !== undefined && { ExclusiveStartBackupArn: after }),
      },
    );
    backups.push(...page.BackupSummaries);
    after = page.LastEvaluatedBackupArn;
    if (after === undefined) return backups;
  }
}
