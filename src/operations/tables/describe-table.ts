import { describeRecord } from '../../engine/control/describe-table.ts';
import { DynamoError } from '../../model/errors.ts';
import { foundTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { tableDescription } from './table-answer.ts';

export const describeTableShape = inputShape('DescribeTable', {
  TableName: controlTableName,
});
export interface DescribeTableInput extends InputOf<typeof describeTableShape> {}

const describeTableOutput = outputShape({ Table: required(tableDescription) });
export interface DescribeTableOutput extends OutputOf<typeof describeTableOutput> {}

export const describeTable = operation<DescribeTableInput, DescribeTableOutput>(
  describeTableShape,
  describeTableOutput,
  onTable,
  async (road, input) => {
    const found = await foundTable(road, input.TableName);
    return found instanceof DynamoError
      ? found
      : { Table: await describeRecord(road.engine, found.scope, found.record) };
  },
);
