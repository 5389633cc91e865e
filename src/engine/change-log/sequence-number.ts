import { generationOf, type Shard, turnOf } from './shards.ts';

/**
 * Sequence numbers have 26 digits or a few more, and are compared as numbers:
 *
 *     generation of the bucket + 1 | position (16 digits) | 000000 for a record, else a shard's turn + 1 (6 digits) |
 *     bucket (3 digits or more)
 *
 * Those of a bucket grow from record to record, and those of a bucket that another was split into are above all of its.
 * The beginning and the end of a shard lie between the records around them, and those of a child above those of its
 * parent, also when there are no records at all. The bucket makes them different in all shards of a stream. Numbers of a
 * bucket have one length, and so the same order as texts.
 */
export function recordSequenceNumber({ bucket, generation }: BucketName, position: number): string {
  return sequenceNumber(generation, position, 0, bucket);
}

/** A bucket as it stands in sequence numbers. */
export interface BucketName {
  readonly bucket: number;
  readonly generation: number;
}

export function startingSequenceNumber(shard: Shard): string {
  return sequenceNumber(generationOf(shard), shard.after, turnOf(shard) + 1, shard.bucket);
}

/** Of a closed shard. */
export function endingSequenceNumber(shard: Shard): string {
  return sequenceNumber(generationOf(shard), shard.through!, turnOf(shard) + 1, shard.bucket);
}

function sequenceNumber(generation: number, position: number, edge: number, bucket: number): string {
  return `${generation + 1}${digits(position, 16)}${digits(edge, 6)}${digits(bucket, 3)}`;
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
  const start = startingSequenceNumber(shard);
  const [head, tail] = [String(generationOf(shard) + 1), digits(shard.bucket, 3)];
  const isOfBucket = text.length === start.length && text.startsWith(head) && text.endsWith(tail);
  if (!isOfBucket || !/^\d+$/.test(text) || text < start) return undefined;
  if (shard.through !== undefined && text > endingSequenceNumber(shard)) return undefined;
  const edgeAt = head.length + 16;
  return {
    position: Number(text.slice(head.length, edgeAt)),
    isRecord: text.slice(edgeAt, edgeAt + 6) === '000000',
  };
}
