/**
 * A record of the change log: what one write did to one item. Numbers are big-endian and unsigned. This layout is on
 * disk: a change needs a new format byte.
 *
 * | bytes | what |
 * |---|---|
 * | 0 | format: 1 |
 * | 1 | flags: 1 there is an old image, 2 there is a new image, 4 the item was deleted because it had expired |
 * | 2–9 | time of the write, in microseconds since 1970 |
 * | 10–17 | epoch of the table at the time of the write |
 * | 18–19 | origin Region, as in the header of an item |
 * | 20–23 | length of the old image |
 * | 24– | the old image, then the new one, each as the item was stored |
 *
 * The epoch tells which followers the record is for. Positions cannot: where several processes write, a write of an
 * older epoch may get the higher position.
 */
export interface ChangeRecord {
  readonly writtenMicros: number;
  readonly epoch: number;
  readonly region: number;
  /** Whose doing it was: a request's, or the end of an item's time to live. */
  readonly by: ChangedBy;
  /** The item before and after, as it was stored; at least one of them is there. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

export type ChangedBy = 'user' | 'ttl';

const format = 1;
const beforeFlag = 1;
const afterFlag = 2;
const expiredFlag = 4;
const headerBytes = 24;
const twoTo32 = 2 ** 32;

export function encodeChange(change: ChangeRecord): Uint8Array {
  const { before, after } = change;
  if (before === undefined && after === undefined) throw new Error('a change from nothing to nothing');
  const beforeBytes = before?.length ?? 0;
  const bytes = new Uint8Array(headerBytes + beforeBytes + (after?.length ?? 0));
  const view = new DataView(bytes.buffer);
  bytes[0] = format;
  bytes[1] =
    (before === undefined ? 0 : beforeFlag) |
    (after === undefined ? 0 : afterFlag) |
    (change.by === 'ttl' ? expiredFlag : 0);
  setU64(view, 2, change.writtenMicros);
  setU64(view, 10, change.epoch);
  view.setUint16(18, change.region);
  view.setUint32(20, beforeBytes);
  if (before !== undefined) bytes.set(before, headerBytes);
  if (after !== undefined) bytes.set(after, headerBytes + beforeBytes);
  return bytes;
}

/** The images are parts of the record, without a copy. */
export function decodeChange(bytes: Uint8Array): ChangeRecord {
  const flags = bytes[1]!;
  if (bytes[0] !== format || bytes.length < headerBytes || flags > (beforeFlag | afterFlag | expiredFlag))
    throw new Error('a change record of an unknown format');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const afterAt = headerBytes + view.getUint32(20);
  const hasBefore = (flags & beforeFlag) !== 0;
  const hasAfter = (flags & afterFlag) !== 0;
  if (afterAt > bytes.length || hasBefore !== afterAt > headerBytes || hasAfter !== afterAt < bytes.length)
    throw new Error('a change record whose images do not fit');
  return {
    writtenMicros: getU64(view, 2),
    epoch: getU64(view, 10),
    region: view.getUint16(18),
    by: (flags & expiredFlag) === 0 ? 'user' : 'ttl',
    before: hasBefore ? bytes.subarray(headerBytes, afterAt) : undefined,
    after: hasAfter ? bytes.subarray(afterAt) : undefined,
  };
}

function setU64(view: DataView, at: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`a change record cannot hold ${value}`);
  view.setUint32(at, Math.floor(value / twoTo32));
  view.setUint32(at + 4, value % twoTo32);
}

function getU64(view: DataView, at: number): number {
  const value = view.getUint32(at) * twoTo32 + view.getUint32(at + 4);
  if (!Number.isSafeInteger(value)) throw new Error('a change record with a number beyond the safe integers');
  return value;
}
