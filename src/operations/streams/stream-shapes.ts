import { arnLimits, streamLimits } from '../../model/limits.ts';
import { integer, oneOf, required, string } from '../shapes/shape.ts';

export const streamArn = string({ min: arnLimits.partLengthMin, max: arnLimits.partLengthMax });

export const shardId = string({ min: streamLimits.shardIdLengthMin, max: streamLimits.shardIdLengthMax });

export const listLimit = integer({ min: 1, max: streamLimits.listPageMax });

export const recordsLimit = integer({ min: 1, max: streamLimits.recordsPageMax });

export const shardIterator = required(string({ min: 1, max: streamLimits.shardIteratorLengthMax }));

/** In the order in which Kinesis prints its own, which are these and one more. */
export const shardIteratorType = oneOf(
  'AFTER_SEQUENCE_NUMBER',
  'LATEST',
  'AT_SEQUENCE_NUMBER',
  'TRIM_HORIZON',
);

export const sequenceNumber = string({
  min: streamLimits.sequenceNumberDigitsMin,
  max: streamLimits.sequenceNumberDigitsMax,
});
