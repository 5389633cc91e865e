import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Cut } from '../history/stamp.ts';
import type { Scope } from '../store-keys.ts';

/**
 * A backup, a restore or a removal, as JSON under its id. Every step commits its progress with its work, in one unit
 * that compares the whole record: a killed process loses a step at most, and two processes never do one twice.
 */
export type Job = BackupJob | RestoreJob | DiscardJob | ExportJob;

interface JobProgress {
  readonly format: 1;
  readonly id: string;
  readonly scope: Scope;
  /** The table that is copied, restored or whose backup is removed. */
  readonly tableName: string;
  /** In milliseconds. */
  readonly startedAt: number;
  readonly steppedAt: number;
  readonly items: number;
  readonly bytes: number;
  /** The number of items that there are to copy, as far as is known. */
  readonly itemsExpected: number;
  /** `copying`, then `ending` (whatever it holds is released); `failing` undoes it, `failed` stays to be seen. */
  readonly phase: 'copying' | 'ending' | 'failing' | 'failed';
  /** Why the job failed. */
  readonly reason?: string;
}

/** A table as it was at a cut. */
export interface PastTable {
  readonly scope: Scope;
  readonly tableName: string;
  readonly storageId: string;
  readonly historySlot?: number;
  readonly cut: Cut;
}

export interface BackupJob extends JobProgress {
  readonly kind: 'backup';
  readonly source: PastTable;
  readonly backupId: string;
  /** The id under which the chunks lie. */
  readonly backupStorageId: string;
  /** The chunks written so far, and their checksum. */
  readonly chunks: number;
  readonly digest: string;
  /** The store key to go on with, in hexadecimal digits. */
  readonly next?: string;
}

export interface RestoreJob extends JobProgress {
  readonly kind: 'restore';
  /** The storage id of the table that is filled. */
  readonly storageId: string;
  readonly from: BackupSource | { readonly kind: 'table'; readonly source: PastTable };
  /** The chunks read so far and their checksum, or the store key to go on with. */
  readonly chunks: number;
  readonly digest: string;
  readonly next?: string;
  /** When the table may become ACTIVE, where physics act out how long a restore takes. */
  readonly activeAt?: number;
}

export interface BackupSource {
  readonly kind: 'backup';
  readonly scope: Scope;
  readonly tableName: string;
  readonly backupId: string;
  readonly backupStorageId: string;
  readonly chunks: number;
  readonly digest: string;
}

/** Holds the past of a table for an export, which does its own work (`transfers/export-steps.ts`). */
export interface ExportJob extends JobProgress {
  readonly kind: 'export';
  readonly exportId: string;
}

/** Removes the chunks of a deleted backup. */
export interface DiscardJob extends JobProgress {
  readonly kind: 'discard';
  readonly backupStorageId: string;
}

export function encodeJob(job: Job): Uint8Array {
  return encodeUtf8(JSON.stringify(job));
}

export function decodeJob(bytes: Uint8Array): Job {
  const job = JSON.parse(decodeUtf8(bytes)) as Job;
  if (job.format !== 1) throw new Error(`a job of the unknown format ${job.format}`);
  return job;
}

/** What is the same in every new job. */
export function newProgress(
  id: string,
  scope: Scope,
  tableName: string,
  nowMs: number,
  itemsExpected: number,
) {
  return {
    format: 1 as const,
    ...{ id, scope, tableName, itemsExpected },
    startedAt: nowMs,
    steppedAt: nowMs,
    items: 0,
    bytes: 0,
    phase: 'copying' as const,
  };
}
