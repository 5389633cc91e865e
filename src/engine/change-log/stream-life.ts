import type { Hash16 } from '../../model/keys/keys.ts';
import type { Mutation } from '../../storage/store.ts';
import { type Scope, shardsKey, streamKey } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { type StreamFollower, streamFollower, without } from './follower.ts';
import { beginningOf, type LogBeginning, openLog } from './log-beginning.ts';
import { layoutOf } from './log-layout.ts';
import { encodeShards, firstShards } from './shards.ts';
import { encodeStream, type StreamNote } from './stream-note.ts';

/** What changes when a stream begins or ends: the table's record, and what is committed with it. */
export interface StreamChange {
  readonly record: TableRecord;
  readonly mutations: readonly Mutation[];
}

export interface Beginning {
  readonly nowMs: number;
  readonly h16: Hash16;
  readonly log: LogBeginning;
}

/**
 * The stream of a record whose description has one. The record's epoch is already the new one: no writer who does not
 * know of the stream can commit any more, so that the stream has every change from here on.
 */
export function beginStream(before: TableRecord, scope: Scope, beginning: Beginning): StreamChange {
  const log = beginningOf(before, beginning.log);
  const record = openLog(before, log);
  const { label, viewType } = record.description.stream!;
  const stream: StreamFollower = {
    kind: 'stream',
    label,
    viewType,
    createdAt: beginning.nowMs,
    since: record.epoch,
  };
  const shards = firstShards(
    { storageId: record.storageId, label },
    layoutOf(record),
    log.ends,
    beginning.nowMs,
    beginning.h16,
  );
  return {
    record: { ...record, followers: [...(record.followers ?? []), stream], latestStreamLabel: label },
    mutations: [
      {
        kind: 'put',
        key: streamKey(scope, record.description.tableName, label),
        value: encodeStream(noteOf(record, scope, stream)),
      },
      { kind: 'put', key: shardsKey(record.storageId, label), value: encodeShards(shards) },
    ],
  };
}

/** The end of the stream of a record, whose epoch is the first without it. What it has told stays to be read. */
export function endStream(record: TableRecord, scope: Scope, nowMs: number): StreamChange {
  const stream = streamFollower(record.followers);
  if (stream === undefined) return { record, mutations: [] };
  const { followers, ...rest } = record;
  const left = without(followers, stream);
  const note: StreamNote = { ...noteOf(record, scope, stream), until: record.epoch, endedAt: nowMs };
  return {
    record: { ...rest, ...(left && { followers: left }) },
    mutations: [
      {
        kind: 'put',
        key: streamKey(scope, record.description.tableName, stream.label),
        value: encodeStream(note),
      },
    ],
  };
}

/**
 * What is committed with the end of a table. Its stream can be read for a day longer; the notes of readers are for the
 * keeper of the log to remove.
 */
export function endWithTable(record: TableRecord, scope: Scope, nowMs: number): readonly Mutation[] {
  return endStream({ ...record, epoch: record.epoch + 1 }, scope, nowMs).mutations;
}

export function noteOf(
  { description, storageId, log }: TableRecord,
  scope: Scope,
  stream: StreamFollower,
): StreamNote {
  return {
    account: scope.account,
    region: scope.region,
    tableName: description.tableName,
    label: stream.label,
    storageId,
    viewType: stream.viewType,
    keySchema: description.keySchema,
    createdAt: stream.createdAt,
    since: stream.since,
    ...(log && { log }),
  };
}
