import { partitionPrefix } from '../../model/keys/keys.ts';
import { decodeItem } from '../../model/stored/stored-item.ts';
import type { KeySchemaElement } from '../../model/tables/table-description.ts';
import type { KeyValue } from '../../model/values/attribute-value.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Reader, Store } from '../../storage/store.ts';
import { type ChangeRecord, decodeChange } from '../change-log/change-record.ts';
import { streamFollower } from '../change-log/follower.ts';
import { bucketNumberOf, bucketsPerTable, logBucket } from '../change-log/log-buckets.ts';
import { decodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { decodeShards, type Shard, type ShardsNote } from '../change-log/shards.ts';
import { decodeStream, scopeOf } from '../change-log/stream-note.ts';
import {
  readerKey,
  readerKind,
  shardsKey,
  shardsKind,
  storageIdBytes,
  streamKey,
  streamKind,
} from '../store-keys.ts';
import { type Census, checkCatalogue } from './check-catalogue.ts';
import { isLiving } from './check-record.ts';
import { CheckResults, type FindingKind, type Place } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { isDamage } from './lookups.ts';
import { pageLimits, pagesOf } from './range-pages.ts';
import { shownError } from './shown.ts';

/** What the notes about one log say of it, as far as the log can bear them out. */
interface LogClaims {
  readonly place: Place;
  readonly keySchema: readonly KeySchemaElement[];
  /** For each bucket the positions that somebody says it has reached. */
  readonly reached: { readonly bucket: number; readonly position: number; readonly claim: Claim }[];
}

interface Claim {
  readonly kind: FindingKind;
  readonly what: string;
  readonly storeKey: string;
}

/**
 * Judges the change log: that streams, shards, readers and tables tell the same, that no cursor lies beyond the end of
 * its bucket, and that all records can be read and stand in the buckets of their items. A log that no note tells of
 * cannot be found, because a store does not list its buckets. `first` is the census of the first state.
 */
export async function checkLog(
  context: CheckContext,
  store: Store,
  first: Census,
  results: CheckResults,
): Promise<void> {
  // Streams come and go with their tables: both are looked at in one state.
  const { states } = context;
  const isFirst = states.number === 1;
  const reader = await (isFirst ? states.current() : states.next());
  const census = isFirst ? first : await checkCatalogue(reader, new CheckResults());
  const logs = new Map<string, LogClaims>();
  const streams = await checkStreams(reader, census, logs, results);
  await checkReaders(reader, census, logs, results);
  checkFollowers(census, streams, logs, results);
  // Notes were read before the ends, which only grow.
  for (const [storageId, claims] of logs) await checkBuckets(context, store, storageId, claims, results);
}

async function checkStreams(
  reader: Reader,
  census: Census,
  logs: Map<string, LogClaims>,
  results: CheckResults,
): Promise<Set<string>> {
  const found = new Set<string>();
  await eachNote(reader, streamKind, 'stream-note', decodeStream, results, (key, stream) => {
    const own = streamKey(scopeOf(stream), stream.tableName, stream.label);
    const storeKey = toHex(key);
    const place = { account: stream.account, region: stream.region, table: stream.tableName };
    const add = (expected: string, what: string) =>
      results.add({ kind: 'stream-note', ...place, storeKey, expected, found: what });
    if (toHex(own) !== storeKey) return add('the stream that its key names', `stream ${stream.label}`);
    found.add(toHex(shardsKey(stream.storageId, stream.label)));
    claimsOn(logs, stream.storageId, place, stream.keySchema);
    if (stream.until !== undefined || census.damagedIds.has(stream.storageId)) return;
    const record = census.records.get(stream.storageId)?.record;
    if (record === undefined ? !census.isIncomplete : !isFollowedBy(record.followers, stream.label))
      add('a table that this stream follows', 'none');
  });
  const met = new Set<string>();
  await eachNote(reader, shardsKind, 'stream-note', decodeShards, results, (key, note) => {
    const storeKey = toHex(key);
    met.add(storeKey);
    const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
    const claims = logs.get(storageId);
    if (claims === undefined || !found.has(storeKey)) {
      results.add({ kind: 'stream-note', storeKey, expected: 'the stream of these shards', found: 'none' });
      return;
    }
    const problem = shardsProblem(note);
    if (problem !== undefined)
      results.add({
        kind: 'stream-note',
        ...claims.place,
        storeKey,
        expected: 'shards that fit',
        found: problem,
      });
    for (const { bucket, after, through = after, id } of note.shards)
      claims.reached.push({ bucket, position: through, claim: { kind: 'stream-note', what: id, storeKey } });
  });
  for (const storeKey of found)
    if (!met.has(storeKey))
      results.add({ kind: 'stream-note', storeKey, expected: 'the shards of a stream', found: 'none' });
  return found;
}

function isFollowedBy(followers: Parameters<typeof streamFollower>[0], label: string): boolean {
  return streamFollower(followers)?.label === label;
}

function shardsProblem({ shards, nextNumber }: ShardsNote): string | undefined {
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  if (byId.size !== shards.length) return 'two shards of one id';
  for (const shard of shards) {
    if (shard.number >= nextNumber) return `a shard with the number ${shard.number}, which is yet to come`;
    if (shard.bucket >= bucketsPerTable) return `a shard of bucket ${shard.bucket}`;
    if ((shard.through ?? shard.after) < shard.after) return `${shard.id}, which ends before it begins`;
    const parent = shard.parentId === undefined ? undefined : byId.get(shard.parentId);
    if (parent !== undefined && !isNext(parent, shard))
      return `${shard.id}, which does not begin where ${parent.id} ends`;
  }
  return undefined;
}

function isNext(parent: Shard, child: Shard): boolean {
  return parent.through === child.after && parent.bucket === child.bucket && parent.number < child.number;
}

async function checkReaders(
  reader: Reader,
  census: Census,
  logs: Map<string, LogClaims>,
  results: CheckResults,
): Promise<void> {
  await eachNote(reader, readerKind, 'log-reader', decodeReader, results, (key, note: ReaderNote) => {
    const storeKey = toHex(key);
    const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
    const place = { account: note.account, region: note.region, table: note.tableName };
    if (toHex(readerKey(storageId, note.name)) !== storeKey || note.positions.length !== bucketsPerTable) {
      const expected = 'the cursor of the reader that its key names';
      results.add({ kind: 'log-reader', ...place, storeKey, expected, found: `that of ${note.name}` });
      return;
    }
    const keySchema = census.records.get(storageId)?.record.description.keySchema ?? [];
    const claims = claimsOn(logs, storageId, place, keySchema);
    const claim: Claim = { kind: 'log-reader', what: `reader ${note.name}`, storeKey };
    for (const [bucket, position] of note.positions.entries())
      claims.reached.push({ bucket, position, claim });
  });
}

/** A table whose record names a follower has that follower's note. */
function checkFollowers(
  { records }: Census,
  streams: ReadonlySet<string>,
  logs: ReadonlyMap<string, LogClaims>,
  results: CheckResults,
): void {
  for (const { scope, name, record } of records.values()) {
    if (!isLiving(record)) continue;
    for (const follower of record.followers ?? []) {
      const key =
        follower.kind === 'stream'
          ? shardsKey(record.storageId, follower.label)
          : readerKey(record.storageId, follower.name);
      const storeKey = toHex(key);
      const isNoted =
        follower.kind === 'stream'
          ? streams.has(storeKey)
          : logs.get(record.storageId)?.reached.some(({ claim }) => claim.storeKey === storeKey) === true;
      if (!isNoted)
        results.add({
          kind: follower.kind === 'stream' ? 'stream-note' : 'log-reader',
          ...scope,
          table: name,
          storeKey,
          expected: 'the note of a follower',
          found: 'none',
        });
    }
  }
}

function claimsOn(
  logs: Map<string, LogClaims>,
  storageId: string,
  place: Place,
  keySchema: readonly KeySchemaElement[],
): LogClaims {
  const claims = logs.get(storageId) ?? { place, keySchema, reached: [] };
  logs.set(storageId, claims);
  return claims;
}

async function eachNote<Note>(
  reader: Reader,
  kind: number,
  finding: FindingKind,
  decode: (stored: Uint8Array, key: Uint8Array) => Note,
  results: CheckResults,
  judge: (key: Uint8Array, note: Note) => void,
): Promise<void> {
  const { from, to } = rangeOfKind(kind);
  for await (const page of pagesOf(reader, from, to)) {
    for (const { key, value } of page) {
      try {
        judge(key, decode(value, key));
      } catch (error) {
        results.add({
          kind: finding,
          storeKey: toHex(key),
          expected: 'a note that can be read',
          found: shownError(error),
        });
      }
    }
  }
}

async function checkBuckets(
  context: CheckContext,
  store: Store,
  storageId: string,
  claims: LogClaims,
  results: CheckResults,
): Promise<void> {
  for (let number = 0; number < bucketsPerTable; number++) {
    const bucket = logBucket(storageId, number);
    const end = await store.logEnd(bucket);
    for (const { position, claim } of claims.reached.filter(({ bucket: of }) => of === number))
      if (position > end)
        results.add({
          kind: claim.kind,
          ...claims.place,
          storeKey: claim.storeKey,
          expected: `a place of ${claim.what} in bucket ${number} up to ${end}`,
          found: String(position),
        });
    await checkRecords(context, store, bucket, number, end, claims, results);
  }
}

/** What is written meanwhile is not looked at, so that the check comes to an end. */
async function checkRecords(
  context: CheckContext,
  store: Store,
  bucket: Uint8Array,
  number: number,
  end: number,
  { place, keySchema }: LogClaims,
  results: CheckResults,
): Promise<void> {
  const add = (position: number, expected: string, found: string) =>
    results.add({ kind: 'log-record', ...place, storeKey: `${toHex(bucket)}/${position}`, expected, found });
  for (let after = 0; after < end; ) {
    try {
      const page = await store.readLog(bucket, after, Math.min(context.entriesPerStep, recordsPerStep));
      if (page.length === 0) return;
      for (const { position, record } of page) {
        const found = recordProblem(record, number, keySchema, context);
        if (found !== undefined) add(position, 'a change of an item of this bucket', found);
      }
      after = page.at(-1)!.position;
    } catch (error) {
      if (!isDamage(error)) throw error;
      add(after + 1, 'records that the storage engine can read', shownError(error));
      results.leaveOut({
        ...place,
        what: `the rest of bucket ${number} of the change log`,
        why: 'a record is damaged',
      });
      return;
    }
    await context.stepped(0);
  }
}

/** Two images of 400 KB, with room for long numbers, are a few megabytes. */
const recordsPerStep = Math.min(pageLimits.entries, 25);

function recordProblem(
  bytes: Uint8Array,
  number: number,
  keySchema: readonly KeySchemaElement[],
  { h16 }: CheckContext,
): string | undefined {
  try {
    const { before, after }: ChangeRecord = decodeChange(bytes);
    const hashName = keySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
    for (const image of [before, after]) {
      if (image === undefined) continue;
      const item = decodeItem(image);
      if (hashName === undefined) continue;
      const hash = partitionPrefix(new Uint8Array(), [item.get(hashName) as KeyValue], h16);
      const own = bucketNumberOf(hash, 0);
      if (own !== number) return `that of an item of bucket ${own}`;
    }
    return undefined;
  } catch (error) {
    return shownError(error);
  }
}
