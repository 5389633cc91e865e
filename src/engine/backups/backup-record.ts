import type { TableDescription } from '../../model/tables/table-description.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Scope } from '../store-keys.ts';

/** A backup of a table, as JSON under the table's name and the backup's id. It outlives its table. */
export interface BackupRecord extends Scope {
  readonly format: 1;
  readonly id: string;
  readonly name: string;
  readonly type: 'USER' | 'SYSTEM';
  readonly status: 'CREATING' | 'AVAILABLE';
  /** In milliseconds, like all times here. */
  readonly createdAt: number;
  /** Only of system backups. */
  readonly expiresAt?: number;
  /** The table as it was described at that moment. */
  readonly table: TableDescription;
  /** The era that a restored table begins with: above those of all items. */
  readonly era: number;
  /** The id under which the chunks lie. */
  readonly storageId: string;
  readonly items: number;
  /** The size of the items in DynamoDB's bytes. */
  readonly bytes: number;
  readonly chunks: number;
  /** The checksum of all chunks in their order. */
  readonly digest: string;
  /** The restore that reads the backup. */
  readonly restore?: { readonly jobId: string; readonly untilMs?: number };
}

export function encodeBackup(backup: BackupRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(backup));
}

export function decodeBackup(bytes: Uint8Array): BackupRecord {
  const backup = JSON.parse(decodeUtf8(bytes)) as BackupRecord;
  if (backup.format !== 1) throw new Error(`a backup of the unknown format ${backup.format}`);
  return backup;
}

export function isExpired({ expiresAt }: BackupRecord, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt <= nowMs;
}
