import { nowMs } from '../../engine/clock.ts';
import { destinationStatusAt } from '../../engine/destinations/destination.ts';
import { DynamoError } from '../../model/errors.ts';
import { operation } from '../operation.ts';
import { inputShape } from '../shapes/input-shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { tableReference } from '../table-reference.ts';
import { attendDestinations, knownTable } from './destination-table.ts';

export interface DescribeKinesisStreamingDestinationInput {
  readonly TableName: string;
}

export const describeKinesisStreamingDestinationShape = inputShape<DescribeKinesisStreamingDestinationInput>(
  'DescribeKinesisStreamingDestination',
  { TableName: controlTableName },
);

export const describeKinesisStreamingDestination = operation(
  describeKinesisStreamingDestinationShape,
  async (road, input) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const forbidden = road.passControl(tableName, scope.account);
    if (forbidden !== undefined) return forbidden;
    const now = nowMs(engine.clock);
    const before = knownTable(await engine.catalogue.record(scope, tableName), tableName, now);
    if (before instanceof DynamoError) return before;
    await attendDestinations(engine, scope, before);
    const record = knownTable(await engine.catalogue.record(scope, tableName), tableName, now);
    if (record instanceof DynamoError) return record;
    const isLeaving = record.phases.deletingUntil !== undefined;
    const shown = (record.destinations ?? []).map((destination) => {
      const { streamArn, precision, description } = destination;
      const status = destinationStatusAt(destination, now);
      return {
        StreamArn: streamArn,
        // While its table is deleted, an active one is shown as updating (measured, October 2026).
        DestinationStatus: isLeaving && status === 'ACTIVE' ? 'UPDATING' : status,
        ...(description !== undefined &&
          status !== 'ENABLING' && { DestinationStatusDescription: description }),
        ...(precision && { ApproximateCreationDateTimePrecision: precision }),
      };
    });
    return { TableName: tableName, KinesisDataStreamDestinations: shown };
  },
);
