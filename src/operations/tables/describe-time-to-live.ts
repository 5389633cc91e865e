import { DynamoError } from '../../model/errors.ts';
import { foundTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { oneOf, required, string, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';

const describeTimeToLiveShape = inputShape('DescribeTimeToLive', {
  TableName: controlTableName,
});
export interface DescribeTimeToLiveInput extends InputOf<typeof describeTimeToLiveShape> {}

const describeTimeToLiveOutput = outputShape({
  TimeToLiveDescription: required(
    structure('TimeToLiveDescription', {
      TimeToLiveStatus: required(oneOf('ENABLING', 'DISABLING', 'ENABLED', 'DISABLED')),
      AttributeName: string(),
    }),
  ),
});
export interface DescribeTimeToLiveOutput extends OutputOf<typeof describeTimeToLiveOutput> {}

export const describeTimeToLive = operation<DescribeTimeToLiveInput, DescribeTimeToLiveOutput>(
  describeTimeToLiveShape,
  describeTimeToLiveOutput,
  onTable,
  async (road, input) => {
    const found = await foundTable(road, input.TableName);
    if (found instanceof DynamoError) return found;
    const { record } = found;
    const { ttl } = record.description;
    if (ttl === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } };
    const TimeToLiveStatus = record.expiry?.filled === false ? 'ENABLING' : 'ENABLED';
    return { TimeToLiveDescription: { TimeToLiveStatus, AttributeName: ttl.attributeName } };
  },
);
