import { listOf, object, oneOf, optional, text, whole } from '../../model/json/fields.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';
import type { Compression } from './objects.ts';

/**
 * An import, as JSON under its id: what DescribeImport tells, and how far it has come. Every step commits its items with
 * the new record, in one unit that compares the old one: no row is counted twice, whoever is killed in between.
 */
export interface ImportRecord extends Scope {
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
  readonly checkpoint?: Checkpoint;
  /** The bytes, unpacked, of the objects that were read to their ends. */
  readonly bytesOfObjects: number;
  /** The bytes, unpacked, that were read altogether. */
  readonly bytes: number;
  readonly processed: number;
  readonly imported: number;
  readonly errors: number;
  readonly failure?: TransferFailure;
}

interface Checkpoint {
  readonly key: string;
  readonly line?: number;
}

/** Why an import or export failed. */
export interface TransferFailure {
  readonly code: string;
  readonly message: string;
}

interface CsvOptions {
  readonly Delimiter?: string;
  readonly HeaderList?: readonly string[];
}

export interface ImportRequest {
  readonly S3BucketSource: {
    readonly S3Bucket: string;
    readonly S3KeyPrefix?: string;
    readonly S3BucketOwner?: string;
  };
  readonly InputFormat: 'DYNAMODB_JSON' | 'CSV';
  readonly InputFormatOptions?: {
    readonly Csv?: CsvOptions;
  };
  readonly InputCompressionType?: Compression;
  readonly TableCreationParameters: { readonly TableName: string };
}

export const failureField = object<TransferFailure>({ code: text, message: text });

const importRequest = object<ImportRequest>({
  S3BucketSource: object<ImportRequest['S3BucketSource']>({
    S3Bucket: text,
    S3KeyPrefix: optional(text),
    S3BucketOwner: optional(text),
  }),
  InputFormat: oneOf('DYNAMODB_JSON', 'CSV'),
  InputFormatOptions: optional(
    object<NonNullable<ImportRequest['InputFormatOptions']>>({
      Csv: optional(object<CsvOptions>({ Delimiter: optional(text), HeaderList: optional(listOf(text)) })),
    }),
  ),
  InputCompressionType: optional(oneOf('NONE', 'GZIP', 'ZSTD')),
  TableCreationParameters: object<ImportRequest['TableCreationParameters']>({ TableName: text }),
});

export const { encode: encodeImport, decode: decodeImport } = jsonRecord<ImportRecord>(
  'an import',
  1,
  object<ImportRecord>({
    ...scopeFields,
    id: text,
    tableName: text,
    tableId: text,
    storageId: text,
    status: oneOf('IN_PROGRESS', 'COMPLETED', 'FAILED'),
    startedAt: whole,
    endedAt: optional(whole),
    clientToken: optional(text),
    request: importRequest,
    checkpoint: optional(object<Checkpoint>({ key: text, line: optional(whole) })),
    bytesOfObjects: whole,
    bytes: whole,
    processed: whole,
    imported: whole,
    errors: whole,
    failure: optional(failureField),
  }),
);

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
