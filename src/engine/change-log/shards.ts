import { listOf, object, oneOf, optional, text, whole } from '../../model/json/fields.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { jsonRecord } from '../json-record.ts';
import {
  childrenOf,
  isOpenBucket,
  type LogBucket,
  type LogLayout,
  layoutOf,
  openBuckets,
} from './log-layout.ts';
import { retentionMs, type StreamNote } from './stream-note.ts';

/**
 * A shard is a stretch of one bucket of the log. The first shards of a stream begin where the log ended when the stream
 * was switched on; a child begins where its parent ends. Together the shards of a bucket cover it without gap or
 * overlap, so that a rollover can neither lose nor repeat a record, nor change the order of an item's. Where the bucket
 * was split, the parent ends with the bucket, and the children are the first shards of the new buckets.
 */
export interface Shard {
  readonly id: string;
  /** Counts the shards of the stream; a child has a higher number than its parent. */
  readonly number: number;
  readonly bucket: number;
  /** The generation of the bucket; absent for the first one. */
  readonly generation?: number;
  /** Counts the shards of the bucket. Shards of before this was kept go by their numbers. */
  readonly turn?: number;
  /** The records are those with positions above `after`, and up to `through` once the shard is closed. */
  readonly after: number;
  readonly through?: number;
  readonly openedAt: number;
  readonly closedAt?: number;
  readonly parentId?: string;
  /**
   * The shard is to be closed, and where is to be settled next. Whoever has seen this mark reads nothing from the shard
   * before it is settled; whoever has not, had its records before the mark. So the end, which is looked up only once the
   * mark is set, lies behind everything that was ever read from the shard.
   */
  readonly closing?: true;
}

export interface ShardsNote {
  readonly nextNumber: number;
  /** In the order of their numbers. */
  readonly shards: readonly Shard[];
}

export const { encode: encodeShards, decode: decodeShards } = jsonRecord<ShardsNote>(
  'the shards of a stream',
  1,
  object<ShardsNote>({
    nextNumber: whole,
    shards: listOf(
      object<Shard>({
        id: text,
        number: whole,
        bucket: whole,
        generation: optional(whole),
        turn: optional(whole),
        after: whole,
        through: optional(whole),
        openedAt: whole,
        closedAt: optional(whole),
        parentId: optional(text),
        closing: optional(oneOf(true)),
      }),
    ),
  }),
);

/** How long a shard is open. AWS documents none; four hours are what its users report. */
const shardMsMax = 4 * 3_600_000;

type StreamName = Pick<StreamNote, 'storageId' | 'label'>;

/** The first shards of a stream, one for each open bucket, behind the ends that the buckets have. */
export function firstShards(
  stream: StreamName,
  layout: LogLayout,
  ends: readonly number[],
  nowMs: number,
  h16: Hash16,
): ShardsNote {
  const shards = openBuckets(layout).map(
    (bucket, number): Shard => ({
      ...inBucket(bucket),
      id: shardId(stream, number, nowMs, h16),
      number,
      after: ends[bucket.number] ?? 0,
      openedAt: nowMs,
    }),
  );
  return { nextNumber: shards.length, shards };
}

function inBucket({ number, generation }: LogBucket): Pick<Shard, 'bucket' | 'generation' | 'turn'> {
  return { bucket: number, turn: 0, ...(generation > 0 && { generation }) };
}

export function generationOf({ generation = 0 }: Shard): number {
  return generation;
}

export function turnOf({ turn, number }: Shard): number {
  return turn ?? number;
}

function isOpen({ through }: Shard): boolean {
  return through === undefined;
}

/** What has to be done about a stream's shards before they can be used. */
export function dueStep(
  { shards }: ShardsNote,
  stream: StreamNote,
  nowMs: number,
): 'mark' | 'close' | 'forget' | undefined {
  if (shards.some(({ closing }) => closing === true)) return 'close';
  // The end of a bucket or a stream is a mark by itself: the stream's note is read anew with every page.
  if (shards.some((shard) => isOpen(shard) && successorsOf(shard, stream) !== undefined)) return 'close';
  if (stream.until !== undefined) return shards.some(isOpen) ? 'close' : undefined;
  if (shards.some((shard) => isAged(shard, nowMs))) return 'mark';
  return shards.some((shard) => isForgotten(shard, nowMs)) ? 'forget' : undefined;
}

function isAged(shard: Shard, nowMs: number): boolean {
  return isOpen(shard) && nowMs >= shard.openedAt + shardMsMax;
}

function isForgotten({ closedAt }: Shard, nowMs: number): boolean {
  return closedAt !== undefined && nowMs >= closedAt + retentionMs;
}

/** Marks the shards that have been open for long enough. */
export function markAged(note: ShardsNote, nowMs: number): ShardsNote {
  return {
    ...note,
    shards: note.shards.map((shard) => (isAged(shard, nowMs) ? { ...shard, closing: true } : shard)),
  };
}

/** Shards whose records are all gone by now are no longer told of. */
export function forgetOld(note: ShardsNote, nowMs: number): ShardsNote {
  return { ...note, shards: note.shards.filter((shard) => !isForgotten(shard, nowMs)) };
}

/** The shards that the next `closeAt` closes. */
export function closingShards({ shards }: ShardsNote, stream: StreamNote): readonly Shard[] {
  return shards.filter(
    (shard) =>
      isOpen(shard) &&
      (stream.until !== undefined || shard.closing === true || successorsOf(shard, stream) !== undefined),
  );
}

/**
 * The buckets into which the bucket of a shard was split while the stream was on; undefined while that is open. The
 * stream's note has them only when nothing can be appended to the bucket any more, so that an end which is looked up
 * afterwards stands.
 */
function successorsOf({ bucket: number }: Shard, stream: StreamNote): readonly LogBucket[] | undefined {
  const layout = layoutOf(stream);
  const bucket = layout.find((each) => each.number === number);
  if (bucket === undefined || isOpenBucket(bucket)) return undefined;
  if (stream.until !== undefined && bucket.until! >= stream.until) return undefined;
  return childrenOf(layout, number);
}

/**
 * Closes shards at the ends of their buckets and opens their children: one in the same bucket, unless the stream has
 * ended, or one in each bucket that theirs was split into.
 */
export function closeAt(
  note: ShardsNote,
  stream: StreamNote,
  ends: ReadonlyMap<number, number>,
  nowMs: number,
  h16: Hash16,
): ShardsNote {
  let { nextNumber } = note;
  const closing = closingShards(note, stream).filter(({ number }) => ends.has(number));
  const closed = note.shards.map((shard) => {
    if (!closing.includes(shard)) return shard;
    const { closing: _, ...rest } = shard;
    return { ...rest, through: Math.max(ends.get(shard.number)!, shard.after), closedAt: nowMs };
  });
  const children = closing.flatMap((parent) => {
    const end = Math.max(ends.get(parent.number)!, parent.after);
    return beginningsAfter(parent, end, stream).map((beginning): Shard => {
      const number = nextNumber++;
      // Ids tell the time and are the order in which shards are listed: a child comes after its parent.
      const openedAt = Math.max(nowMs, parent.openedAt + 1);
      return {
        ...beginning,
        id: shardId(stream, number, openedAt, h16),
        number,
        openedAt,
        parentId: parent.id,
      };
    });
  });
  return { nextNumber, shards: [...closed, ...children] };
}

/** In which buckets the children of a shard begin, and where. */
function beginningsAfter(
  parent: Shard,
  end: number,
  stream: StreamNote,
): readonly Pick<Shard, 'bucket' | 'generation' | 'turn' | 'after'>[] {
  const successors = successorsOf(parent, stream);
  if (successors !== undefined) return successors.map((bucket) => ({ ...inBucket(bucket), after: 0 }));
  if (stream.until !== undefined) return [];
  const { bucket, generation } = parent;
  return [{ bucket, ...(generation !== undefined && { generation }), turn: turnOf(parent) + 1, after: end }];
}

/** `shardId-00000001731655980123-5c1f02ab`: when it was opened, and eight hexadecimal digits as on the service. */
function shardId({ storageId, label }: StreamName, number: number, openedAt: number, h16: Hash16): string {
  const mixed = toHex(h16(concatBytes(fromHex(storageId), encodeUtf8(`${label}/${number}`))));
  // The last digits keep apart the shards that are opened together.
  const suffix = mixed.slice(0, 6) + (number % 256).toString(16).padStart(2, '0');
  return `shardId-${String(openedAt).padStart(20, '0')}-${suffix}`;
}
