import { trimmed } from '../../engine/change-log/streams.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { streamLimits } from '../../model/limits.ts';
import { nowMs } from '../../runtime/clock.ts';
import { onArn } from '../intents.ts';
import { operation, RawJson } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { attributeMap } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, long, oneOf, required, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import { streamViewType } from '../shapes/table-shapes.ts';

import { arnOfIterator, formatIterator, iteratorMsMax, readIterator } from './shard-iterator.ts';
import { StreamRecords } from './stream-record.ts';
import { findStream, streamNotFound, trimmedDataAccess } from './stream-reference.ts';
import { recordsLimit, shardIterator } from './stream-shapes.ts';

const getRecordsShape = inputShape('GetRecords', {
  ShardIterator: shardIterator,
  Limit: recordsLimit,
});
export interface GetRecordsInput extends InputOf<typeof getRecordsShape> {}

const anonymousRecord = structure('Record', {
  eventID: required(string()),
  eventName: required(oneOf('INSERT', 'MODIFY', 'REMOVE')),
  eventVersion: required(string()),
  eventSource: required(string()),
  awsRegion: required(string()),
  dynamodb: required(
    structure('StreamRecord', {
      ApproximateCreationDateTime: required(timestamp),
      Keys: required(attributeMap),
      NewImage: attributeMap,
      OldImage: attributeMap,
      SequenceNumber: required(string()),
      SizeBytes: required(long()),
      StreamViewType: required(streamViewType),
    }),
  ),
  // Only of items that Time to Live has deleted.
  userIdentity: structure('Identity', { PrincipalId: required(string()), Type: required(string()) }),
});
export interface StreamRecord extends OutputValue<typeof anonymousRecord> {}
const streamRecord: Named<StreamRecord, typeof anonymousRecord> = anonymousRecord;

/** `NextShardIterator` is absent at the end of a closed shard. */
const getRecordsOutput = outputShape({
  Records: required(list(streamRecord)),
  NextShardIterator: string(),
});
export interface GetRecordsOutput extends OutputOf<typeof getRecordsOutput> {}

export const getRecords = operation<GetRecordsInput, GetRecordsOutput>(
  getRecordsShape,
  getRecordsOutput,
  ({ ShardIterator }, road) => onArn(road, arnOfIterator(ShardIterator) ?? ''),
  async (road, input) => {
    const { engine, caller } = road;
    const { changeLog, h16, clock } = engine;
    const arn = arnOfIterator(input.ShardIterator);
    if (arn === undefined) return invalidIterator();
    const stream = await findStream(engine, arn, caller);
    if (stream instanceof DynamoError) return stream;
    const iterator = readIterator(input.ShardIterator, stream.storageId, h16);
    if (iterator === undefined) return invalidIterator();
    if (nowMs(clock) > iterator.issuedAt + iteratorMsMax) return expiredIterator();
    const forbidden = road.passStream(stream, iterator.shardNumber);
    if (forbidden !== undefined) return forbidden;
    changeLog.keeper.touch();
    // Readers ask again and again, and mostly there is nothing.
    let made: StreamRecords | undefined;
    const page = await changeLog.streams.read(
      stream,
      iterator.shardNumber,
      iterator,
      input.Limit ?? streamLimits.recordsPageMax,
      (logged, shard) => {
        made ??= new StreamRecords(stream, shard, h16);
        return made.add(logged, streamLimits.recordsPageBytesMax);
      },
    );
    if (page === undefined) return streamNotFound(arn);
    if (page === trimmed) return trimmedDataAccess();
    const next = { shardNumber: iterator.shardNumber, issuedAt: nowMs(clock), ...page.next };
    // Readers of a stream take no capacity of its table; the service bills them by request.
    const records = made?.chunks(page.records) ?? [];
    road.returnsRecords(page.records.length, lengthOf(records), page.records.at(-1)?.change.writtenMicros);
    return recordsAnswer(records, page.isOver ? undefined : formatIterator(arn, stream.storageId, next, h16));
  },
);

function lengthOf(pieces: readonly (string | Uint8Array)[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** A shard that is closed and read to its end has no next iterator. */
function recordsAnswer(records: readonly (string | Uint8Array)[], next: string | undefined): RawJson {
  const end = next === undefined ? ']}' : `],"NextShardIterator":${JSON.stringify(next)}}`;
  return new RawJson(['{"Records":[', ...records, end]);
}

/** A ValidationException (observed: Alternator's tests); the words are ours (guess). */
function invalidIterator(): DynamoError {
  return validationError('Invalid ShardIterator');
}

/** Nobody recorded the words; these are the model's description of the error. */
function expiredIterator(): DynamoError {
  return new DynamoError(
    'ExpiredIteratorException',
    'The provided iterator exceeds the maximum age allowed.',
  );
}
