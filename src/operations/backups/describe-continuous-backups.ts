import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import {
  continuousBackupsAnswer,
  continuousBackupsDescription,
  missingTable,
} from './continuous-backups-answer.ts';

export const describeContinuousBackupsShape = inputShape('DescribeContinuousBackups', {
  TableName: controlTableName,
});
export interface DescribeContinuousBackupsInput extends InputOf<typeof describeContinuousBackupsShape> {}

export const describeContinuousBackupsOutput = outputShape({
  ContinuousBackupsDescription: required(continuousBackupsDescription),
});
export interface DescribeContinuousBackupsOutput extends OutputOf<typeof describeContinuousBackupsOutput> {}

export const describeContinuousBackups = operation<
  DescribeContinuousBackupsInput,
  DescribeContinuousBackupsOutput
>(describeContinuousBackupsShape, describeContinuousBackupsOutput, onTable, async (road, input) => {
  const { engine } = road;
  const reference = controlTable(road, input.TableName);
  if (reference instanceof DynamoError) return reference;
  const { scope, tableName } = reference;
  const record = await engine.catalogue.record(scope, tableName);
  const missing = missingTable(engine, tableName)(record);
  if (missing !== undefined) return missing;
  const settled = await engine.past.eras.settled(scope, record!);
  return { ContinuousBackupsDescription: continuousBackupsAnswer(engine, scope, settled) };
});
