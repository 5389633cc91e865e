import { DynamoError } from '../../model/errors.ts';
import { streamLimits } from '../../model/limits.ts';
import { operation } from '../operation.ts';
import { inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { streamArnOf, streamReference } from './stream-reference.ts';
import { listLimit, streamArn } from './stream-shapes.ts';

export interface ListStreamsInput {
  readonly TableName?: string;
  readonly Limit?: number;
  readonly ExclusiveStartStreamArn?: string;
}

export const listStreamsShape = inputShape<ListStreamsInput>('ListStreams', {
  TableName: name,
  Limit: listLimit,
  ExclusiveStartStreamArn: streamArn,
});

/** One more than asked for is read, to know whether there is a next page. A table that is not there has no streams. */
export const listStreams = operation(listStreamsShape, async (road, input) => {
  const { engine, caller } = road;
  const { changeLog } = engine;
  const after =
    input.ExclusiveStartStreamArn === undefined ? undefined : streamReference(input.ExclusiveStartStreamArn);
  if (after instanceof DynamoError) return after;
  const forbidden = road.passControl(input.TableName);
  if (forbidden !== undefined) return forbidden;
  changeLog.keeper.touch();
  const limit = input.Limit ?? streamLimits.listPageMax;
  const scope = { account: caller.accountId, region: caller.region };
  const found = await changeLog.streams.list(scope, input.TableName, after, limit + 1);
  const shown = found.slice(0, limit).map((stream) => ({
    StreamArn: streamArnOf(stream),
    TableName: stream.tableName,
    StreamLabel: stream.label,
  }));
  return {
    Streams: shown,
    ...(found.length > limit && { LastEvaluatedStreamArn: shown.at(-1)!.StreamArn }),
  };
});
