import { backupInUse, backupNotFound, invalidRequest } from '../../engine/control/backup-refusals.ts';
import { utcText } from '../../engine/control/rules/utc-text.ts';
import { DynamoError } from '../../model/errors.ts';
import { onArn } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { backupDescription, descriptionAnswer } from './backup-answer.ts';
import { backupArnShape, backupFoundBy, backupReference } from './backup-reference.ts';

const deleteBackupShape = inputShape('DeleteBackup', { BackupArn: required(backupArnShape) });
export interface DeleteBackupInput extends InputOf<typeof deleteBackupShape> {}

const deleteBackupOutput = outputShape({ BackupDescription: required(backupDescription) });
export interface DeleteBackupOutput extends OutputOf<typeof deleteBackupOutput> {}

export const deleteBackup = operation<DeleteBackupInput, DeleteBackupOutput>(
  deleteBackupShape,
  deleteBackupOutput,
  ({ BackupArn }, road) => onArn(road, backupFoundBy(BackupArn, road.caller)),
  async (road, { BackupArn: arn }) => {
    const { engine, caller } = road;
    const reference = backupReference(arn, caller);
    if (reference instanceof DynamoError) return reference;
    const { account, tableName, id } = reference;
    const forbidden = road.passControl(tableName);
    if (forbidden !== undefined) return forbidden;
    const { backups } = engine.past;
    const backup = await backups.find({ account, region: caller.region }, tableName, id);
    if (backup === undefined) return backupNotFound(arn);
    if (backup.type === 'SYSTEM')
      return invalidRequest(
        `User is not allowed to delete the system backup with arn ${arn}. ` +
          `It will automatically expire on ${utcText(backup.expiresAt!)}`,
      );
    if (await backups.isInUse(backup)) return backupInUse(`Backup is being used to restore table: ${arn}`);
    // Not observed on the service, where a backup is created within 50 milliseconds: the words are ours (guess).
    if (backup.status === 'CREATING') return backupInUse(`Backup is being created: ${arn}`);
    await backups.delete(backup);
    return { BackupDescription: descriptionAnswer(backup, 'DELETED', arn) };
  },
);
