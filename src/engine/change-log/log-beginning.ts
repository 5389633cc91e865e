import type { MaybePromise } from '../../model/maybe-promise.ts';
import { noSortKey, type Position } from '../../physics/place.ts';
import type { Scope } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { freshLayout, type LogLayout, layoutOf } from './log-layout.ts';

/** What somebody who begins to follow a table has looked up before the change of the table's record. */
export interface LogBeginning {
  /** The table's, so that what was looked up about one table is not taken for another one of its name. */
  readonly storageId: string;
  /** The ends of the log's buckets, by number: none of the follower's records can be at or below them. */
  readonly ends: readonly number[];
  /** Where the partitions of the table begin. */
  readonly starts: readonly Position[];
}

/** Where the partitions of a table begin, in their order. The first one begins with the first position. */
export type PartitionStarts = (scope: Scope, record: TableRecord) => MaybePromise<readonly Position[]>;

/**
 * The record with the buckets of its log from its epoch on, which is the first one of a new follower: a bucket for each
 * partition. Where others follow the table already, their buckets go on.
 */
export function openLog<R extends TableRecord>(record: R, { ends, starts }: LogBeginning): R {
  if (record.followers !== undefined) return { ...record, log: layoutOf(record) };
  return { ...record, log: freshLayout(knownLayout(record, ends), starts, record.epoch) };
}

/** Of a table that was made only a moment ago, after everything was looked up. */
export function emptyLog({ storageId }: TableRecord): LogBeginning {
  return { storageId, ends: [], starts: [{ place: 0, sort: noSortKey }] };
}

/** What was looked up about a table, as far as it is about this one. */
export function beginningOf(record: TableRecord, log: LogBeginning): LogBeginning {
  return log.storageId === record.storageId ? log : emptyLog(record);
}

/** A log without a layout may hold what a store of before layouts were kept wrote to it. */
function knownLayout(record: TableRecord, ends: readonly number[]): LogLayout {
  if (record.log !== undefined) return record.log;
  return ends.some((end) => end > 0) ? layoutOf(record) : [];
}
