import { nowMs } from '../../engine/clock.ts';
import { mention } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import { onArn, onRestored } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { refuseNotYet } from '../tables/not-yet.ts';
import { tableDescription } from '../tables/table-answer.ts';
import { backupInUse, backupNotFound, invalidRequest } from './backup-errors.ts';
import { backupArnShape, backupReference, tableArn } from './backup-reference.ts';
import { beginRestore, targetError } from './restore-target.ts';
import { overrideMembers, overridesError } from './restored-table.ts';

export const restoreTableFromBackupShape = inputShape('RestoreTableFromBackup', {
  TargetTableName: required(name),
  BackupArn: required(backupArnShape),
  ...overrideMembers,
});
export interface RestoreTableFromBackupInput extends InputOf<typeof restoreTableFromBackupShape> {}

export const restoreTableFromBackupOutput = outputShape({ TableDescription: required(tableDescription) });
export interface RestoreTableFromBackupOutput extends OutputOf<typeof restoreTableFromBackupOutput> {}

export const restoreTableFromBackup = operation<RestoreTableFromBackupInput, RestoreTableFromBackupOutput>(
  restoreTableFromBackupShape,
  restoreTableFromBackupOutput,
  ({ BackupArn, TargetTableName }, road) => [
    ...onArn(road, BackupArn),
    // AWS asks no permission for the table that was backed up, which need not exist any more.
    mention(`dynamodb:${road.operation}`, BackupArn.split('/backup/')[0]!),
    ...onRestored(road, TargetTableName),
  ],
  async (road, input) => {
    const { engine, caller } = road;
    const { BackupArn: arn, TargetTableName: targetName } = input;
    const reference = refuseNotYet(input, 'VectorIndexOverride') ?? backupReference(arn, caller);
    if (reference instanceof DynamoError) return reference;
    const { tableName, id, account, region } = reference;
    if (region !== caller.region && input.SSESpecificationOverride === undefined)
      return invalidRequest('sseSpecificationOverride must be provided for cross-region restores');
    const forbidden = road.passControl(targetName);
    if (forbidden !== undefined) return forbidden;
    const target = { account: caller.accountId, region: caller.region };
    const { backups } = engine.past;
    const backup = await backups.find({ account, region }, tableName, id);
    if (backup === undefined) return backupNotFound(arn);
    const error = overridesError(backup.table, input);
    if (error !== undefined) return error;
    const taken = targetError(
      await engine.catalogue.record(target, targetName),
      targetName,
      nowMs(engine.clock),
    );
    if (taken !== undefined) return taken;
    // Not observed on the service, where a backup is created within 50 milliseconds: the words are ours.
    if (backup.status === 'CREATING') return backupInUse(`Backup is being created: ${arn}`);
    const jobId = backups.newJobId();
    const held = (await backups.isInUse(backup)) ? 'busy' : await backups.holdBackup(backup, jobId);
    if (held === 'gone') return backupNotFound(arn);
    if (held === 'busy') return backupInUse(`Backup is being used to restore another table: ${arn}`);
    const { storageId, chunks, digest, items, era } = backup;
    return beginRestore(road, {
      scope: target,
      tableName: targetName,
      source: backup.table,
      overrides: input,
      from: {
        kind: 'backup',
        scope: { account, region },
        tableName,
        backupId: id,
        backupStorageId: storageId,
        ...{ chunks, digest },
      },
      itemsExpected: items,
      era,
      note: {
        jobId,
        restoreDateTime: backup.createdAt,
        sourceBackupArn: arn,
        sourceTableArn: tableArn(backup, tableName),
      },
    });
  },
);
