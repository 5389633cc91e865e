import { DynamoError } from '../../model/errors.ts';
import { streamLimits } from '../../model/limits.ts';
import { listing } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, required, string, structure } from '../shapes/shape.ts';
import { streamArnOf, streamReference } from './stream-reference.ts';
import { listLimit, streamArn } from './stream-shapes.ts';

const listStreamsShape = inputShape('ListStreams', {
  TableName: name,
  Limit: listLimit,
  ExclusiveStartStreamArn: streamArn,
});
export interface ListStreamsInput extends InputOf<typeof listStreamsShape> {}

const listStreamsOutput = outputShape({
  Streams: required(
    list(
      structure('Stream', {
        StreamArn: required(string()),
        TableName: required(string()),
        StreamLabel: required(string()),
      }),
    ),
  ),
  LastEvaluatedStreamArn: string(),
});
export interface ListStreamsOutput extends OutputOf<typeof listStreamsOutput> {}

/** One more than asked for is read, to know whether there is a next page. A table that is not there has no streams. */
export const listStreams = operation<ListStreamsInput, ListStreamsOutput>(
  listStreamsShape,
  listStreamsOutput,
  ({ ExclusiveStartStreamArn }, road) => listing(road, undefined, ExclusiveStartStreamArn),
  async (road, input) => {
    const { engine, caller } = road;
    const { changeLog } = engine;
    const after =
      input.ExclusiveStartStreamArn === undefined
        ? undefined
        : streamReference(input.ExclusiveStartStreamArn);
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
  },
);
