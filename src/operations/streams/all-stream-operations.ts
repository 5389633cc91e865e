import type { Operation } from '../operation.ts';
import { describeStream } from './describe-stream.ts';
import { getRecords } from './get-records.ts';
import { getShardIterator } from './get-shard-iterator.ts';
import { listStreams } from './list-streams.ts';

/** Every operation of DynamoDB Streams, which is an API of its own. */
export const allStreamOperations: readonly Operation[] = [
  describeStream,
  getRecords,
  getShardIterator,
  listStreams,
];
