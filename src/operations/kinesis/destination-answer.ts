import { oneOf, required, string, structure } from '../shapes/shape.ts';

/** The length that the model asks for is not checked by the service (observed: ACK, `not-an-arn`, October 2026). */
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
