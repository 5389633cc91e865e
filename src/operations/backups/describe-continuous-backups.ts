import { DynamoError } from '../../model/errors.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { tableReference } from '../table-reference.ts';
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
  const { engine, caller } = road;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { scope, tableName } = reference;
  const forbidden = road.passControl(tableName, scope.account);
  if (forbidden !== undefined) return forbidden;
  const record = await engine.catalogue.record(scope, tableName);
  const missing = missingTable(engine, tableName)(record);
  if (missing !== undefined) return missing;
  const settled = await engine.past.eras.settled(scope, record!);
  return { ContinuousBackupsDescription: continuousBackupsAnswer(engine, scope, settled) };
});
