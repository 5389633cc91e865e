import type { StreamNote } from '../../engine/change-log/stream-note.ts';
import type { Engine } from '../../engine/engine.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { parseTableArn, tableArnIn } from '../../model/tables/table-arn.ts';
import type { Caller } from '../operation.ts';

/** What the ARN of a stream says. */
export interface StreamReference {
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly label: string;
}

/**
 * A text that is no ARN of a stream is a ValidationException (observed: Alternator's tests); the words are ours
 * (guess).
 */
export function streamReference(text: string): StreamReference | DynamoError {
  const arn = parseTableArn(text);
  if (arn?.part?.kind !== 'stream') return validationError(`Invalid StreamArn: ${text}`);
  return { account: arn.account, region: arn.region, tableName: arn.tableName, label: arn.part.name };
}

/** The stream of an ARN. Endpoints know only the streams of their own Region. */
export async function findStream(
  engine: Engine,
  arn: string,
  caller: Caller,
): Promise<StreamNote | DynamoError> {
  const reference = streamReference(arn);
  if (reference instanceof DynamoError) return reference;
  const { tableName, label } = reference;
  const found =
    reference.region === caller.region
      ? await engine.changeLog.streams.find(reference, tableName, label)
      : undefined;
  return found ?? streamNotFound(arn);
}

export function streamNotFound(arn: string): DynamoError {
  return notFound(`Stream: ${arn} not found`);
}

/** Worded after the stream's; nobody recorded the service's text for an unknown shard. */
export function shardNotFound(shardId: string, arn: string): DynamoError {
  return notFound(`Shard: ${shardId} in Stream: ${arn} not found`);
}

function notFound(what: string): DynamoError {
  return new DynamoError('ResourceNotFoundException', `Requested resource not found: ${what}`);
}

/** The text of the error (observed: user reports, node-dynamodb-stream issue 13, 2019). */
export function trimmedDataAccess(): DynamoError {
  return new DynamoError('TrimmedDataAccessException', 'The data you are trying to access has been trimmed');
}

export function streamArnOf({ account, region, tableName, label }: StreamNote): string {
  return tableArnIn({ account, region }, tableName, { kind: 'stream', name: label });
}
