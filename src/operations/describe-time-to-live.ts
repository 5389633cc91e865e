import { DynamoError, tableNotFound } from '../model/errors.ts';
import { whenDone } from '../model/maybe-promise.ts';
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

export const describeTimeToLive = operation(describeTimeToLiveShape, (engine, input, caller) => {
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { scope, tableName } = reference;
  return whenDone(engine.catalogue.record(scope, tableName), (record) => {
    if (record === undefined) return tableNotFound(tableName);
    const { ttl } = record.description;
    return {
      TimeToLiveDescription:
        ttl === undefined
          ? { TimeToLiveStatus: 'DISABLED' }
          : { TimeToLiveStatus: 'ENABLED', AttributeName: ttl.attributeName },
    };
  });
});
