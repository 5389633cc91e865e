import type { DestinationStatus, Precision } from '../engine/destinations/destination.ts';

export type { DescribeKinesisStreamingDestinationInput } from '../operations/kinesis/describe-kinesis-streaming-destination.ts';
export type { DisableKinesisStreamingDestinationInput } from '../operations/kinesis/disable-kinesis-streaming-destination.ts';
export type { EnableKinesisStreamingDestinationInput } from '../operations/kinesis/enable-kinesis-streaming-destination.ts';
export type { UpdateKinesisStreamingDestinationInput } from '../operations/kinesis/update-kinesis-streaming-destination.ts';

/** Answers about Kinesis destinations. */

interface DestinationOutput {
  readonly TableName: string;
  readonly StreamArn: string;
  readonly DestinationStatus: DestinationStatus;
}

export interface EnableKinesisStreamingDestinationOutput extends DestinationOutput {
  readonly EnableKinesisStreamingConfiguration: { readonly ApproximateCreationDateTimePrecision?: Precision };
}

export type DisableKinesisStreamingDestinationOutput = DestinationOutput;

export interface UpdateKinesisStreamingDestinationOutput extends DestinationOutput {
  readonly UpdateKinesisStreamingConfiguration: { readonly ApproximateCreationDateTimePrecision: Precision };
}

export interface DescribeKinesisStreamingDestinationOutput {
  readonly TableName: string;
  readonly KinesisDataStreamDestinations: {
    readonly StreamArn: string;
    readonly DestinationStatus: DestinationStatus;
    readonly DestinationStatusDescription?: string;
    readonly ApproximateCreationDateTimePrecision?: Precision;
  }[];
}
