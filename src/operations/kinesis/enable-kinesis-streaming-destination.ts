import { enableKinesisDestination } from '../../engine/control/kinesis-destinations.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { changedDestination, enableConfiguration, kinesisStreamArn } from './destination-answer.ts';

const enableKinesisStreamingDestinationShape = inputShape('EnableKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  EnableKinesisStreamingConfiguration: enableConfiguration,
});
export interface EnableKinesisStreamingDestinationInput
  extends InputOf<typeof enableKinesisStreamingDestinationShape> {}

const enableKinesisStreamingDestinationOutput = outputShape({
  ...changedDestination,
  EnableKinesisStreamingConfiguration: required(enableConfiguration),
});
export interface EnableKinesisStreamingDestinationOutput
  extends OutputOf<typeof enableKinesisStreamingDestinationOutput> {}

export const enableKinesisStreamingDestination = operation<
  EnableKinesisStreamingDestinationInput,
  EnableKinesisStreamingDestinationOutput
>(
  enableKinesisStreamingDestinationShape,
  enableKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { StreamArn: streamArn, EnableKinesisStreamingConfiguration: configuration = {} } = input;
    const { ApproximateCreationDateTimePrecision: precision } = configuration;
    const enabled = await enableKinesisDestination(road.engine, reference, streamArn, precision);
    if (enabled instanceof DynamoError) return enabled;
    return {
      TableName: reference.tableName,
      StreamArn: streamArn,
      DestinationStatus: 'ENABLING',
      EnableKinesisStreamingConfiguration: configuration,
    };
  },
);
