import { decodeItem } from '../../model/stored/stored-item.ts';
import type { KeySchemaElement } from '../../model/tables/table-description.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Reader, Store } from '../../storage/store.ts';
import { type ChangeRecord, decodeChange } from '../change-log/change-record.ts';
import { streamFollower } from '../change-log/follower.ts';
import { bucketName, type LogLayout, layoutOf } from '../change-log/log-layout.ts';
import { decodeLogNote } from '../change-log/log-note.ts';
import { decodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { decodeShards } from '../change-log/shards.ts';
import { decodeStream, scopeOf } from '../change-log/stream-note.ts';
import {
  logNoteKey,
  logNoteKind,
  readerKey,
  readerKind,
  shardsKey,
  shardsKind,
  storageIdBytes,
  streamKey,
  streamKind,
} from '../store-keys.ts';
import { type Census, checkCatalogue } from './check-catalogue.ts';
import { ChangeBuckets, lastOfBuckets, layoutProblem, shardsProblem } from './check-log-layout.ts';
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
  readonly layout: LogLayout;
  /** For each bucket the positions that somebody says it has reached. */
  readonly reached: {
    readonly bucket: number;
    readonly position: number;
    /** Whether the bucket ends at that position, since it was closed. */
    readonly isEnd?: boolean;
    readonly claim: Claim;
  }[];
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
  await checkLayouts(reader, census, logs, results);
  const streams = await checkStreams(reader, census, logs, results);
  await checkReaders(reader, census, logs, results);
  checkFollowers(census, streams, logs, results);
  // Notes were read before the ends, which only grow.
  for (const [storageId, claims] of logs) await checkBuckets(context, store, storageId, claims, results);
}

/** The buckets of the logs of tables, and of those that were dropped. */
async function checkLayouts(
  reader: Reader,
  { records }: Census,
  logs: Map<string, LogClaims>,
  results: CheckResults,
): Promise<void> {
  for (const [storageId, { scope, name, record }] of records) {
    if (record.log === undefined || !isLiving(record)) continue;
    const place = { ...scope, table: name };
    const found = layoutProblem(record.log);
    if (found !== undefined)
      results.add({ kind: 'table-record', ...place, expected: 'buckets of the change log that fit', found });
    else claimsOn(logs, storageId, place, record.description.keySchema, record.log);
  }
  await eachNote(reader, logNoteKind, 'stream-note', decodeLogNote, results, (key, note) => {
    const storeKey = toHex(key);
    const storageId = toHex(key.subarray(1));
    const place = { account: note.account, region: note.region, table: note.tableName };
    const record = records.get(storageId)?.record;
    const found =
      toHex(logNoteKey(storageId)) !== storeKey
        ? 'a key of another length'
        : record !== undefined && isLiving(record)
          ? 'a table that is there'
          : layoutProblem(note.log);
    if (found !== undefined)
      results.add({
        kind: 'stream-note',
        ...place,
        storeKey,
        expected: 'the buckets of a dropped table',
        found,
      });
    else claimsOn(logs, storageId, place, [], note.log);
  });
}

async function checkStreams(
  reader: Reader,
  census: Census,
  logs: Map<string, LogClaims>,
  results: CheckResults,
): Promise<Set<string>> {
  const found = new Set<string>();
  const layouts = new Map<string, LogLayout>();
  await eachNote(reader, streamKind, 'stream-note', decodeStream, results, (key, stream) => {
    const own = streamKey(scopeOf(stream), stream.tableName, stream.label);
    const storeKey = toHex(key);
    const place = { account: stream.account, region: stream.region, table: stream.tableName };
    const add = (expected: string, what: string) =>
      results.add({ kind: 'stream-note', ...place, storeKey, expected, found: what });
    if (toHex(own) !== storeKey) return add('the stream that its key names', `stream ${stream.label}`);
    const ofShards = toHex(shardsKey(stream.storageId, stream.label));
    found.add(ofShards);
    layouts.set(ofShards, layoutOf(stream));
    claimsOn(logs, stream.storageId, place, stream.keySchema, layoutOf(stream));
    if (stream.until !== undefined || census.damagedIds.has(stream.storageId)) return;
    const record = census.records.get(stream.storageId)?.record;
    if (record === undefined ? !census.isIncomplete : !isFollowedBy(record.followers, stream.label))
      add('a table that this stream follows', 'none');
    else if (record !== undefined && JSON.stringify(layoutOf(record)) !== JSON.stringify(layoutOf(stream)))
      add('the buckets of its table’s log', 'others');
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
    const layout = layouts.get(storeKey)!;
    const problem = shardsProblem(note, layout);
    if (problem !== undefined)
      results.add({
        kind: 'stream-note',
        ...claims.place,
        storeKey,
        expected: 'shards that fit',
        found: problem,
      });
    const last = new Set(lastOfBuckets(note, layout));
    for (const shard of note.shards) {
      const { bucket, after, through = after, id } = shard;
      const claim: Claim = { kind: 'stream-note', what: id, storeKey };
      claims.reached.push({ bucket, position: through, isEnd: last.has(shard), claim });
    }
  });
  for (const storeKey of found)
    if (!met.has(storeKey))
      results.add({ kind: 'stream-note', storeKey, expected: 'the shards of a stream', found: 'none' });
  return found;
}

function isFollowedBy(followers: Parameters<typeof streamFollower>[0], label: string): boolean {
  return streamFollower(followers)?.label === label;
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
    if (toHex(readerKey(storageId, note.name)) !== storeKey) {
      const expected = 'the cursor of the reader that its key names';
      results.add({ kind: 'log-reader', ...place, storeKey, expected, found: `that of ${note.name}` });
      return;
    }
    const record = census.records.get(storageId)?.record;
    const keySchema = record?.description.keySchema ?? [];
    const claims = claimsOn(logs, storageId, place, keySchema, layoutOf(record ?? {}));
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
  layout: LogLayout,
): LogClaims {
  const known = logs.get(storageId);
  // The note of a dropped table’s buckets has no keys; those of its streams have.
  const claims =
    known === undefined
      ? { place, keySchema, layout, reached: [] }
      : known.keySchema.length === 0
        ? { ...known, keySchema }
        : known;
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
  const { layout, keySchema, reached, place } = claims;
  const buckets = new ChangeBuckets(layout, keySchema, context.h16);
  // A reader may say something of a bucket that the log does not have.
  const numbers = new Set([...layout.map(({ number }) => number), ...reached.map(({ bucket }) => bucket)]);
  for (const number of numbers) {
    const bucket = bucketName(storageId, number);
    const end = await store.logEnd(bucket);
    for (const { position, isEnd = false, claim } of reached.filter(({ bucket: of }) => of === number))
      if (position > end || (isEnd && position !== end))
        results.add({
          kind: claim.kind,
          ...place,
          storeKey: claim.storeKey,
          expected: `${isEnd ? 'the end' : 'a place'} of ${claim.what} in bucket ${number} ${isEnd ? 'at' : 'up to'} ${end}`,
          found: String(position),
        });
    await checkRecords(context, store, bucket, number, end, place, buckets, results);
  }
}

/** What is written meanwhile is not looked at, so that the check comes to an end. */
async function checkRecords(
  context: CheckContext,
  store: Store,
  bucket: Uint8Array,
  number: number,
  end: number,
  place: Place,
  buckets: ChangeBuckets,
  results: CheckResults,
): Promise<void> {
  const add = (position: number, expected: string, found: string) =>
    results.add({ kind: 'log-record', ...place, storeKey: `${toHex(bucket)}/${position}`, expected, found });
  for (let after = 0; after < end; ) {
    try {
      const page = await store.readLog(bucket, after, Math.min(context.entriesPerStep, recordsPerStep));
      if (page.length === 0) return;
      for (const { position, record } of page) {
        const found = recordProblem(record, number, buckets);
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

function recordProblem(bytes: Uint8Array, number: number, buckets: ChangeBuckets): string | undefined {
  try {
    const { before, after, epoch }: ChangeRecord = decodeChange(bytes);
    for (const image of [before, after]) {
      if (image === undefined) continue;
      const own = buckets.numberOf(decodeItem(image), epoch);
      if (own === undefined) return `that of epoch ${epoch}, in which the log had no buckets`;
      if (own !== null && own !== number) return `that of an item of bucket ${own}`;
    }
    return undefined;
  } catch (error) {
    return shownError(error);
  }
}
