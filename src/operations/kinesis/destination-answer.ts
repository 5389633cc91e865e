import { type DynamoError, validationError } from '../../model/errors.ts';
import { oneOf, required, string, structure } from '../shapes/shape.ts';

/** The service has one sentence for all of these, whatever was asked for. */
export function wrongState(detail: string): DynamoError {
  return validationError(`Table is not in a valid state to enable Kinesis Streaming Destination: ${detail}`);
}

/** The length that the model asks for is not checked by the service (measured with `not-an-arn`, October 2026). */
export const kinesisStreamArn = required(string());

export const precision = oneOf('MILLISECOND', 'MICROSECOND');

export const destinationStatus = oneOf(
  'ENABLING',
  'ACTIVE',
  'DISABLING',
  'DISABLED',
  'ENABLE_FAILED',
  'UPDATING',
);

/** Members that the answers of the operations which change a destination share. */
export const changedDestination = {
  TableName: required(string()),
  StreamArn: required(string()),
  DestinationStatus: required(destinationStatus),
};

export const enableConfiguration = structure('EnableKinesisStreamingConfiguration', {
  ApproximateCreationDateTimePrecision: precision,
});

export const updateConfiguration = structure('UpdateKinesisStreamingConfiguration', {
  ApproximateCreationDateTimePrecision: precision,
});
