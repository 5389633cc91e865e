import { type Fields, object, oneOf, optional, text, variants, whole } from '../../model/json/fields.ts';
import { type Cut, cutField } from '../history/stamp.ts';
import { jsonRecord, scopeField } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';

/**
 * A backup, a restore or a removal, as JSON under its id. Every step commits its progress with its work, in one unit
 * that compares the whole record: a killed process loses a step at most, and two processes never do one twice.
 */
export type Job = BackupJob | RestoreJob | DiscardJob | ExportJob;

interface JobProgress {
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
  readonly from: BackupSource | TableSource;
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

export interface TableSource {
  readonly kind: 'table';
  readonly source: PastTable;
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

export const pastTableField = object<PastTable>({
  scope: scopeField,
  tableName: text,
  storageId: text,
  historySlot: optional(whole),
  cut: cutField,
});

const progress: Fields<JobProgress> = {
  id: text,
  scope: scopeField,
  tableName: text,
  startedAt: whole,
  steppedAt: whole,
  items: whole,
  bytes: whole,
  itemsExpected: whole,
  phase: oneOf('copying', 'ending', 'failing', 'failed'),
  reason: optional(text),
};

export const { encode: encodeJob, decode: decodeJob } = jsonRecord<Job>(
  'a job',
  1,
  variants('kind', {
    backup: object<BackupJob>({
      ...progress,
      kind: oneOf('backup'),
      source: pastTableField,
      backupId: text,
      backupStorageId: text,
      chunks: whole,
      digest: text,
      next: optional(text),
    }),
    restore: object<RestoreJob>({
      ...progress,
      kind: oneOf('restore'),
      storageId: text,
      from: variants('kind', {
        backup: object<BackupSource>({
          kind: oneOf('backup'),
          scope: scopeField,
          tableName: text,
          backupId: text,
          backupStorageId: text,
          chunks: whole,
          digest: text,
        }),
        table: object<TableSource>({ kind: oneOf('table'), source: pastTableField }),
      }),
      chunks: whole,
      digest: text,
      next: optional(text),
      activeAt: optional(whole),
    }),
    export: object<ExportJob>({ ...progress, kind: oneOf('export'), exportId: text }),
    discard: object<DiscardJob>({ ...progress, kind: oneOf('discard'), backupStorageId: text }),
  }),
);

/** What is the same in every new job. */
export function newProgress(
  id: string,
  scope: Scope,
  tableName: string,
  nowMs: number,
  itemsExpected: number,
) {
  return {
    ...{ id, scope, tableName, itemsExpected },
    startedAt: nowMs,
    steppedAt: nowMs,
    items: 0,
    bytes: 0,
    phase: 'copying' as const,
  };
}
