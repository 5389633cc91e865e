import type { TableSchema } from '../../model/tables/table-schema.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { PastTable } from '../backups/job.ts';
import type { Cut } from '../history/stamp.ts';
import type { Scope } from '../store-keys.ts';
import type { ExportedFile, ExportKind } from './export-manifest.ts';

/**
 * An export, as JSON under its id: what DescribeExport tells, and how far it has come. A data file is written whole and
 * under a name that follows from the export and its number, and then noted here: whoever goes on after a kill writes
 * the same file again.
 */
export interface ExportRecord extends Scope {
  readonly format: 1;
  readonly id: string;
  readonly tableName: string;
  readonly tableId: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  readonly kind: ExportKind;
  /** In milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The time of a full export, in milliseconds. */
  readonly timeMs?: number;
  readonly clientToken?: string;
  /** The members of the request that its description repeats. */
  readonly request: ExportRequest;
  /** The job under which the table's past is held. */
  readonly jobId: string;
  /** The table, at the cut of a full export or at the end of the window of an incremental one. */
  readonly source: PastTable;
  /** The end of the window of an incremental export, in milliseconds. It does not belong to the window. */
  readonly endMs?: number;
  /** The state before the window of an incremental export. */
  readonly before?: Cut;
  readonly keyNames: readonly string[];
  /** The keys of the table and its indexes, which the expressions of a filtered export are read against. */
  readonly schema?: TableSchema;
  readonly files: readonly ExportedFile[];
  /** The store key to go on with, in hexadecimal digits; absent at the beginning. */
  readonly next?: string;
  readonly items: number;
  /** The number of items that a filtered export has looked at. */
  readonly looked?: number;
  readonly bytes: number;
  readonly failure?: { readonly code: string; readonly message: string };
}

export interface ExportRequest {
  readonly TableArn: string;
  readonly S3Bucket: string;
  readonly S3BucketOwner?: string;
  readonly S3Prefix?: string;
  readonly S3SseAlgorithm?: string;
  readonly S3SseKmsKeyId?: string;
  readonly IncrementalExportSpecification?: {
    readonly ExportFromTime?: number;
    readonly ExportToTime?: number;
    readonly ExportViewType?: string;
  };
  readonly FilterSpecification?: FilterSpecification;
}

/** The expressions of a filtered export as they were sent. */
export interface FilterSpecification {
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

export function encodeExport(record: ExportRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

export function decodeExport(bytes: Uint8Array): ExportRecord {
  const record = JSON.parse(decodeUtf8(bytes)) as ExportRecord;
  if (record.format !== 1) throw new Error(`an export of the unknown format ${record.format}`);
  return record;
}

/** The service charges at least 10 MB for an incremental export. */
export function billedBytes({ kind, bytes }: ExportRecord): number {
  return kind === 'FULL_EXPORT' ? bytes : Math.max(bytes, 10 * 1024 * 1024);
}
