import { CanonicalWriter } from '../json/canonical-json.ts';
import { parseCanonicalAttributes, parseCanonicalItem } from '../json/parse-canonical-json.ts';
import type { Item } from '../values/attribute-value.ts';
import { readUint32, writeUint32 } from '../values/bytes.ts';

/**
 * The stored form of an item, of an index entry and of a tombstone: a header of fixed length, then canonical JSON.
 * Numbers are big-endian and unsigned. This layout is on disk: a change needs a new format byte.
 *
 * | bytes | what |
 * |---|---|
 * | 0 | format: 1 |
 * | 1 | flags: 1 the JSON is encrypted, 2 tombstone (the item was deleted; the JSON holds its key) |
 * | 2–5 | item size in DynamoDB's bytes; for an index entry the size of the entry |
 * | 6–13 | time of the last write, in microseconds since 1970 |
 * | 14–15 | origin Region: its number in the store's own list of Regions, 0 for the Region that holds the item |
 * | 16–23 | version: 1 when first written, one more with every write |
 * | 24– | canonical JSON in UTF-8 (its encryption, when the flag is set) |
 *
 * Time and version have eight bytes each but stay within the safe integers (2^53 microseconds end in the year 2255).
 * The Region is a number because a name would make the header's length vary, and every entry pay for it.
 */
export interface ItemHeader {
  readonly encrypted: boolean;
  readonly tombstone: boolean;
  readonly itemBytes: number;
  readonly writtenMicros: number;
  readonly region: number;
  readonly version: number;
}

export const headerBytes = 24;

const format = 1;
const encryptedFlag = 1;
const tombstoneFlag = 2;
const twoTo32 = 2 ** 32;

export function encodeItem(item: Item, header: ItemHeader): Uint8Array {
  // Type tags and punctuation make the JSON of ordinary items about three times as long as DynamoDB's size.
  const writer = new CanonicalWriter(headerBytes + 32 + header.itemBytes * 3, headerBytes);
  writer.item(item);
  const bytes = writer.finish();
  writeHeader(bytes, header);
  return bytes;
}

/** Puts a header before encoded JSON, or before the encrypted bytes of an item. */
export function encodeStored(json: Uint8Array, header: ItemHeader): Uint8Array {
  const bytes = new Uint8Array(headerBytes + json.length);
  bytes.set(json, headerBytes);
  writeHeader(bytes, header);
  return bytes;
}

export function readHeader(bytes: Uint8Array): ItemHeader {
  checkFormat(bytes);
  const flags = bytes[1]!;
  return {
    encrypted: (flags & encryptedFlag) !== 0,
    tombstone: (flags & tombstoneFlag) !== 0,
    itemBytes: readUint32(bytes, 2),
    writtenMicros: readU64(bytes, 6),
    region: (bytes[14]! << 8) | bytes[15]!,
    version: readU64(bytes, 16),
  };
}

/** Reads the item size alone, for paging and metering. */
export function readItemBytes(bytes: Uint8Array): number {
  checkFormat(bytes);
  return readUint32(bytes, 2);
}

/** A view of the stored JSON. It copies nothing. */
export function itemJson(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(jsonStart(bytes));
}

/** The offset of the JSON, for callers that need no view of it. */
export function jsonStart(bytes: Uint8Array): number {
  checkFormat(bytes);
  return headerBytes;
}

/** Compares two stored items without their headers. The JSON is canonical, so equal bytes mean equal items. */
export function hasSameJson(a: Uint8Array, b: Uint8Array): boolean {
  checkFormat(a);
  checkFormat(b);
  if (a.length !== b.length) return false;
  for (let i = headerBytes; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export function decodeItem(bytes: Uint8Array): Item {
  return parseCanonicalItem(bytes, readableStart(bytes));
}

/** Decodes only the attributes named by one of two sets. This is cheaper for an item with many other attributes. */
export function decodeAttributes(
  bytes: Uint8Array,
  names: ReadonlySet<string>,
  further?: ReadonlySet<string>,
): Item {
  return parseCanonicalAttributes(bytes, names, further, readableStart(bytes));
}

function readableStart(bytes: Uint8Array): number {
  if ((bytes[1]! & encryptedFlag) !== 0)
    throw new Error('an encrypted item must be decrypted before it is read');
  return jsonStart(bytes);
}

/**
 * The time of the next write to an item. It is later than the time of the previous write even if the clock stands still
 * or goes back, so that each version of an item has a time of its own and the times have the order of the versions.
 */
export function nextWriteTime(previous: ItemHeader | undefined, nowMicros: number): number {
  return previous === undefined ? nowMicros : Math.max(nowMicros, previous.writtenMicros + 1);
}

export function nextVersion(previous: ItemHeader | undefined): number {
  return previous === undefined ? 1 : previous.version + 1;
}

/** Fills the reserved bytes before the JSON. */
export function writeHeader(bytes: Uint8Array, header: ItemHeader): void {
  assertUnsigned(header.itemBytes, twoTo32 - 1);
  assertUnsigned(header.writtenMicros, Number.MAX_SAFE_INTEGER);
  assertUnsigned(header.region, 0xffff);
  assertUnsigned(header.version, Number.MAX_SAFE_INTEGER);
  bytes[0] = format;
  bytes[1] = (header.encrypted ? encryptedFlag : 0) | (header.tombstone ? tombstoneFlag : 0);
  writeUint32(bytes, 2, header.itemBytes);
  writeU64(bytes, 6, header.writtenMicros);
  bytes[14] = header.region >> 8;
  bytes[15] = header.region;
  writeU64(bytes, 16, header.version);
}

function checkFormat(bytes: Uint8Array): void {
  if (bytes[0] !== format || bytes.length < headerBytes || bytes[1]! > (encryptedFlag | tombstoneFlag)) {
    throw new Error('stored item has an unknown header');
  }
}

function assertUnsigned(value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > max)
    throw new Error(`item header cannot hold ${value}`);
}

function writeU64(bytes: Uint8Array, at: number, value: number): void {
  writeUint32(bytes, at, Math.floor(value / twoTo32));
  writeUint32(bytes, at + 4, value % twoTo32);
}

function readU64(bytes: Uint8Array, at: number): number {
  const value = readUint32(bytes, at) * twoTo32 + readUint32(bytes, at + 4);
  if (value > Number.MAX_SAFE_INTEGER) throw new Error('stored item has a header beyond the safe integers');
  return value;
}
