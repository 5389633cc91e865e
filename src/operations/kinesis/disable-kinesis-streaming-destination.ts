import { disableKinesisDestination } from '../../engine/control/kinesis-destinations.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { changedDestination, enableConfiguration, kinesisStreamArn } from './destination-answer.ts';

const disableKinesisStreamingDestinationShape = inputShape('DisableKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  // The configuration is in the model, and refused.
  EnableKinesisStreamingConfiguration: enableConfiguration,
});
export interface DisableKinesisStreamingDestinationInput
  extends InputOf<typeof disableKinesisStreamingDestinationShape> {}

const disableKinesisStreamingDestinationOutput = outputShape(changedDestination);
export interface DisableKinesisStreamingDestinationOutput
  extends OutputOf<typeof disableKinesisStreamingDestinationOutput> {}

export const disableKinesisStreamingDestination = operation<
  DisableKinesisStreamingDestinationInput,
  DisableKinesisStreamingDestinationOutput
>(
  disableKinesisStreamingDestinationShape,
  disableKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const { StreamArn: streamArn } = input;
    if (input.EnableKinesisStreamingConfiguration?.ApproximateCreationDateTimePrecision !== undefined)
      return validationError(
        'Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters',
      );
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const disabled = await disableKinesisDestination(road.engine, reference, streamArn);
    if (disabled instanceof DynamoError) return disabled;
    return { TableName: reference.tableName, StreamArn: streamArn, DestinationStatus: 'DISABLING' };
  },
);
