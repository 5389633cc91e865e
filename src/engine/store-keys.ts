import { concatBytes, prefixEnd, writeUint32 } from '../model/values/bytes.ts';
import { fromHex, toHex } from '../model/values/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../model/values/utf8.ts';

/**
 * The layout of all keys in the Store. The first byte is the kind. These bytes are on disk and must not change.
 *
 *     01 | account (12 digits) | length of Region | Region | table name    the table's record (JSON)
 *     02 | storage id                                                      the table's epoch
 *     03 | storage id                                                      a dropped table with entries to remove
 *     03 | storage id | slot (u16)                                         a dropped index with entries to remove
 *     04 | storage id | slot (u16)                                         the progress of filling an index (JSON)
 *     05 | period (u32) | account | length of Region | Region | hash       a transaction committed in that period under
 *                                                                          the token with that hash
 *     07 | account | length of Region | Region | table name | 00 | label   a stream that can still be read (JSON)
 *     08 | storage id | label                                              the shards of that stream (JSON)
 *     09 | storage id | name                                               the progress of a reader of the log (JSON)
 *     0a | storage id                                                      a table with Time to Live (JSON)
 *     0b                                                                   who deletes expired items just now (JSON)
 *     0c | storage id | slot (u16)                                         the partitions of a table (slot 0) or global
 *                                                                          index, `physics/partition-record.ts`
 *     0d                                                                   the process that writes those records (JSON)
 *     0e | storage id                                                      a table that keeps old images (JSON)
 *     0f | account | length of Region | Region | table name | 00 | id      a backup of a table (JSON)
 *     10 | storage id | slot (u16) | …                                     entries: slot 0 the items, others indexes,
 *                                                                          expiries and old images
 *     11 | backup storage id | number (u32)                                a chunk of a backup, `backups/chunks.ts`
 *     12 | job id                                                          a backup, restore or removal that is under
 *                                                                          way or has failed (JSON)
 *     13 | storage id                                                      a dropped table that jobs still read (JSON)
 *     14                                                                   the process that does the jobs (JSON)
 *     15 | account | length of Region | Region | id                        an import, and how far it has come (JSON)
 *     16 | account | length of Region | Region | id                        an export, and how far it has come (JSON)
 *     17                                                                   left by older versions: the process that did
 *                                                                          exports and imports (JSON)
 *     18 | account | length of Region | Region | id | number (u32)         rows that an import refused (JSON lines)
 *     19                                                                   the time by which old images are forgotten
 *                                                                          (JSON), `history/trusted-time.ts`
 *     1a | storage id                                                      the buckets of a dropped table's change log
 *                                                                          (JSON)
 *     20 | `n` | hash of a series (16)                                     the name of a series of metrics (JSON)
 *     20 | `m` | hash of a series (16) | chunk (u32) | process (8)          its minutes, `observe/minute-chunk.ts`
 *     20 | `l` | process (8)                                                the minute under way of a process (JSON)
 *     21 | account | length of Region | Region | alarm name                an alarm (JSON)
 *     22 | account | length of Region | Region | ms (u64) | number (u32)   an item of the alarms' history (JSON)
 *     23 | account | length of Region | Region | what | names              auto scaling: a target, a policy, a scheduled
 *                                                                          action (JSON)
 *     24 | account | length of Region | Region | ms (u64) | number (u32)   a scaling activity (JSON)
 *     25                                                                   the process that evaluates alarms (JSON)
 *
 * The storage id is 8 random bytes, new for every CreateTable. A table created again under its old name therefore
 * shares nothing with the dropped one.
 *
 * Counters have a key space of their own: 10 | storage id | slot | `n` counts entries, `b` counts their bytes, and `c`
 * with the hash of a partition key counts the bytes of an item collection. Counter keys start like entry keys, so
 * deleting the range of a table deletes its counters too.
 *
 * The change log has a key space of its own too: its buckets are storage id | number, `change-log/log-layout.ts`.
 */
export const recordKind = 0x01;
export const epochKind = 0x02;
export const droppedKind = 0x03;
export const fillingKind = 0x04;
export const tokenKind = 0x05;
export const streamKind = 0x07;
export const shardsKind = 0x08;
export const readerKind = 0x09;
export const expiringKind = 0x0a;
export const sweepKind = 0x0b;
export const partitionsKind = 0x0c;
export const partitionsLeaseKind = 0x0d;
export const historyKind = 0x0e;
export const backupKind = 0x0f;
export const entryKind = 0x10;
export const chunkKind = 0x11;
export const jobKind = 0x12;
export const retiredKind = 0x13;
export const jobsLeaseKind = 0x14;
export const importKind = 0x15;
export const exportKind = 0x16;
export const transfersLeaseKind = 0x17;
export const importErrorKind = 0x18;
export const trustedTimeKind = 0x19;
export const logNoteKind = 0x1a;
export const seededOpeningsKind = 0x1b;
export const metricKind = 0x20;
export const alarmKind = 0x21;
export const alarmHistoryKind = 0x22;
export const scalingKind = 0x23;
export const scalingActivityKind = 0x24;
export const alarmLeaseKind = 0x25;
export const alarmLeaseKey = Uint8Array.of(alarmLeaseKind);

export const storageIdBytes = 8;
/** The length of kind, storage id and slot. The hash follows them in the key of an entry. */
export const entryPrefixBytes = 1 + storageIdBytes + 2;

export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** Account and Region. Tables of one scope are invisible in another. */
export interface Scope {
  readonly account: string;
  readonly region: string;
}

export function recordKey(scope: Scope, tableName: string): Uint8Array {
  return concatBytes(recordPrefix(scope), encodeUtf8(tableName));
}

export function recordPrefix(scope: Scope): Uint8Array {
  return scopePrefix(recordKind, scope);
}

export function accountPrefix(account: string): Uint8Array {
  return concatBytes(Uint8Array.of(recordKind), accountBytes(account));
}

export function scopePrefix(kind: number, scope: Scope): Uint8Array {
  return concatBytes(Uint8Array.of(kind), scopeBytes(scope));
}

/** Parses a key that begins with a kind and a scope, and answers what follows them. */
export function readScopedKey(key: Uint8Array): { readonly scope: Scope; readonly rest: Uint8Array } {
  const regionAt = 14;
  const restAt = regionAt + key[13]!;
  const scope = {
    account: decodeUtf8(key.subarray(1, 13)),
    region: decodeUtf8(key.subarray(regionAt, restAt)),
  };
  return { scope, rest: key.subarray(restAt) };
}

function scopeBytes({ account, region }: Scope): Uint8Array {
  const regionBytes = encodeUtf8(region);
  return concatBytes(accountBytes(account), Uint8Array.of(regionBytes.length), regionBytes);
}

function accountBytes(account: string): Uint8Array {
  const bytes = encodeUtf8(account);
  if (bytes.length !== 12) throw new Error(`an account id of ${bytes.length} characters`);
  return bytes;
}

/** Account and Region in the key of a table's record. */
export function scopeInRecordKey(key: Uint8Array): Scope {
  return { account: decodeUtf8(key.subarray(1, 13)), region: readRecordKey(key).region };
}

/** Parses the key of a table's record. */
export function readRecordKey(key: Uint8Array): { region: string; tableName: string } {
  const regionAt = 14;
  const nameAt = regionAt + key[13]!;
  return { region: decodeUtf8(key.subarray(regionAt, nameAt)), tableName: decodeUtf8(key.subarray(nameAt)) };
}

export function epochKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(epochKind), fromHex(storageId));
}

/** The key of the note of a dropped table or, with a slot, of a dropped index. */
export function droppedKey(storageId: string, slot?: number): Uint8Array {
  const ofTable = concatBytes(Uint8Array.of(droppedKind), fromHex(storageId));
  return slot === undefined ? ofTable : concatBytes(ofTable, slotBytes(slot));
}

export const droppedRange = { from: Uint8Array.of(droppedKind), to: Uint8Array.of(droppedKind + 1) };

/** The range of the entries and counters of the dropped table or index. */
export function droppedEntries(note: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  const from = concatBytes(Uint8Array.of(entryKind), note.subarray(1));
  return { from, to: prefixEnd(from)! };
}

/** The key of the note of an index, or of a table's expiries, that is being filled. */
export function fillingKey(storageId: string, slot: number): Uint8Array {
  return concatBytes(Uint8Array.of(fillingKind), fromHex(storageId), slotBytes(slot));
}

/** The counter of the items of the table that a filling note belongs to. */
export function fillingTableCount(note: Uint8Array): Uint8Array {
  const storageId = toHex(note.subarray(1, 1 + storageIdBytes));
  return slotCounters(entryPrefix(storageId, 0)).count;
}

export const fillingRange = { from: Uint8Array.of(fillingKind), to: Uint8Array.of(fillingKind + 1) };

export function entryPrefix(storageId: string, slot: number): Uint8Array {
  return concatBytes(Uint8Array.of(entryKind), fromHex(storageId), slotBytes(slot));
}

function slotBytes(slot: number): Uint8Array {
  return Uint8Array.of(slot >> 8, slot & 0xff);
}

/** The range of all entries and counters of a table and its indexes. */
export function tableRange(storageId: string): { from: Uint8Array; to: Uint8Array } {
  return droppedEntries(droppedKey(storageId));
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

/** The keys of a request token, one for each of the periods. Each account and Region has its own tokens. */
export function tokenKeys(periods: readonly number[], scope: Scope, tokenHash: Uint8Array): Uint8Array[] {
  const id = concatBytes(scopeBytes(scope), tokenHash);
  return periods.map((period) => concatBytes(tokenPeriod(period), id));
}

/** The range of the tokens of all periods before the given one. */
export function tokensBefore(period: number): { from: Uint8Array; to: Uint8Array } {
  return { from: Uint8Array.of(tokenKind), to: tokenPeriod(period) };
}

function tokenPeriod(period: number): Uint8Array {
  const bytes = new Uint8Array(tokenPeriodBytes);
  bytes[0] = tokenKind;
  writeUint32(bytes, 1, period);
  return bytes;
}

/** The length of kind and period. The account follows them in the key of a token. */
export const tokenPeriodBytes = 5;

/** The key of the note of a table with Time to Live. */
export function expiringKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(expiringKind), fromHex(storageId));
}

export function storageIdOfExpiring(key: Uint8Array): string {
  return toHex(key.subarray(1));
}

export const expiringRange = { from: Uint8Array.of(expiringKind), to: Uint8Array.of(expiringKind + 1) };

/** The key of the lease for deleting expired items. One process at a time holds it, for all tables. */
export const sweepKey = Uint8Array.of(sweepKind);

/** The record of the partitions of a table (slot 0) or of a global index. */
export function partitionsKey(storageId: string, slot: number): Uint8Array {
  return concatBytes(Uint8Array.of(partitionsKind), fromHex(storageId), slotBytes(slot));
}

/** The lease of the process that writes partition records. */
export const partitionsLeaseKey = Uint8Array.of(partitionsLeaseKind);

/** A table name has no zero byte, so that no name's streams lie among another's. */
export function streamsPrefix(scope: Scope, tableName: string): Uint8Array {
  return concatBytes(scopePrefix(streamKind, scope), encodeUtf8(tableName), Uint8Array.of(0));
}

/** The prefix of all streams of an account in a Region. */
export function streamsOfScope(scope: Scope): Uint8Array {
  return scopePrefix(streamKind, scope);
}

export const streamRange = { from: Uint8Array.of(streamKind), to: Uint8Array.of(streamKind + 1) };

export function streamKey(scope: Scope, tableName: string, label: string): Uint8Array {
  return concatBytes(streamsPrefix(scope, tableName), encodeUtf8(label));
}

export function shardsKey(storageId: string, label: string): Uint8Array {
  return concatBytes(Uint8Array.of(shardsKind), fromHex(storageId), encodeUtf8(label));
}

export function readerKey(storageId: string, name: string): Uint8Array {
  return concatBytes(Uint8Array.of(readerKind), fromHex(storageId), encodeUtf8(name));
}

export const readerRange = { from: Uint8Array.of(readerKind), to: Uint8Array.of(readerKind + 1) };

/** The key of the buckets of a dropped table's log. */
export function logNoteKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(logNoteKind), fromHex(storageId));
}

export const logNoteRange = { from: Uint8Array.of(logNoteKind), to: Uint8Array.of(logNoteKind + 1) };

/** The key of the note of a table that keeps old images. */
export function historyNoteKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(historyKind), fromHex(storageId));
}

export const historyNoteRange = { from: Uint8Array.of(historyKind), to: Uint8Array.of(historyKind + 1) };

/** The key of the time by which old images are forgotten. */
export const trustedTimeKey = Uint8Array.of(trustedTimeKind);

/** The key of the number of openings with a seed. */
export const seededOpeningsKey = Uint8Array.of(seededOpeningsKind);

export function backupsOfTable(scope: Scope, tableName: string): Uint8Array {
  return concatBytes(scopePrefix(backupKind, scope), encodeUtf8(tableName), Uint8Array.of(0));
}

export function backupsOfScope(scope: Scope): Uint8Array {
  return scopePrefix(backupKind, scope);
}

export const backupRange = { from: Uint8Array.of(backupKind), to: Uint8Array.of(backupKind + 1) };

export function backupKey(scope: Scope, tableName: string, id: string): Uint8Array {
  return concatBytes(backupsOfTable(scope, tableName), encodeUtf8(id));
}

/** The key of a chunk of a backup; without a number the prefix of all its chunks. */
export function chunkKey(backupStorageId: string, number?: number): Uint8Array {
  const prefix = concatBytes(Uint8Array.of(chunkKind), fromHex(backupStorageId));
  if (number === undefined) return prefix;
  const key = new Uint8Array(prefix.length + 4);
  key.set(prefix);
  writeUint32(key, prefix.length, number);
  return key;
}

export function jobKey(id: string): Uint8Array {
  return concatBytes(Uint8Array.of(jobKind), fromHex(id));
}

export const jobRange = { from: Uint8Array.of(jobKind), to: Uint8Array.of(jobKind + 1) };

export const retiredRange = { from: Uint8Array.of(retiredKind), to: Uint8Array.of(retiredKind + 1) };

/** The key of the record of a dropped table whose entries jobs still read. */
export function retiredKey(storageId: string): Uint8Array {
  return concatBytes(Uint8Array.of(retiredKind), fromHex(storageId));
}

/** The lease of the process that does the jobs. */
export const jobsLeaseKey = Uint8Array.of(jobsLeaseKind);

export function importsOfScope(scope: Scope): Uint8Array {
  return scopePrefix(importKind, scope);
}

export function importKey(scope: Scope, id: string): Uint8Array {
  return concatBytes(importsOfScope(scope), encodeUtf8(id));
}

export const importRange = { from: Uint8Array.of(importKind), to: Uint8Array.of(importKind + 1) };

/** The key of the rows that an import refused, from a number on; without a number the prefix of all of them. */
export function importErrorKey(scope: Scope, id: string, number?: number): Uint8Array {
  const prefix = concatBytes(scopePrefix(importErrorKind, scope), encodeUtf8(id));
  if (number === undefined) return prefix;
  const key = new Uint8Array(prefix.length + 4);
  key.set(prefix);
  writeUint32(key, prefix.length, number);
  return key;
}

export function exportsOfScope(scope: Scope): Uint8Array {
  return scopePrefix(exportKind, scope);
}

export function exportKey(scope: Scope, id: string): Uint8Array {
  return concatBytes(exportsOfScope(scope), encodeUtf8(id));
}

export const exportRange = { from: Uint8Array.of(exportKind), to: Uint8Array.of(exportKind + 1) };
