import type { ChangeEvent } from '../model/stored/change-event.ts';
import { type DynamoDbCaller, Refusal, Unreachable } from './dynamodb-caller.ts';

/** A value in DynamoDB JSON: one member, whose name is its type. */
export type JsonValue = Readonly<Record<string, unknown>>;
export type JsonItem = Readonly<Record<string, JsonValue>>;

/** A record of a stream as it comes. */
export interface StreamedChange {
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

interface ShardAnswer {
  readonly ShardId: string;
  readonly ParentShardId?: string;
  readonly SequenceNumberRange: { readonly EndingSequenceNumber?: string };
}

interface ShardPlace {
  iterator: string | undefined;
  /** Of the last record that was read. */
  last: string | undefined;
  /** Where to begin when none was. */
  readonly begins: 'LATEST' | 'TRIM_HORIZON';
  isDone: boolean;
}

export interface StreamReading {
  readonly streamArn: string;
  /** `now`: only what comes after the call of `begin`. */
  readonly from: 'now' | 'oldest';
  /** Says what is in the way; it is tried again. */
  readonly warn: (line: string) => void;
}

/**
 * Reads all shards of a stream as they come and go, parents before their children, so that the changes of an item keep
 * their order.
 */
export class StreamChanges {
  readonly #caller: DynamoDbCaller;
  readonly #reading: StreamReading;
  readonly #places = new Map<string, ShardPlace>();
  #isDisabled = false;

  constructor(caller: DynamoDbCaller, reading: StreamReading) {
    this.#caller = caller;
    this.#reading = reading;
  }

  /** Takes its place in all shards there are. */
  async begin(): Promise<void> {
    const isNow = this.#reading.from === 'now';
    for (const { ShardId, SequenceNumberRange: range } of await this.#shards()) {
      const isOver = isNow && range.EndingSequenceNumber !== undefined;
      const place = newPlace(isNow ? 'LATEST' : 'TRIM_HORIZON', isOver);
      this.#places.set(ShardId, place);
      if (!isOver) place.iterator = await this.#iterator(ShardId, place);
    }
  }

  /** Nothing will ever follow. */
  get isOver(): boolean {
    return this.#isDisabled && [...this.#places.values()].every(({ isDone }) => isDone);
  }

  /** What has come since, in the order of time as far as the stream tells it. */
  async poll(): Promise<StreamedChange[]> {
    const changes: StreamedChange[] = [];
    const shards = await this.#shards();
    const known = new Set(shards.map(({ ShardId }) => ShardId));
    for (const { ShardId, ParentShardId } of shards) {
      const parent = ParentShardId === undefined ? undefined : this.#places.get(ParentShardId);
      if (ParentShardId !== undefined && known.has(ParentShardId) && parent?.isDone !== true) continue;
      const place = this.#places.get(ShardId) ?? newPlace('TRIM_HORIZON', false);
      this.#places.set(ShardId, place);
      if (!place.isDone) changes.push(...(await this.#read(ShardId, place)));
    }
    return changes.sort(
      (a, b) => a.dynamodb.ApproximateCreationDateTime - b.dynamodb.ApproximateCreationDateTime,
    );
  }

  async #shards(): Promise<ShardAnswer[]> {
    const { streamArn: StreamArn } = this.#reading;
    const shards: ShardAnswer[] = [];
    for (let start: string | undefined; ; ) {
      const { StreamDescription: page } = await this.#caller.callStreams<{
        StreamDescription: { Shards: ShardAnswer[]; StreamStatus: string; LastEvaluatedShardId?: string };
      }>('DescribeStream', { StreamArn, ...(start !== undefined && { ExclusiveStartShardId: start }) });
      shards.push(...page.Shards);
      this.#isDisabled = page.StreamStatus === 'DISABLED';
      start = page.LastEvaluatedShardId;
      if (start === undefined) return shards;
    }
  }

  async #read(shardId: string, place: ShardPlace): Promise<StreamedChange[]> {
    try {
      place.iterator ??= await this.#iterator(shardId, place);
      const { Records: records, NextShardIterator: next } = await this.#caller.callStreams<{
        Records: StreamedChange[];
        NextShardIterator?: string;
      }>('GetRecords', { ShardIterator: place.iterator });
      place.last = records.at(-1)?.dynamodb.SequenceNumber ?? place.last;
      place.iterator = next;
      place.isDone = next === undefined;
      return records;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.name === 'ExpiredIteratorException') place.iterator = undefined;
      else if (error.name === 'TrimmedDataAccessException') {
        this.#reading.warn(
          'Some changes are older than 24 hours and gone from the stream; going on with the oldest.',
        );
        place.last = undefined;
        place.iterator = await this.#iterator(shardId, newPlace('TRIM_HORIZON', false));
      } else throw error;
      return [];
    }
  }

  async #iterator(ShardId: string, { last, begins }: ShardPlace): Promise<string> {
    const { ShardIterator } = await this.#caller.callStreams<{ ShardIterator: string }>('GetShardIterator', {
      StreamArn: this.#reading.streamArn,
      ShardId,
      ...(last === undefined
        ? { ShardIteratorType: begins }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last }),
    });
    return ShardIterator;
  }
}

function newPlace(begins: ShardPlace['begins'], isDone: boolean): ShardPlace {
  return { iterator: undefined, last: undefined, begins, isDone };
}

/** Whether what went wrong may pass. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refusal && error.isPassing);
}
