import type { KeyType, KeyValue, StringValue } from './attribute-value.ts';
import { concatBytes, copyBytes } from './bytes.ts';
import { decodeKeyValue, encodeGroup, encodeKeyValue, groupEndBytes } from './key-encoding.ts';
import type { KnownHashes } from './known-hashes.ts';
import type { SharedBuffer } from './shared-buffer.ts';
import { utf8Length, writeUtf8 } from './utf8.ts';

/**
 * The keys under which items and index entries are stored. These bytes are on disk and must not change.
 *
 *     table entry   id | H16(partition key) | sort key
 *     index entry   id | H16(HASH attributes) | groups of the RANGE attributes | H16(table key)
 *
 * `id` stands for account, Region, table and index, and is handed in; so is `H16`, SHA-256 cut to 16 bytes. A table's
 * sort key comes last and is its own end. What is hashed is framed: every value as type, length and bytes, so that
 * different lists of values never make the same bytes, and equal numbers always do. A local index hashes the table's
 * partition key and therefore places its entries where the table places the items.
 *
 * **Cut keys.** Stores hold keys of less than 2,500 bytes, but four RANGE attributes may have more. The groups of
 * such a key are cut so that the whole is exactly `cutKeyBytes` long; no other key is as long, which is how a cut one
 * is told. Groups are never the beginning of other groups, so a cut key still stands where it should among all keys,
 * except among those cut to the same bytes: they stand together, in the order of their table keys' hashes, and whoever
 * needs their order sorts them by the RANGE attributes in their values.
 */
export interface Hash16 {
  (bytes: Uint8Array): Uint8Array;
  /** The hashes of partition keys that were asked for lately; without it all of them are made anew. */
  readonly known?: KnownHashes;
  /** Room for keys that are too long for V8's own heap; without it each of them has a buffer of its own. */
  readonly room?: SharedBuffer;
}

/** Every key is shorter than this; the storage engines rely on it. */
export const keyBytesLimit = 2_500;
export const cutKeyBytes = keyBytesLimit - 1;
export const hashBytes = 16;
/** So that a table's key, with its longest sort key, never comes near the length of a cut one. */
export const idBytesMax = 256;

/** The values of a primary key. */
export interface PrimaryKey {
  readonly hash: KeyValue;
  readonly range: KeyValue | undefined;
}

/** The part of a key that all entries with the same partition key begin with; of a table or an index alike. */
export function partitionPrefix(id: Uint8Array, hashValues: readonly KeyValue[], h16: Hash16): Uint8Array {
  if (id.length > idBytesMax) throw new Error('the id of a key is too long');
  const bytes = new Uint8Array(id.length + hashBytes);
  writeHash(hashValues, h16, bytes, copyBytes(id, bytes, 0));
  return bytes;
}

export function tableKey(id: Uint8Array, key: PrimaryKey, h16: Hash16): Uint8Array {
  if (id.length > idBytesMax) throw new Error('the id of a key is too long');
  const { range } = key;
  // A string, as most are, without an array of its own.
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

/** What tells apart the entries of an index with equal keys: the same for all entries of an item. */
export function itemHash({ hash, range }: PrimaryKey, h16: Hash16): Uint8Array {
  return h16(framed(range === undefined ? [hash] : [hash, range]));
}

/** `suffix` is the hash of the item that the entry stands for. */
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

/** A text whose group is the text itself and its end, and which alone is too short to make a key that is cut. */
function isPlainText(value: KeyValue): value is StringValue {
  return 'S' in value && value.S.length <= plainTextMax && !value.S.includes('\0');
}

const plainTextMax = 255;

/** The usual case of an index key, without an array for each part. */
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

/** A longer array has its bytes outside of V8's heap, and takes ten times as long to make. */
const heapBytesMax = 64;

/** The most bytes that an index key has before its last hash. A key that would have so many is cut to them. */
const cutAt = cutKeyBytes - hashBytes;

/** Whether the groups of an index key had to be cut, so that its neighbours may need sorting by their values. */
export function isCutKey(key: Uint8Array): boolean {
  return key.length === cutKeyBytes;
}

/** Whether keys with so many RANGE attributes can be cut: one alone, of 1,024 bytes at most, twice as many as a group, cannot. */
export function mayBeCut(rangeAttributes: number): boolean {
  return rangeAttributes > 1;
}

/** Whether a bound reaches to where keys are cut, and so cannot tell apart the keys that share its beginning. */
export function reachesCut(bound: Uint8Array): boolean {
  return bound.length >= cutAt;
}

/** A bound, no longer than any key that was cut at it. */
export function cutBound(bound: Uint8Array): Uint8Array {
  return reachesCut(bound) ? bound.subarray(0, cutAt) : bound;
}

/** The sort key of a table entry, from its key alone. */
export function decodeSortKey(key: Uint8Array, idBytes: number, type: KeyType): KeyValue {
  return decodeKeyValue(key.subarray(idBytes + hashBytes), type);
}

/** The hash of the partition key: what places an entry among partitions and scan segments. */
export function partitionHash(key: Uint8Array, idBytes: number): Uint8Array {
  return key.subarray(idBytes, idBytes + hashBytes);
}

/** Writes the hash of a partition key, which mostly is one string; answers where it ends. */
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

/** The compiler does not take an array that nobody may change for one. */
function isList(values: KeyValue | readonly KeyValue[]): values is readonly KeyValue[] {
  return Array.isArray(values);
}

/** A type and a length. */
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
    frames[at + 1] = bytes >>> 24;
    frames[at + 2] = bytes >>> 16;
    frames[at + 3] = bytes >>> 8;
    frames[at + 4] = bytes;
    at = end;
  }
  return frames;
}
