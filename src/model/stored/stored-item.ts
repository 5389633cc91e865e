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
 * | 0 | format: 2 |
 * | 1 | flags: 1 the JSON is encrypted, 2 tombstone (the item was deleted; the JSON holds its key) |
 * | 2–5 | item size in DynamoDB's bytes; for an index entry the size of the entry |
 * | 6–9 | era of the last write: the number of moments that were taken of the table before it |
 * | 10–16 | time of the last write, in microseconds since 1970 |
 * | 17 | origin Region: its number in the store's own list of Regions, 0 for the Region that holds the item |
 * | 18–23 | version: 1 when first written, one more with every write |
 * | 24– | canonical JSON in UTF-8 (its encryption, when the flag is set) |
 *
 * Era and time together are the stamp of a write (`stamp.ts`). Times stay within the safe integers, which end in the
 * year 2255. The Region is a number because a name would make the header's length vary, and every entry pay for it.
 * Format 1 had no era. No released version wrote it, and it is refused.
 */
export interface ItemHeader {
  readonly encrypted: boolean;
  readonly tombstone: boolean;
  readonly itemBytes: number;
  readonly era: number;
  readonly writtenMicros: number;
  readonly region: number;
  readonly version: number;
}

export const headerBytes = 24;

const format = 2;
const encryptedFlag = 1;
const tombstoneFlag = 2;
const twoTo32 = 2 ** 32;
const versionMax = 2 ** 48 - 1;

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
    era: readUint32(bytes, 6),
    writtenMicros: readMicros(bytes),
    region: bytes[17]!,
    version: ((bytes[18]! << 8) | bytes[19]!) * twoTo32 + readUint32(bytes, 20),
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
 * The time of the next write to an item. Within an era it is later than the time of the previous write even if the clock
 * stands still or goes back, so that the stamps of an item have the order of its versions. A new era goes by the clock
 * again, however far ahead an older time may be.
 */
export function nextWriteTime(previous: ItemHeader | undefined, era: number, nowMicros: number): number {
  if (previous === undefined || previous.era < era) return nowMicros;
  if (previous.era > era) throw new Error('an item was written in a later era than that of its table');
  return Math.max(nowMicros, previous.writtenMicros + 1);
}

export function nextVersion(previous: ItemHeader | undefined): number {
  return previous === undefined ? 1 : previous.version + 1;
}

/** Fills the reserved bytes before the JSON. */
export function writeHeader(bytes: Uint8Array, header: ItemHeader): void {
  assertUnsigned(header.itemBytes, twoTo32 - 1);
  assertUnsigned(header.writtenMicros, Number.MAX_SAFE_INTEGER);
  assertUnsigned(header.era, twoTo32 - 1);
  assertUnsigned(header.region, 0xff);
  assertUnsigned(header.version, versionMax);
  bytes[0] = format;
  bytes[1] = (header.encrypted ? encryptedFlag : 0) | (header.tombstone ? tombstoneFlag : 0);
  writeUint32(bytes, 2, header.itemBytes);
  writeUint32(bytes, 6, header.era);
  const micros = Math.floor(header.writtenMicros / twoTo32);
  bytes[10] = micros >> 16;
  bytes[11] = micros >> 8;
  bytes[12] = micros;
  writeUint32(bytes, 13, header.writtenMicros % twoTo32);
  bytes[17] = header.region;
  const version = Math.floor(header.version / twoTo32);
  bytes[18] = version >> 8;
  bytes[19] = version;
  writeUint32(bytes, 20, header.version % twoTo32);
}

function checkFormat(bytes: Uint8Array): void {
  if (bytes[0] !== format || bytes.length < headerBytes || bytes[1]! > (encryptedFlag | tombstoneFlag))
    throw unknownHeader(bytes);
}

function unknownHeader(bytes: Uint8Array): Error {
  return new Error(
    bytes[0] === 1 && bytes.length >= headerBytes
      ? 'stored item has the header of an unreleased version of Stator (format 1); export its tables with that version'
      : 'stored item has an unknown header',
  );
}

function assertUnsigned(value: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > max)
    throw new Error(`item header cannot hold ${value}`);
}

function readMicros(bytes: Uint8Array): number {
  const high = (bytes[10]! << 16) | (bytes[11]! << 8) | bytes[12]!;
  const value = high * twoTo32 + readUint32(bytes, 13);
  if (value > Number.MAX_SAFE_INTEGER) throw new Error('stored item has a header beyond the safe integers');
  return value;
}
