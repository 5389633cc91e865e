import { backupNotFound } from '../../engine/control/backup-refusals.ts';
import { DynamoError } from '../../model/errors.ts';
import { onArn } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { backupDescription, descriptionAnswer } from './backup-answer.ts';
import { backupArnShape, backupFoundBy, backupReference } from './backup-reference.ts';

const describeBackupShape = inputShape('DescribeBackup', { BackupArn: required(backupArnShape) });
export interface DescribeBackupInput extends InputOf<typeof describeBackupShape> {}

const describeBackupOutput = outputShape({ BackupDescription: required(backupDescription) });
export interface DescribeBackupOutput extends OutputOf<typeof describeBackupOutput> {}

/** The Region in the ARN is not looked at, and echoed (observed: ACK DDB-BACKUP-012). */
export const describeBackup = operation<DescribeBackupInput, DescribeBackupOutput>(
  describeBackupShape,
  describeBackupOutput,
  ({ BackupArn }, road) => onArn(road, backupFoundBy(BackupArn, road.caller)),
  async (road, { BackupArn: arn }) => {
    const { engine, caller } = road;
    const reference = backupReference(arn, caller);
    if (reference instanceof DynamoError) return reference;
    const { account, tableName, id } = reference;
    const forbidden = road.passControl(tableName);
    if (forbidden !== undefined) return forbidden;
    const backup = await engine.past.backups.find({ account, region: caller.region }, tableName, id);
    return backup === undefined
      ? backupNotFound(arn)
      : { BackupDescription: descriptionAnswer(backup, backup.status, arn) };
  },
);
