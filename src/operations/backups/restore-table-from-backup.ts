import { invalidRequest } from '../../engine/control/backup-refusals.ts';
import { newTableAnswer } from '../../engine/control/describe-table.ts';
import { restoreFromBackup } from '../../engine/control/restore-table.ts';
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
import { backupArnShape, backupReference } from './backup-reference.ts';
import { overrideMembers, overridesOf } from './override-members.ts';

const restoreTableFromBackupShape = inputShape('RestoreTableFromBackup', {
  TargetTableName: required(name),
  BackupArn: required(backupArnShape),
  ...overrideMembers,
});
export interface RestoreTableFromBackupInput extends InputOf<typeof restoreTableFromBackupShape> {}

const restoreTableFromBackupOutput = outputShape({ TableDescription: required(tableDescription) });
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
    const scope = { account: caller.accountId, region: caller.region };
    const restored = await restoreFromBackup(
      engine,
      { scope, tableName: targetName },
      { scope: { account, region }, tableName, id, arn },
      overridesOf(input),
    );
    return restored instanceof DynamoError
      ? restored
      : { TableDescription: newTableAnswer(engine, scope, restored) };
  },
);
