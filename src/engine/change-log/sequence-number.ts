import type { Shard } from './shards.ts';

/**
 * Sequence numbers have 26 digits, as numbers and as texts in the same order:
 *
 *     1 | position (16 digits) | 000000 for a record, else a shard's number + 1 (6 digits) | bucket (3 digits)
 *
 * Those of a bucket grow from record to record. The beginning and the end of a shard lie between the records around
 * them, and those of a child above those of its parent, also when there are no records at all. The bucket makes them
 * different in all shards of a stream.
 */
export function recordSequenceNumber(bucket: number, position: number): string {
  return sequenceNumber(position, 0, bucket);
}

export function startingSequenceNumber({ after, number, bucket }: Shard): string {
  return sequenceNumber(after, number + 1, bucket);
}

/** Of a closed shard. */
export function endingSequenceNumber({ through, number, bucket }: Shard): string {
  return sequenceNumber(through!, number + 1, bucket);
}

function sequenceNumber(position: number, edge: number, bucket: number): string {
  return `1${digits(position, 16)}${digits(edge, 6)}${digits(bucket, 3)}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

export interface SequencePlace {
  readonly position: number;
  /** Whether it is a record's number, and not that of a shard's beginning or end. */
  readonly isRecord: boolean;
}

/** The place of a sequence number in a shard; undefined when it is none of the shard's. */
export function placeInShard(text: string, shard: Shard): SequencePlace | undefined {
  if (!/^1\d{25}$/.test(text) || Number(text.slice(23)) !== shard.bucket) return undefined;
  if (text < startingSequenceNumber(shard)) return undefined;
  if (shard.through !== undefined && text > endingSequenceNumber(shard)) return undefined;
  return { position: Number(text.slice(1, 17)), isRecord: text.slice(17, 23) === '000000' };
}
