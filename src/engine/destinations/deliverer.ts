/** A change as a Kinesis record. */
export interface OutgoingRecord {
  /** The same for all changes of an item. */
  readonly partitionKey: string;
  readonly data: Uint8Array;
}

/** The service's words for streams that are not there, and for ARNs of other things (observed: ACK, October 2026). */
export const noSuchStream = 'User does not have a permission to use kinesis stream';

/** `refused`: it will never be taken, as it is too large. Not now: `throttled`, as the stream is too busy, or `failed`. */
export type RecordOutcome = 'delivered' | 'refused' | 'throttled' | 'failed';

/** How records get to a stream; handed in, since it is the world's affair. */
export interface Deliverer {
  /** The most that one call of `deliver` takes. */
  readonly recordsMax: number;
  readonly bytesMax: number;

  /** Looks whether there is such a stream. Answers why it cannot be used; rejects when that cannot be said now. */
  check(streamArn: string, signal: AbortSignal): Promise<string | undefined>;

  /**
   * Puts records into a stream and answers what became of each, or rejects when none was taken as far as is known. No
   * two of them are of one item, so that their order does not matter. Ends within `deliveryMsMax`.
   */
  deliver(
    streamArn: string,
    records: readonly OutgoingRecord[],
    signal: AbortSignal,
  ): Promise<readonly RecordOutcome[]>;
}

export const deliveryMsMax = 10_000;

/** A database that has no place for records says so, instead of losing them. */
export const nowhere: Deliverer = {
  recordsMax: 1,
  bytesMax: 1,
  check: async () =>
    'This database has no place for the records: give it a Kinesis endpoint, or a directory to write them to.',
  deliver: async (_, records) => records.map(() => 'failed'),
};
