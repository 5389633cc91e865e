import { updateKinesisDestination } from '../../engine/control/kinesis-destinations.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import {
  changedDestination,
  kinesisStreamArn,
  precision as precisionShape,
  updateConfiguration,
} from './destination-answer.ts';

const updateKinesisStreamingDestinationShape = inputShape('UpdateKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  UpdateKinesisStreamingConfiguration: updateConfiguration,
});
export interface UpdateKinesisStreamingDestinationInput
  extends InputOf<typeof updateKinesisStreamingDestinationShape> {}

const updateKinesisStreamingDestinationOutput = outputShape({
  ...changedDestination,
  UpdateKinesisStreamingConfiguration: required(
    structure('UpdateKinesisStreamingConfiguration', {
      ApproximateCreationDateTimePrecision: required(precisionShape),
    }),
  ),
});
export interface UpdateKinesisStreamingDestinationOutput
  extends OutputOf<typeof updateKinesisStreamingDestinationOutput> {}

export const updateKinesisStreamingDestination = operation<
  UpdateKinesisStreamingDestinationInput,
  UpdateKinesisStreamingDestinationOutput
>(
  updateKinesisStreamingDestinationShape,
  updateKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const { StreamArn: streamArn, UpdateKinesisStreamingConfiguration: configuration } = input;
    const precision = configuration?.ApproximateCreationDateTimePrecision;
    if (precision === undefined)
      return validationError(
        'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values',
      );
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const updated = await updateKinesisDestination(road.engine, reference, streamArn, precision);
    if (updated instanceof DynamoError) return updated;
    return {
      TableName: reference.tableName,
      StreamArn: streamArn,
      DestinationStatus: 'UPDATING',
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: precision },
    };
  },
);
