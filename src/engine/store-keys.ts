import { concatBytes, prefixEnd } from '../model/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../model/utf8.ts';
import { fromHex } from './randomness.ts';

/**
 * Where everything lies in the Store. The first byte tells the kind; these bytes are on disk and must not change.
 *
 *     01 | account (12 digits) | length of Region | Region | table name    the table's record (JSON)
 *     02 | storage id                                                      the table's epoch
 *     03 | storage id                                                      a dropped table whose data is still there
 *     10 | storage id | slot (u16) | …                                     entries: slot 0 the items, others indexes
 *
 * The storage id is 8 random bytes, new for every CreateTable, so that a table made again under its old name shares
 * nothing with the one before. Counters have keys of their own space: 10 | storage id | slot | `n` for the number of
 * entries, `b` for their bytes, and `c` with the hash of a partition key for the bytes of an item collection, so that
 * deleting the range of a table deletes them too.
 */
const recordKind = 0x01;
const epochKind = 0x02;
const droppedKind = 0x03;
const entryKind = 0x10;

export const storageIdBytes = 8;
/** Kind, storage id and slot: what stands before the hash in the key of an entry. */
export const entryPrefixBytes = 1 + storageIdBytes + 2;

/** Account and Region: tables of one are invisible in another. */
export interface Scope {
  readonly account: string;
  readonly region: string;
}

export function recordKey(scope: Scope, tableName: string): Uint8Array {
  return concatBytes(recordPrefix(scope), encodeUtf8(tableName));
}

export function recordPrefix({ account, region }: Scope): Uint8Array {
  const regionBytes = encodeUtf8(region);
  return concatBytes(accountPrefix(account), Uint8Array.of(regionBytes.length), regionBytes);
}

export function accountPrefix(account: string): Uint8Array {
  const bytes = encodeUtf8(account);
  if (bytes.length !== 12) throw new Error(`an account id of ${bytes.length} characters`);
  return concatBytes(Uint8Array.of(recordKind), bytes);
}

/** The Region and table name that a record's key tells. */
export function readRecordKey(key: Uint8Array): { region: string; tableName: string } {
  const regionAt = 14;
  const nameAt = regionAt + key[13]!;
  return { region: decodeUtf8(key.subarray(regionAt, nameAt)), tableName: decodeUtf8(key.subarray(nameAt)) };
}

export function epochKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(epochKind), fromHex(storageId));
}

export function droppedKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(droppedKind), fromHex(storageId));
}

export const droppedRange = { from: Uint8Array.of(droppedKind), to: Uint8Array.of(droppedKind + 1) };

export function entryPrefix(storageId: string, slot: number): Uint8Array {
  return concatBytes(Uint8Array.of(entryKind), fromHex(storageId), Uint8Array.of(slot >> 8, slot & 0xff));
}

/** All entries and counters of a table and its indexes. */
export function tableRange(storageId: string): { from: Uint8Array; to: Uint8Array } {
  const from = concatBytes(Uint8Array.of(entryKind), fromHex(storageId));
  return { from, to: prefixEnd(from)! };
}

export interface SlotCounters {
  readonly count: Uint8Array;
  readonly bytes: Uint8Array;
}

export function slotCounters(prefix: Uint8Array): SlotCounters {
  return { count: concatBytes(prefix, encodeUtf8('n')), bytes: concatBytes(prefix, encodeUtf8('b')) };
}

/** The counter of the bytes of one item collection: items and local index entries of one partition key. */
export function collectionCounter(prefix: Uint8Array, partitionHash: Uint8Array): Uint8Array {
  return concatBytes(prefix, encodeUtf8('c'), partitionHash);
}
