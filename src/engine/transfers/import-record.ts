import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Scope } from '../store-keys.ts';
import type { Compression } from './objects.ts';

/**
 * An import, as JSON under its id: what DescribeImport tells, and how far it has come. Every step commits its items with
 * the new record, in one unit that compares the old one: no row is counted twice, whoever is killed in between.
 */
export interface ImportRecord extends Scope {
  readonly format: 1;
  readonly id: string;
  readonly tableName: string;
  readonly tableId: string;
  /** The storage id of the table that is filled. */
  readonly storageId: string;
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  /** In milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly clientToken?: string;
  /** The members of the request that its description repeats. */
  readonly request: ImportRequest;
  /** The object that was read last, and the last of its lines that was taken; none when it was read to its end. */
  readonly checkpoint?: { readonly key: string; readonly line?: number };
  /** The bytes, unpacked, of the objects that were read to their ends. */
  readonly bytesOfObjects: number;
  /** The bytes, unpacked, that were read altogether. */
  readonly bytes: number;
  readonly processed: number;
  readonly imported: number;
  readonly errors: number;
  readonly failure?: { readonly code: string; readonly message: string };
}

export interface ImportRequest {
  readonly S3BucketSource: {
    readonly S3Bucket: string;
    readonly S3KeyPrefix?: string;
    readonly S3BucketOwner?: string;
  };
  readonly InputFormat: 'DYNAMODB_JSON' | 'CSV';
  readonly InputFormatOptions?: {
    readonly Csv?: { readonly Delimiter?: string; readonly HeaderList?: readonly string[] };
  };
  readonly InputCompressionType?: Compression;
  readonly TableCreationParameters: { readonly TableName: string };
}

export function encodeImport(record: ImportRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

export function decodeImport(bytes: Uint8Array): ImportRecord {
  const record = JSON.parse(decodeUtf8(bytes)) as ImportRecord;
  if (record.format !== 1) throw new Error(`an import of the unknown format ${record.format}`);
  return record;
}

/** A row that was not imported. */
export interface RefusedRow {
  readonly object: string;
  /** Absent if the whole object, or the rest of it, cannot be read and no line can be named. */
  readonly line?: number;
  readonly error: string;
}

export function encodeRefused(rows: readonly RefusedRow[]): Uint8Array {
  return encodeUtf8(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** So many refused rows are kept with an import; all are counted. */
export const refusedRowsMax = 10_000;
