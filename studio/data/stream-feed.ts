import { pauseMs } from '../../src/kit/retry-policy.ts';
import { type JsonItem, type ReadRecord, type ShardInfo, StreamReader } from '../../src/kit/stream-reader.ts';
import { toolPolicies } from '../../src/kit/tool-policies.ts';
import type { ChangeEvent } from '../../src/model/stored/change-event.ts';
import { call, errorText, ServiceError } from './api.ts';
import { serverClock } from './physics.ts';
import { whenSeen } from './seen.ts';

export type { JsonItem, JsonValue, ShardInfo } from '../../src/kit/stream-reader.ts';

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

const service = 'DynamoDBStreams_20120810';
const quietMs = 700;

export interface FeedHandlers {
  changes(changes: readonly Change[]): void;
  shards(shards: readonly ShardInfo[]): void;
  trouble(text: string | undefined): void;
}

/** How far a feed has come. It outlasts pauses, and a server that was away. */
export interface FeedPlace {
  reader?: StreamReader;
  /** Ends the calls of the feed that is running. */
  signal?: AbortSignal;
}

export function newFeedPlace(): FeedPlace {
  return {};
}

/**
 * Follows a stream through the public API until the signal ends it: from now on, or from the place that an earlier call
 * came to. One poll after the other: what the page cannot draw yet is simply asked for later, so that nothing piles up
 * here.
 */
export async function followStream(
  arn: string,
  place: FeedPlace,
  handlers: FeedHandlers,
  signal: AbortSignal,
): Promise<void> {
  place.signal = signal;
  place.reader ??= new StreamReader({
    ...{ streamArn: arn, from: 'now', limit: 500, describeEvery: 8 },
    // A stream of many shards must not take all connections of the browser.
    shardsAtOnce: 4,
    call: (operation, input) => call(operation, input, { service, signal: place.signal }),
    nowMs: () => nowMs(place.signal!),
  });
  const { reader } = place;
  let shown: readonly ShardInfo[] = [];
  for (let failures = 0; !signal.aborted; ) {
    let found: readonly ReadRecord[] = [];
    await whenSeen(signal);
    if (signal.aborted) return;
    try {
      found = await reader.poll();
      if (reader.shards !== shown) handlers.shards(reader.shards);
      shown = reader.shards;
      if (found.length > 0) handlers.changes(found.map(changeOf));
      handlers.trouble(undefined);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      handlers.trouble(errorText(error));
      await pause(pauseMs(toolPolicies.page, 'unreachable', ++failures, Math.random), signal);
    }
    await pause(found.length > 0 ? 150 : quietMs, signal);
  }
}

/** The time of the database. A caller who may not ask for it goes by the page's own clock. */
async function nowMs(signal: AbortSignal): Promise<number> {
  try {
    return (await serverClock(signal)).nowMs;
  } catch (error) {
    if (error instanceof ServiceError) return Date.now();
    throw error;
  }
}

function changeOf({ shardId, record: { eventID, eventName, userIdentity, dynamodb } }: ReadRecord): Change {
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
