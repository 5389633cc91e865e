import { DynamoError } from '../../model/errors.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, integer, required, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { tableReference } from '../table-reference.ts';
import { invalidRequest } from './backup-errors.ts';
import {
  continuousBackupsAnswer,
  continuousBackupsDescription,
  notYetEnabled,
} from './continuous-backups-answer.ts';

export const updateContinuousBackupsShape = inputShape('UpdateContinuousBackups', {
  TableName: controlTableName,
  PointInTimeRecoverySpecification: required(
    structure('PointInTimeRecoverySpecification', {
      PointInTimeRecoveryEnabled: required(boolean),
      RecoveryPeriodInDays: integer({ min: 1, max: 35 }),
    }),
  ),
});
export interface UpdateContinuousBackupsInput extends InputOf<typeof updateContinuousBackupsShape> {}

export const updateContinuousBackupsOutput = outputShape({
  ContinuousBackupsDescription: required(continuousBackupsDescription),
});
export interface UpdateContinuousBackupsOutput extends OutputOf<typeof updateContinuousBackupsOutput> {}

export const updateContinuousBackups = operation<UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput>(
  updateContinuousBackupsShape,
  updateContinuousBackupsOutput,
  onTable,
  async (road, input) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { PointInTimeRecoveryEnabled: isEnabled, RecoveryPeriodInDays: periodDays } =
      input.PointInTimeRecoverySpecification;
    if (!isEnabled && periodDays !== undefined)
      return invalidRequest('Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.');
    const { scope, tableName } = reference;
    const forbidden = road.passControl(tableName, scope.account);
    if (forbidden !== undefined) return forbidden;
    const refusal = notYetEnabled(engine, scope, tableName);
    const record = isEnabled
      ? await engine.past.recovery.enable(scope, tableName, periodDays, refusal)
      : await engine.past.recovery.disable(scope, tableName, refusal);
    if (record instanceof DynamoError) return record;
    if (isEnabled) engine.past.keeper.wake();
    else engine.removeDropped();
    return { ContinuousBackupsDescription: continuousBackupsAnswer(engine, scope, record) };
  },
);
