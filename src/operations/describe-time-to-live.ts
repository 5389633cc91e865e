import { DynamoError, tableNotFound } from '../model/errors.ts';
import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';
import { controlTableName } from './shapes/table-shapes.ts';
import { tableReference } from './table-reference.ts';

export interface DescribeTimeToLiveInput {
  readonly TableName: string;
}

export const describeTimeToLiveShape = inputShape<DescribeTimeToLiveInput>('DescribeTimeToLive', {
  TableName: controlTableName,
});

export const describeTimeToLive = operation(describeTimeToLiveShape, async (road, input) => {
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
});
