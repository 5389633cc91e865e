import { DynamoError, tableNotFound } from '../../model/errors.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { oneOf, required, string, structure } from '../shapes/shape.ts';

import { controlTableName } from '../shapes/table-shapes.ts';
import { tableReference } from '../table-reference.ts';

export const describeTimeToLiveShape = inputShape('DescribeTimeToLive', {
  TableName: controlTableName,
});
export interface DescribeTimeToLiveInput extends InputOf<typeof describeTimeToLiveShape> {}

export const describeTimeToLiveOutput = outputShape({
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
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const forbidden = road.passControl(tableName, scope.account);
    if (forbidden !== undefined) return forbidden;
    const record = await engine.catalogue.record(scope, tableName);
    if (record === undefined) return tableNotFound(tableName);
    const { ttl } = record.description;
    if (ttl === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } };
    // Whoever waits for it looks at it here, again and again.
    await engine.indexFiller.attend(record);
    const TimeToLiveStatus = record.expiry?.filled === false ? 'ENABLING' : 'ENABLED';
    return { TimeToLiveDescription: { TimeToLiveStatus, AttributeName: ttl.attributeName } };
  },
);
