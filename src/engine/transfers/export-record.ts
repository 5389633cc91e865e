import {
  json,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  whole,
} from '../../model/json/fields.ts';
import { tableSchemaField } from '../../model/tables/table-fields.ts';
import type { TableSchema } from '../../model/tables/table-schema.ts';
import { type PastTable, pastTableField } from '../backups/job.ts';
import { type Cut, cutField } from '../history/stamp.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';
import { type ExportedFile, type ExportKind, exportedFileField } from './export-manifest.ts';
import { failureField, type TransferFailure } from './import-record.ts';

/**
 * An export, as JSON under its id: what DescribeExport tells, and how far it has come. A data file is written whole and
 * under a name that follows from the export and its number, and then noted here: whoever goes on after a kill writes
 * the same file again.
 */
export interface ExportRecord extends Scope {
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
  readonly failure?: TransferFailure;
}

export interface ExportRequest {
  readonly TableArn: string;
  readonly S3Bucket: string;
  readonly S3BucketOwner?: string;
  readonly S3Prefix?: string;
  readonly S3SseAlgorithm?: string;
  readonly S3SseKmsKeyId?: string;
  readonly IncrementalExportSpecification?: ExportWindow;
  readonly FilterSpecification?: FilterSpecification;
}

interface ExportWindow {
  readonly ExportFromTime?: number;
  readonly ExportToTime?: number;
  readonly ExportViewType?: string;
}

/** The expressions of a filtered export as they were sent. */
export interface FilterSpecification {
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

const exportRequest = object<ExportRequest>({
  TableArn: text,
  S3Bucket: text,
  S3BucketOwner: optional(text),
  S3Prefix: optional(text),
  S3SseAlgorithm: optional(text),
  S3SseKmsKeyId: optional(text),
  IncrementalExportSpecification: optional(
    object<ExportWindow>({
      ExportFromTime: optional(number),
      ExportToTime: optional(number),
      ExportViewType: optional(text),
    }),
  ),
  FilterSpecification: optional(
    object<FilterSpecification>({
      FilterExpression: optional(text),
      ProjectionExpression: optional(text),
      KeyConditionExpression: optional(text),
      ExpressionAttributeNames: optional(mapOf(text)),
      ExpressionAttributeValues: optional(mapOf(json)),
    }),
  ),
});

export const { encode: encodeExport, decode: decodeExport } = jsonRecord<ExportRecord>(
  'an export',
  1,
  object<ExportRecord>({
    ...scopeFields,
    id: text,
    tableName: text,
    tableId: text,
    status: oneOf('IN_PROGRESS', 'COMPLETED', 'FAILED'),
    kind: oneOf('FULL_EXPORT', 'INCREMENTAL_EXPORT'),
    startedAt: whole,
    endedAt: optional(whole),
    timeMs: optional(number),
    clientToken: optional(text),
    request: exportRequest,
    jobId: text,
    source: pastTableField,
    endMs: optional(number),
    before: optional(cutField),
    keyNames: listOf(text),
    schema: optional(tableSchemaField),
    files: listOf(exportedFileField),
    next: optional(text),
    items: whole,
    looked: optional(whole),
    bytes: whole,
    failure: optional(failureField),
  }),
);

/** The service charges at least 10 MB for an incremental export. */
export function billedBytes({ kind, bytes }: ExportRecord): number {
  return kind === 'FULL_EXPORT' ? bytes : Math.max(bytes, 10 * 1024 * 1024);
}
