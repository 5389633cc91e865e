import type { KeySchemaElement, StreamViewType } from '../model/table-description.ts';
import type { AttributeMap } from './attribute-value.ts';

export type { DescribeStreamInput } from '../operations/streams/describe-stream.ts';
export type { GetRecordsInput } from '../operations/streams/get-records.ts';
export type { GetShardIteratorInput } from '../operations/streams/get-shard-iterator.ts';
export type { ListStreamsInput } from '../operations/streams/list-streams.ts';

/** Answers of DynamoDB Streams. */

export interface ListStreamsOutput {
  readonly Streams: {
    readonly StreamArn: string;
    readonly TableName: string;
    readonly StreamLabel: string;
  }[];
  readonly LastEvaluatedStreamArn?: string;
}

export interface DescribeStreamOutput {
  readonly StreamDescription: {
    readonly StreamArn: string;
    readonly StreamLabel: string;
    readonly StreamStatus: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
    readonly StreamViewType: StreamViewType;
    readonly CreationRequestDateTime: Date;
    readonly TableName: string;
    readonly KeySchema: KeySchemaElement[];
    readonly Shards: Shard[];
    readonly LastEvaluatedShardId?: string;
  };
}

export interface Shard {
  readonly ShardId: string;
  readonly SequenceNumberRange: {
    readonly StartingSequenceNumber: string;
    /** Of a shard that is closed. */
    readonly EndingSequenceNumber?: string;
  };
  readonly ParentShardId?: string;
}

export interface GetShardIteratorOutput {
  readonly ShardIterator: string;
}

export interface GetRecordsOutput {
  readonly Records: StreamRecord[];
  /** Absent at the end of a closed shard. */
  readonly NextShardIterator?: string;
}

export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: string;
  readonly eventSource: string;
  readonly awsRegion: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: Date;
    readonly Keys: AttributeMap;
    readonly NewImage?: AttributeMap;
    readonly OldImage?: AttributeMap;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: StreamViewType;
  };
  /** Of items that Time to Live has deleted. */
  readonly userIdentity?: { readonly PrincipalId: string; readonly Type: string };
}
