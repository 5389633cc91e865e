import { withWarmPartitions } from '../../engine/capacity/warm-throughput.ts';
import { nowMs } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { statusAt, type TableRecord, type TableStatus } from '../../engine/tables/table-record.ts';
import { DynamoError } from '../../model/errors.ts';
import { foundTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { readCounts, tableAnswer, tableDescription } from './table-answer.ts';
import { warmingIn } from './table-phases.ts';

export const describeTableShape = inputShape('DescribeTable', {
  TableName: controlTableName,
});
export interface DescribeTableInput extends InputOf<typeof describeTableShape> {}

export const describeTableOutput = outputShape({ Table: required(tableDescription) });
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

/** Describes a table as it is now. */
export async function describeRecord(engine: Engine, scope: Scope, record: TableRecord): Promise<object> {
  // Programs that wait for an index poll it with this operation.
  await engine.indexFiller.attend(record);
  const now = nowMs(engine.clock);
  const counts = await readCounts(engine, record);
  const resources = await engine.modelled(scope, record.description.tableName);
  const description = withWarmPartitions(record.description, resources, engine.capacity.nowMs());
  const status = statusAt(record, now) as TableStatus;
  const warming = warmingIn(engine, scope, record, resources);
  return tableAnswer({ ...record, description }, scope, status, counts, now, warming);
}
