import { deleteTable as deleteTableCommand } from '../../engine/control/delete-table.ts';
import { tableAnswer } from '../../engine/control/describe-table.ts';
import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { leavingTableDescription } from './table-answer.ts';

const deleteTableShape = inputShape('DeleteTable', { TableName: controlTableName });
export interface DeleteTableInput extends InputOf<typeof deleteTableShape> {}

const deleteTableOutput = outputShape({ TableDescription: required(leavingTableDescription) });
export interface DeleteTableOutput extends OutputOf<typeof deleteTableOutput> {}

export const deleteTable = operation<DeleteTableInput, DeleteTableOutput>(
  deleteTableShape,
  deleteTableOutput,
  onTable,
  async (road, input) => {
    const { engine } = road;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const deleted = await deleteTableCommand(engine, reference);
    if (deleted instanceof DynamoError) return deleted;
    const { record, counts } = deleted;
    const answer = { status: 'DELETING', counts, nowMs: nowMs(engine.clock) } as const;
    return { TableDescription: leavingTable(tableAnswer(record, reference.scope, answer)) };
  },
);

/** Unlike DescribeTable, DeleteTable does not say how the table was made (observed: public captures, 2026). */
function leavingTable(described: object): object {
  const {
    AttributeDefinitions: _definitions,
    KeySchema: _keys,
    CreationDateTime: _created,
    LocalSecondaryIndexes: _locals,
    GlobalSecondaryIndexes: _globals,
    WarmThroughput: _warm,
    ...told
  } = described as Readonly<Record<string, unknown>>;
  return told;
}
