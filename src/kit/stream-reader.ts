import type { ChangeEvent } from '../model/stored/change-event.ts';
import { classOfError, errorClasses, nameOfError } from './error-class.ts';

/** A value in DynamoDB JSON: one member, whose name is its type. */
export type JsonValue = Readonly<Record<string, unknown>>;
export type JsonItem = Readonly<Record<string, JsonValue>>;

/** A record of a stream as GetRecords answers it. */
export interface StreamRecord {
  readonly eventID?: string;
  readonly eventName: ChangeEvent;
  readonly userIdentity?: { readonly Type?: string };
  readonly dynamodb: {
    /** In seconds. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: JsonItem;
    readonly NewImage?: JsonItem;
    readonly OldImage?: JsonItem;
    readonly SequenceNumber: string;
  };
}

export interface ShardInfo {
  readonly shardId: string;
  readonly parentId: string | undefined;
  readonly isClosed: boolean;
}

export interface ReadRecord {
  readonly shardId: string;
  readonly record: StreamRecord;
}

export interface StreamReading {
  readonly streamArn: string;
  /** `now`: only what is written after the first description of the stream. */
  readonly from: 'now' | 'oldest';
  /** Calls an operation of DynamoDB Streams. */
  readonly call: <Answer>(operation: string, input: object) => Promise<Answer>;
  /** The time of the service, for a reading from `now`. */
  readonly nowMs: () => Promise<number> | number;
  readonly shardsAtOnce?: number;
  /** The records of one GetRecords at most. */
  readonly limit?: number;
  /** The stream is described in every so many polls; shards come and go seldom. */
  readonly describeEvery?: number;
  /** Called when records were older than 24 hours and gone before they were read. */
  readonly trimmed?: () => void;
}

interface ShardPlace {
  readonly parentId: string | undefined;
  /** Undefined at the end of a closed shard, and until one is asked for. */
  iterator: string | undefined;
  /** The sequence number of the last record that was read. It outlives every iterator. */
  last: string | undefined;
  isDone: boolean;
  /** The second at which a reading from `now` began, for a shard that it met then. */
  sinceSecond: number;
  /** Records before this second are older than the reading: set where it had to begin at the horizon. */
  notBefore: number;
}

interface Described {
  readonly ShardId: string;
  readonly ParentShardId?: string;
  readonly SequenceNumberRange: { readonly EndingSequenceNumber?: string };
}

/**
 * Reads all shards of a stream as they come and go, parents before their children, so that the changes of an item keep
 * their order. A poll is one GetRecords for each shard; an error of one leaves all places as they are, and the next poll
 * goes on from there. Iterators expire after a quarter of an hour: the places outlast them.
 */
export class StreamReader {
  readonly #reading: StreamReading;
  readonly #places = new Map<string, ShardPlace>();
  #shards: readonly ShardInfo[] = [];
  #polls = 0;
  #sinceMs: number | undefined;
  #isDisabled = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  /** The shards of the latest description. */
  get shards(): readonly ShardInfo[] {
    return this.#shards;
  }

  /** The stream was switched off, and all its records are read. */
  get isOver(): boolean {
    return this.#isDisabled && [...this.#places.values()].every(({ isDone }) => isDone);
  }

  /** Takes its place in all shards. A reading from `now` answers every write from then on. */
  async begin(): Promise<void> {
    const isFirst = this.#sinceMs === undefined;
    const sinceMs = this.#sinceMs ?? (await this.#reading.nowMs());
    const isNow = this.#reading.from === 'now';
    const shards = await this.#describe();
    const added = new Map<string, ShardPlace>();
    for (const { shardId, parentId, isClosed } of shards) {
      if (this.#places.has(shardId)) continue;
      const isSkipped = isFirst && isNow && isClosed;
      const sinceSecond = isNow && isFirst ? Math.floor(sinceMs / 1000) : 0;
      const place = {
        ...{ parentId, iterator: undefined, last: undefined, isDone: isSkipped, sinceSecond },
        notBefore: 0,
      };
      added.set(
        shardId,
        isFirst && isNow && !isClosed
          ? { ...place, iterator: await this.#iteratorAt(shardId, { ShardIteratorType: 'LATEST' }) }
          : place,
      );
    }
    for (const [shardId, place] of added) this.#places.set(shardId, place);
    const known = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.#places.keys()) if (!known.has(shardId)) this.#places.delete(shardId);
    this.#sinceMs = sinceMs;
    // Only now: whoever sees the shards may rely on seeing every write from then on.
    this.#shards = shards;
  }

  /** The records that have come since, in the order of time as far as the stream has one. */
  async poll(): Promise<ReadRecord[]> {
    const { describeEvery = 1, shardsAtOnce = 1 } = this.#reading;
    if (this.#polls % describeEvery === 0) await this.begin();
    this.#polls++;
    const waiting = [...this.#places].filter(([, place]) => !place.isDone && this.#mayRead(place));
    const records: ReadRecord[] = [];
    const reader = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        records.push(...(await this.#read(...next)));
    };
    const ends = await Promise.allSettled(
      Array.from({ length: Math.min(shardsAtOnce, waiting.length) }, reader),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    // What the other shards gave is answered; the error comes again with the next poll if it stays.
    if (failed !== undefined && records.length === 0) {
      this.#polls = 0;
      throw failed.reason;
    }
    return records.sort((a, b) => timeOf(a) - timeOf(b));
  }

  #mayRead({ parentId }: ShardPlace): boolean {
    return parentId === undefined || this.#places.get(parentId)?.isDone !== false;
  }

  async #describe(): Promise<ShardInfo[]> {
    const { streamArn: StreamArn, call } = this.#reading;
    const shards: ShardInfo[] = [];
    for (let start: string | undefined; ; ) {
      const { StreamDescription: page } = await call<{
        StreamDescription: { Shards: Described[]; StreamStatus: string; LastEvaluatedShardId?: string };
      }>('DescribeStream', { StreamArn, ...(start !== undefined && { ExclusiveStartShardId: start }) });
      for (const { ShardId, ParentShardId, SequenceNumberRange } of page.Shards)
        shards.push({
          shardId: ShardId,
          parentId: ParentShardId,
          isClosed: SequenceNumberRange.EndingSequenceNumber !== undefined,
        });
      this.#isDisabled = page.StreamStatus === 'DISABLED';
      start = page.LastEvaluatedShardId;
      if (start === undefined) return shards;
    }
  }

  async #read(shardId: string, place: ShardPlace): Promise<ReadRecord[]> {
    const { call, limit } = this.#reading;
    try {
      place.iterator ??= await this.#iterator(shardId, place);
      const { Records: records, NextShardIterator: next } = await call<{
        Records: StreamRecord[];
        NextShardIterator?: string;
      }>('GetRecords', { ShardIterator: place.iterator, ...(limit !== undefined && { Limit: limit }) });
      place.last = records.at(-1)?.dynamodb.SequenceNumber ?? place.last;
      place.iterator = next;
      place.isDone = next === undefined;
      // The children of a shard that has ended are described next.
      if (place.isDone) this.#polls = 0;
      return records
        .filter(({ dynamodb }) => dynamodb.ApproximateCreationDateTime >= place.notBefore)
        .map((record) => ({ shardId, record }));
    } catch (error) {
      const name = nameOfError(error);
      // An iterator may be used again where the same request may do better later.
      if (name === 'AbortError' || errorClasses[classOfError(error)].repeatable) throw error;
      place.iterator = undefined;
      if (name === 'TrimmedDataAccessException') this.#lose(place);
      else if (name !== 'ExpiredIteratorException') throw error;
      return [];
    }
  }

  /** The records after the last one that was read are gone: what is left begins at the horizon. */
  #lose(place: ShardPlace): void {
    place.last = undefined;
    place.sinceSecond = 0;
    this.#reading.trimmed?.();
  }

  #iterator(shardId: string, place: ShardPlace): Promise<string> {
    const { last, sinceSecond } = place;
    if (last === undefined) place.notBefore = sinceSecond;
    return this.#iteratorAt(
      shardId,
      last === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last },
    );
  }

  async #iteratorAt(ShardId: string, at: object): Promise<string> {
    const { call, streamArn: StreamArn } = this.#reading;
    return (await call<{ ShardIterator: string }>('GetShardIterator', { StreamArn, ShardId, ...at }))
      .ShardIterator;
  }
}

function timeOf({ record }: ReadRecord): number {
  return record.dynamodb.ApproximateCreationDateTime;
}
