import { createBackup as createBackupCommand } from '../../engine/control/recovery.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { backupDetails, detailsAnswer } from './backup-answer.ts';

const createBackupShape = inputShape('CreateBackup', {
  TableName: controlTableName,
  BackupName: required(name),
});
export interface CreateBackupInput extends InputOf<typeof createBackupShape> {}

const createBackupOutput = outputShape({ BackupDetails: required(backupDetails) });
export interface CreateBackupOutput extends OutputOf<typeof createBackupOutput> {}

/** The answer says CREATING, also of a backup that is already there (observed: ACK DDB-BACKUP-003). */
export const createBackup = operation<CreateBackupInput, CreateBackupOutput>(
  createBackupShape,
  createBackupOutput,
  onTable,
  async (road, input) => {
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const backup = await createBackupCommand(road.engine, reference, input.BackupName);
    return backup instanceof DynamoError ? backup : { BackupDetails: detailsAnswer(backup, 'CREATING') };
  },
);
