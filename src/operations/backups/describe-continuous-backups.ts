import { tableWithPast } from '../../engine/control/recovery.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { continuousBackupsAnswer, continuousBackupsDescription } from './continuous-backups-answer.ts';

const describeContinuousBackupsShape = inputShape('DescribeContinuousBackups', {
  TableName: controlTableName,
});
export interface DescribeContinuousBackupsInput extends InputOf<typeof describeContinuousBackupsShape> {}

const describeContinuousBackupsOutput = outputShape({
  ContinuousBackupsDescription: required(continuousBackupsDescription),
});
export interface DescribeContinuousBackupsOutput extends OutputOf<typeof describeContinuousBackupsOutput> {}

export const describeContinuousBackups = operation<
  DescribeContinuousBackupsInput,
  DescribeContinuousBackupsOutput
>(describeContinuousBackupsShape, describeContinuousBackupsOutput, onTable, async (road, input) => {
  const reference = controlTable(road, input.TableName);
  if (reference instanceof DynamoError) return reference;
  const { engine } = road;
  const record = await tableWithPast(engine, reference);
  return record instanceof DynamoError
    ? record
    : { ContinuousBackupsDescription: continuousBackupsAnswer(engine, reference.scope, record) };
});
