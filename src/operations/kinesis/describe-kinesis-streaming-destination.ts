import { tableWithDestinations } from '../../engine/control/kinesis-destinations.ts';
import { destinationStatusAt } from '../../engine/destinations/destination.ts';
import { isLeaving } from '../../engine/tables/parts/lifecycle.ts';
import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, required, string, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { destinationStatus, precision as precisionShape } from './destination-answer.ts';

const describeKinesisStreamingDestinationShape = inputShape('DescribeKinesisStreamingDestination', {
  TableName: controlTableName,
});
export interface DescribeKinesisStreamingDestinationInput
  extends InputOf<typeof describeKinesisStreamingDestinationShape> {}

const describeKinesisStreamingDestinationOutput = outputShape({
  TableName: required(string()),
  KinesisDataStreamDestinations: required(
    list(
      structure('KinesisDataStreamDestination', {
        StreamArn: required(string()),
        DestinationStatus: required(destinationStatus),
        DestinationStatusDescription: string(),
        ApproximateCreationDateTimePrecision: precisionShape,
      }),
    ),
  ),
});
export interface DescribeKinesisStreamingDestinationOutput
  extends OutputOf<typeof describeKinesisStreamingDestinationOutput> {}

export const describeKinesisStreamingDestination = operation<
  DescribeKinesisStreamingDestinationInput,
  DescribeKinesisStreamingDestinationOutput
>(
  describeKinesisStreamingDestinationShape,
  describeKinesisStreamingDestinationOutput,
  onTable,
  async (road, input) => {
    const { engine } = road;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const record = await tableWithDestinations(engine, reference);
    if (record instanceof DynamoError) return record;
    const now = nowMs(engine.clock);
    const shown = (record.destinations ?? []).map((destination) => {
      const { streamArn, precision, description } = destination;
      const status = destinationStatusAt(destination, now);
      return {
        StreamArn: streamArn,
        // While its table is deleted, an active one is shown as updating (observed: ACK, October 2026).
        DestinationStatus: isLeaving(record) && status === 'ACTIVE' ? 'UPDATING' : status,
        ...(description !== undefined &&
          status !== 'ENABLING' && { DestinationStatusDescription: description }),
        ...(precision && { ApproximateCreationDateTimePrecision: precision }),
      };
    });
    return { TableName: reference.tableName, KinesisDataStreamDestinations: shown };
  },
);
