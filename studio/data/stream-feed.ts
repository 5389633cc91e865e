import type { ChangeEvent } from '../../src/model/stored/change-event.ts';
import { call, errorText, ServiceError } from './api.ts';
import { serverClock } from './physics.ts';
import { whenSeen } from './seen.ts';

export type JsonValue = Readonly<Record<string, unknown>>;
export type JsonItem = Readonly<Record<string, JsonValue>>;

export interface Change {
  /** Unique within a stream. */
  readonly id: string;
  readonly shardId: string;
  readonly kind: ChangeEvent;
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

interface ShardPlace {
  /** Undefined at the end of a closed shard, and until one is asked for. */
  iterator: string | undefined;
  /** The sequence number of the last record that was read. It outlives every iterator. */
  last?: string;
  isOver?: boolean;
  /** Records up to this time are older than the feed. */
  notBeforeMs?: number;
}

/** Where a feed is: an iterator is worth fifteen minutes, so that a pause or a moved clock outlasts it. */
export interface FeedPlace {
  readonly shards: Map<string, ShardPlace>;
  /** When the feed began, by the clock of the database. */
  sinceMs?: number;
}

export function newFeedPlace(): FeedPlace {
  return { shards: new Map() };
}

/**
 * Follows a stream through the public API until the signal ends it: from now on, or from the place that an earlier call
 * came to. One pass over all open shards after the other: what the page cannot draw yet is simply asked for later, so
 * that nothing piles up here.
 */
export async function followStream(
  arn: string,
  place: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<void> {
  let passes = 0;
  while (!signal.aborted) {
    let found = 0;
    await whenSeen(signal);
    if (signal.aborted) return;
    try {
      // New shards appear seldom.
      if (passes++ % 8 === 0) await findShards(arn, place, handlers, signal);
      const waiting = [...place.shards].filter(([, { iterator }]) => iterator !== undefined);
      const reader = async () => {
        for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
          found += await readShard(next[0], next[1], handlers, signal);
      };
      await Promise.all(Array.from({ length: shardsAtOnce }, reader));
      handlers.trouble(undefined);
    } catch (error) {
      if (signal.aborted) return;
      // Iterators expire, while a feed is paused, the server is away or the clock is moved. The places outlast them.
      if (error instanceof ServiceError)
        for (const shard of place.shards.values()) shard.iterator = undefined;
      passes = 0;
      if (!(error instanceof ServiceError && outlasted.has(error.name))) {
        handlers.trouble(errorText(error));
        await pause(3_000, signal);
      }
    }
    await pause(found > 0 ? 150 : quietMs, signal);
  }
}

const outlasted: ReadonlySet<string> = new Set(['ExpiredIteratorException', 'TrimmedDataAccessException']);

async function findShards(
  arn: string,
  place: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<void> {
  const isFirst = place.sinceMs === undefined;
  const sinceMs = place.sinceMs ?? (await nowMs(signal));
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
  const found = new Map<string, ShardPlace>();
  for (const { shardId, isClosed } of shards) {
    const known = place.shards.get(shardId);
    if (known?.isOver || known?.iterator !== undefined) continue;
    found.set(
      shardId,
      isFirst && isClosed
        ? { iterator: undefined, isOver: true }
        : await findPlace(arn, shardId, known, isFirst ? undefined : sinceMs, signal),
    );
  }
  for (const [shardId, shard] of found) place.shards.set(shardId, shard);
  const described = new Set(shards.map(({ shardId }) => shardId));
  for (const shardId of place.shards.keys()) if (!described.has(shardId)) place.shards.delete(shardId);
  place.sinceMs = sinceMs;
  // Only now: whoever sees the shards may rely on seeing what is written from then on.
  handlers.shards(shards);
}

/**
 * An iterator for a shard: at its end when the feed begins, behind the last record that was read, or at its beginning.
 * A shard that gave no record yet has no place but the time at which the feed began.
 */
async function findPlace(
  arn: string,
  shardId: string,
  known: ShardPlace | undefined,
  sinceMs: number | undefined,
  signal: AbortSignal,
): Promise<ShardPlace> {
  const iteratorAt = async (at: object) =>
    (
      await call<{ ShardIterator: string }>(
        'GetShardIterator',
        { StreamArn: arn, ShardId: shardId, ...at },
        { service, signal },
      )
    ).ShardIterator;
  if (sinceMs === undefined) return { iterator: await iteratorAt({ ShardIteratorType: 'LATEST' }) };
  if (known?.last !== undefined)
    try {
      const at = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: known.last };
      return { ...known, iterator: await iteratorAt(at) };
    } catch (error) {
      // What followed the record has gone with it, but for what is in the stream still.
      if (!(error instanceof ServiceError && error.name === 'TrimmedDataAccessException')) throw error;
    }
  const iterator = await iteratorAt({ ShardIteratorType: 'TRIM_HORIZON' });
  return known === undefined || known.last !== undefined ? { iterator } : { iterator, notBeforeMs: sinceMs };
}

/** The time of the database. Who may not ask for it goes by the own clock. */
async function nowMs(signal: AbortSignal): Promise<number> {
  try {
    return (await serverClock(signal)).nowMs;
  } catch (error) {
    if (error instanceof ServiceError) return Date.now();
    throw error;
  }
}

async function readShard(
  shardId: string,
  shard: ShardPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<number> {
  const { Records, NextShardIterator } = await call<{
    Records: StreamRecord[];
    NextShardIterator?: string;
  }>('GetRecords', { ShardIterator: shard.iterator, Limit: 500 }, { service, signal });
  shard.iterator = NextShardIterator;
  shard.isOver = NextShardIterator === undefined;
  const last = Records.at(-1)?.dynamodb.SequenceNumber;
  if (last !== undefined) shard.last = last;
  const changes = Records.map((record) => changeOf(record, shardId));
  const { notBeforeMs } = shard;
  const own = notBeforeMs === undefined ? changes : changes.filter(({ atMs }) => atMs > notBeforeMs);
  if (own.length > 0) handlers.changes(own);
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
