import { invalidRequest } from '../../engine/control/backup-refusals.ts';
import { disableRecovery, enableRecovery } from '../../engine/control/recovery.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, integer, required, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { continuousBackupsAnswer, continuousBackupsDescription } from './continuous-backups-answer.ts';

const updateContinuousBackupsShape = inputShape('UpdateContinuousBackups', {
  TableName: controlTableName,
  PointInTimeRecoverySpecification: required(
    structure('PointInTimeRecoverySpecification', {
      PointInTimeRecoveryEnabled: required(boolean),
      RecoveryPeriodInDays: integer({ min: 1, max: 35 }),
    }),
  ),
});
export interface UpdateContinuousBackupsInput extends InputOf<typeof updateContinuousBackupsShape> {}

const updateContinuousBackupsOutput = outputShape({
  ContinuousBackupsDescription: required(continuousBackupsDescription),
});
export interface UpdateContinuousBackupsOutput extends OutputOf<typeof updateContinuousBackupsOutput> {}

export const updateContinuousBackups = operation<UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput>(
  updateContinuousBackupsShape,
  updateContinuousBackupsOutput,
  onTable,
  async (road, input) => {
    const { engine } = road;
    const { PointInTimeRecoveryEnabled: isEnabled, RecoveryPeriodInDays: periodDays } =
      input.PointInTimeRecoverySpecification;
    const reference = controlTable(road, input.TableName, () =>
      !isEnabled && periodDays !== undefined
        ? invalidRequest('Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.')
        : undefined,
    );
    if (reference instanceof DynamoError) return reference;
    const record = isEnabled
      ? await enableRecovery(engine, reference, periodDays)
      : await disableRecovery(engine, reference);
    return record instanceof DynamoError
      ? record
      : { ContinuousBackupsDescription: continuousBackupsAnswer(engine, reference.scope, record) };
  },
);
