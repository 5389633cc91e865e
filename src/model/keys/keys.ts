import type { SharedBuffer } from '../stored/shared-buffer.ts';
import type { KeyType, KeyValue, StringValue } from '../values/attribute-value.ts';
import { concatBytes, copyBytes, writeUint32 } from '../values/bytes.ts';
import { utf8Length, writeUtf8 } from '../values/utf8.ts';
import { decodeKeyValue, encodeGroup, encodeKeyValue, groupEndBytes } from './key-encoding.ts';
import type { KnownHashes } from './known-hashes.ts';

/**
 * The storage keys of items and index entries. These bytes are on disk and must not change.
 *
 *     table entry   id | H16(partition key) | sort key
 *     index entry   id | H16(HASH attributes) | groups of the RANGE attributes | H16(table key)
 *
 * The caller passes `id`, which identifies account, Region, table and index, and `H16`, which is SHA-256 cut to 16
 * bytes. A table's sort key comes last and needs no end mark. The input of a hash is framed: each value is written as
 * type, length and bytes. Different lists of values therefore have different frames, and equal numbers have equal
 * frames. A local index hashes the table's partition key, so its entries lie in the same partition as the items.
 *
 * **Cut keys.** Stores hold keys of less than 2,500 bytes, but the groups of four RANGE attributes may be longer. Such
 * a key is cut to exactly `cutKeyBytes`. No other key has this length, so the length identifies a cut key. No group is
 * a prefix of another group, so a cut key keeps its position among all keys except those cut to the same bytes. Those
 * lie together in the order of their table keys' hashes; a reader that needs their order sorts them by the RANGE
 * attributes in their values.
 */
export interface Hash16 {
  (bytes: Uint8Array): Uint8Array;
  /** A cache of partition key hashes. Without it, every hash is computed. */
  readonly known?: KnownHashes;
  /** A shared buffer for keys that are too long for V8's heap. Without it, each of them allocates its own buffer. */
  readonly room?: SharedBuffer;
}

/** Every key is shorter than this; the storage engines rely on it. */
export const keyBytesLimit = 2_500;
export const cutKeyBytes = keyBytesLimit - 1;
export const hashBytes = 16;
/** The limit keeps a table key with the longest sort key much shorter than a cut key. */
const idBytesMax = 256;

/** The values of a primary key. */
export interface PrimaryKey {
  readonly hash: KeyValue;
  readonly range: KeyValue | undefined;
}

/** The common prefix of all entries with one partition key, in a table or an index. */
export function partitionPrefix(id: Uint8Array, hashValues: readonly KeyValue[], h16: Hash16): Uint8Array {
  if (id.length > idBytesMax) throw new Error('the id of a key is too long');
  const bytes = new Uint8Array(id.length + hashBytes);
  writeHash(hashValues, h16, bytes, copyBytes(id, bytes, 0));
  return bytes;
}

export function tableKey(id: Uint8Array, key: PrimaryKey, h16: Hash16): Uint8Array {
  if (id.length > idBytesMax) throw new Error('the id of a key is too long');
  const { range } = key;
  // Most sort keys are strings, which are written without an array of their own.
  const end = range === undefined ? '' : 'S' in range ? range.S : encodeKeyValue(range);
  const endBytes = typeof end === 'string' ? utf8Length(end) : end.length;
  const bytes = new Uint8Array(id.length + hashBytes + endBytes);
  const at = writeHash(key.hash, h16, bytes, copyBytes(id, bytes, 0));
  if (typeof end === 'string') writeUtf8(end, bytes, at);
  else copyBytes(end, bytes, at);
  return bytes;
}

export interface IndexKeyValues {
  readonly hash: readonly KeyValue[];
  readonly range: readonly KeyValue[];
}

/** The hash of an item's table key. It distinguishes index entries with equal keys. */
export function itemHash({ hash, range }: PrimaryKey, h16: Hash16): Uint8Array {
  return h16(framed(range === undefined ? [hash] : [hash, range]));
}

/** `suffix` is the `itemHash` of the entry's item. */
export function indexKey(
  id: Uint8Array,
  values: IndexKeyValues,
  suffix: Uint8Array,
  h16: Hash16,
): Uint8Array {
  const [first, second] = values.range;
  if (first !== undefined && second === undefined && isPlainText(first))
    return keyOfText(id, values.hash, first.S, suffix, h16);
  const groups = values.range.map(encodeGroup);
  const whole = concatBytes(partitionPrefix(id, values.hash, h16), ...groups, suffix);
  return whole.length < cutKeyBytes ? whole : concatBytes(whole.subarray(0, cutAt), suffix);
}

/** Tells whether the group of a value is its text and an end mark, and too short for the key to be cut. */
function isPlainText(value: KeyValue): value is StringValue {
  return 'S' in value && value.S.length <= plainTextMax && !value.S.includes('\0');
}

const plainTextMax = 255;

/** Builds the usual index key without an array for each part. */
function keyOfText(
  id: Uint8Array,
  hash: readonly KeyValue[],
  text: string,
  suffix: Uint8Array,
  h16: Hash16,
): Uint8Array {
  const { room } = h16;
  const length = id.length + hashBytes + utf8Length(text) + groupEndBytes + hashBytes;
  const bytes = length > heapBytesMax && room !== undefined ? room.take(length) : new Uint8Array(length);
  const end = writeUtf8(text, bytes, writeHash(hash, h16, bytes, copyBytes(id, bytes, 0)));
  copyBytes(suffix, bytes, end + groupEndBytes);
  return bytes;
}

/** V8 allocates the bytes of a longer array outside of its heap, which takes ten times as long. */
const heapBytesMax = 64;

/** The length of a cut key without its suffix. */
const cutAt = cutKeyBytes - hashBytes;

/** Tells whether an index key was cut. Its neighbours may then need sorting by their values. */
export function isCutKey(key: Uint8Array): boolean {
  return key.length === cutKeyBytes;
}

/**
 * Tells whether keys with so many RANGE attributes can be cut. A value has at most 1,024 bytes and its group at most twice
 * as many, so the group of one attribute is always short enough.
 */
export function mayBeCut(rangeAttributes: number): boolean {
  return rangeAttributes > 1;
}

/** Tells whether a bound is as long as a cut key without its suffix, so that it cannot separate cut keys. */
export function reachesCut(bound: Uint8Array): boolean {
  return bound.length >= cutAt;
}

/** Cuts a bound to the length of cut keys. */
export function cutBound(bound: Uint8Array): Uint8Array {
  return reachesCut(bound) ? bound.subarray(0, cutAt) : bound;
}

/** Decodes the sort key of a table entry from its storage key. */
export function decodeSortKey(key: Uint8Array, idBytes: number, type: KeyType): KeyValue {
  return decodeKeyValue(key.subarray(idBytes + hashBytes), type);
}

/** The partition key hash in a storage key. It determines the partition and the scan segment of the entry. */
export function partitionHash(key: Uint8Array, idBytes: number): Uint8Array {
  return key.subarray(idBytes, idBytes + hashBytes);
}

/** Writes the hash of a partition key, which is mostly one string. Returns the position behind it. */
function writeHash(
  values: KeyValue | readonly KeyValue[],
  h16: Hash16,
  bytes: Uint8Array,
  at: number,
): number {
  const value = isList(values) ? values[0]! : values;
  const text = 'S' in value && (!isList(values) || values.length === 1) ? value.S : undefined;
  const { known } = h16;
  if (text === undefined || known === undefined || !known.copy(text, bytes, at)) {
    const hash = h16(framed(isList(values) ? values : [value]));
    if (text !== undefined) known?.note(text, hash);
    copyBytes(hash, bytes, at);
  }
  return at + hashBytes;
}

/** `Array.isArray` does not narrow a type to a readonly array. */
function isList(values: KeyValue | readonly KeyValue[]): values is readonly KeyValue[] {
  return Array.isArray(values);
}

/** One byte for the type and four for the length. */
const frameBytes = 5;
const typeTag: Readonly<Record<KeyType, number>> = { S: 1, N: 2, B: 3 };

function framed(values: readonly KeyValue[]): Uint8Array {
  const parts = values.map((value) => ('S' in value ? value.S : encodeKeyValue(value)));
  let length = 0;
  for (const part of parts)
    length += frameBytes + (typeof part === 'string' ? utf8Length(part) : part.length);
  const frames = new Uint8Array(length);
  let at = 0;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    const start = at + frameBytes;
    const end = typeof part === 'string' ? writeUtf8(part, frames, start) : copyBytes(part, frames, start);
    const bytes = end - start;
    frames[at] = typeTag['S' in values[i]! ? 'S' : 'N' in values[i]! ? 'N' : 'B'];
    writeUint32(frames, at + 1, bytes);
    at = end;
  }
  return frames;
}
