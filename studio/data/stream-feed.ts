import { call, errorText, ServiceError } from './api.ts';

export type JsonValue = Readonly<Record<string, unknown>>;
export type JsonItem = Readonly<Record<string, JsonValue>>;

export interface Change {
  /** Unique within a stream. */
  readonly id: string;
  readonly shardId: string;
  readonly kind: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly isExpiry: boolean;
  readonly atMs: number;
  readonly keys: JsonItem;
  readonly before: JsonItem | undefined;
  readonly after: JsonItem | undefined;
}

export interface ShardInfo {
  readonly shardId: string;
  readonly parentId: string | undefined;
  readonly isClosed: boolean;
}

interface StreamRecord {
  readonly eventID?: string;
  readonly eventName: Change['kind'];
  readonly userIdentity?: { readonly Type?: string };
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: JsonItem;
    readonly NewImage?: JsonItem;
    readonly OldImage?: JsonItem;
    readonly SequenceNumber: string;
  };
}

const service = 'DynamoDBStreams_20120810';
const quietMs = 700;
/** So many shards are read at once, so that a stream of many does not take all connections of the browser. */
const shardsAtOnce = 4;

export interface FeedHandlers {
  changes(changes: readonly Change[]): void;
  shards(shards: readonly ShardInfo[]): void;
  trouble(text: string | undefined): void;
}

/** Where a feed is in each shard that it knows; undefined at the end of one that is closed. */
export type FeedPlace = Map<string, string | undefined>;

/**
 * Follows a stream through the public API until the signal ends it: from now on, or from the place that an earlier call
 * came to. One pass over all open shards after the other: what the page cannot draw yet is simply asked for later, so
 * that nothing piles up here.
 */
export async function followStream(
  arn: string,
  iterators: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<void> {
  let passes = 0;
  while (!signal.aborted) {
    let found = 0;
    try {
      // New shards appear seldom.
      if (passes++ % 8 === 0) await findShards(arn, iterators, handlers, signal);
      const waiting = [...iterators].filter((entry): entry is [string, string] => entry[1] !== undefined);
      const reader = async () => {
        for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
          found += await readShard(next[0], next[1], iterators, handlers, signal);
      };
      await Promise.all(Array.from({ length: shardsAtOnce }, reader));
      handlers.trouble(undefined);
    } catch (error) {
      if (signal.aborted) return;
      handlers.trouble(errorText(error));
      // An iterator may have expired while the server was away.
      if (error instanceof ServiceError) iterators.clear();
      passes = 0;
      await pause(3_000, signal);
    }
    await pause(found > 0 ? 150 : quietMs, signal);
  }
}

async function findShards(
  arn: string,
  iterators: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = iterators.size === 0;
  const shards: ShardInfo[] = [];
  let start: string | undefined;
  do {
    const { StreamDescription: page } = await call<{
      StreamDescription: {
        Shards: {
          ShardId: string;
          ParentShardId?: string;
          SequenceNumberRange: { EndingSequenceNumber?: string };
        }[];
        LastEvaluatedShardId?: string;
      };
    }>(
      'DescribeStream',
      { StreamArn: arn, ...(start !== undefined && { ExclusiveStartShardId: start }) },
      { service, signal },
    );
    for (const { ShardId, ParentShardId, SequenceNumberRange } of page.Shards)
      shards.push({
        shardId: ShardId,
        parentId: ParentShardId,
        isClosed: SequenceNumberRange.EndingSequenceNumber !== undefined,
      });
    start = page.LastEvaluatedShardId;
  } while (start !== undefined);
  handlers.shards(shards);
  const found: FeedPlace = new Map();
  for (const { shardId, isClosed } of shards) {
    if (iterators.has(shardId) || (isFirst && isClosed)) continue;
    const { ShardIterator } = await call<{ ShardIterator: string }>(
      'GetShardIterator',
      { StreamArn: arn, ShardId: shardId, ShardIteratorType: isFirst ? 'LATEST' : 'TRIM_HORIZON' },
      { service, signal },
    );
    found.set(shardId, ShardIterator);
  }
  for (const [shardId, iterator] of found) iterators.set(shardId, iterator);
}

async function readShard(
  shardId: string,
  iterator: string,
  iterators: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<number> {
  const { Records, NextShardIterator } = await call<{
    Records: StreamRecord[];
    NextShardIterator?: string;
  }>('GetRecords', { ShardIterator: iterator, Limit: 500 }, { service, signal });
  iterators.set(shardId, NextShardIterator);
  if (Records.length > 0) handlers.changes(Records.map((record) => changeOf(record, shardId)));
  return Records.length;
}

function changeOf({ eventID, eventName, userIdentity, dynamodb }: StreamRecord, shardId: string): Change {
  return {
    id: eventID ?? dynamodb.SequenceNumber,
    shardId,
    kind: eventName,
    isExpiry: userIdentity?.Type === 'Service',
    atMs: dynamodb.ApproximateCreationDateTime * 1000,
    keys: dynamodb.Keys,
    before: dynamodb.OldImage,
    after: dynamodb.NewImage,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
