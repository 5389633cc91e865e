import { listOf, object, oneOf, optional, text, whole } from '../../model/json/fields.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { jsonRecord } from '../json-record.ts';
import { bucketsPerTable } from './log-buckets.ts';
import { retentionMs, type StreamNote } from './stream-note.ts';

/**
 * A shard is a stretch of one bucket of the log. The first shards of a stream begin where the log ended when the stream
 * was switched on; a child begins where its parent ends. Together the shards of a bucket cover it without gap or
 * overlap, so that a rollover can neither lose nor repeat a record, nor change the order of an item's.
 */
export interface Shard {
  readonly id: string;
  /** Counts the shards of the stream; a child has a higher number than its parent. */
  readonly number: number;
  readonly bucket: number;
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
export const shardMsMax = 4 * 3_600_000;

type StreamName = Pick<StreamNote, 'storageId' | 'label'>;

/** The first shards of a stream, one for each bucket, behind the ends that the buckets have. */
export function firstShards(
  stream: StreamName,
  ends: readonly number[],
  nowMs: number,
  h16: Hash16,
): ShardsNote {
  const shards = Array.from(
    { length: bucketsPerTable },
    (_, bucket): Shard => ({
      id: shardId(stream, bucket, nowMs, h16),
      number: bucket,
      bucket,
      after: ends[bucket]!,
      openedAt: nowMs,
    }),
  );
  return { nextNumber: shards.length, shards };
}

export function isOpen({ through }: Shard): boolean {
  return through === undefined;
}

/** What has to be done about a stream's shards before they can be used. */
export function dueStep(
  { shards }: ShardsNote,
  stream: StreamNote,
  nowMs: number,
): 'mark' | 'close' | 'forget' | undefined {
  if (shards.some(({ closing }) => closing === true)) return 'close';
  // The end of a stream is a mark by itself: its note is read anew with every page.
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
export function closingShards({ shards }: ShardsNote, { until }: StreamNote): readonly Shard[] {
  return shards.filter((shard) => isOpen(shard) && (until !== undefined || shard.closing === true));
}

/** Closes shards at the ends of their buckets and, unless the stream has ended, opens a child of each. */
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
  if (stream.until !== undefined) return { ...note, shards: closed };
  const children = closing.map((parent): Shard => {
    const number = nextNumber++;
    // Ids tell the time and are the order in which shards are listed: a child comes after its parent.
    const openedAt = Math.max(nowMs, parent.openedAt + 1);
    return {
      id: shardId(stream, number, openedAt, h16),
      number,
      bucket: parent.bucket,
      after: Math.max(ends.get(parent.number)!, parent.after),
      openedAt,
      parentId: parent.id,
    };
  });
  return { nextNumber, shards: [...closed, ...children] };
}

/** `shardId-00000001731655980123-5c1f02ab`: when it was opened, and eight hexadecimal digits as on the service. */
function shardId({ storageId, label }: StreamName, number: number, openedAt: number, h16: Hash16): string {
  const mixed = toHex(h16(concatBytes(fromHex(storageId), encodeUtf8(`${label}/${number}`))));
  // The last digits keep apart the shards that are opened together.
  const suffix = mixed.slice(0, 6) + (number % 256).toString(16).padStart(2, '0');
  return `shardId-${String(openedAt).padStart(20, '0')}-${suffix}`;
}
