import { object, oneOf, optional, text, whole } from '../../model/json/fields.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';
import { descriptionField, type TableDescription } from '../tables/table-parts.ts';

/** A backup of a table, as JSON under the table's name and the backup's id. It outlives its table. */
export interface BackupRecord extends Scope {
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
  readonly restore?: BackupReader;
}

interface BackupReader {
  readonly jobId: string;
  readonly untilMs?: number;
}

export const { encode: encodeBackup, decode: decodeBackup } = jsonRecord<BackupRecord>(
  'a backup',
  1,
  object<BackupRecord>({
    ...scopeFields,
    id: text,
    name: text,
    type: oneOf('USER', 'SYSTEM'),
    status: oneOf('CREATING', 'AVAILABLE'),
    createdAt: whole,
    expiresAt: optional(whole),
    table: descriptionField,
    era: whole,
    storageId: text,
    items: whole,
    bytes: whole,
    chunks: whole,
    digest: text,
    restore: optional(object<BackupReader>({ jobId: text, untilMs: optional(whole) })),
  }),
);

export function isExpired({ expiresAt }: BackupRecord, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt <= nowMs;
}
