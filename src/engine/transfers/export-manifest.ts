import { object, text, whole } from '../../model/json/fields.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';

/**
 * The files of an export beside its data, as DynamoDB writes them to S3:
 *
 *     <prefix>/AWSDynamoDB/<export id>/_started                 empty; proves that the bucket can be written to
 *     <prefix>/AWSDynamoDB/<export id>/data/<name>.json.gz      the items of a full export
 *     <prefix>/AWSDynamoDB/data/<name>.json.gz                  the changes of an incremental export
 *     <prefix>/AWSDynamoDB/<export id>/manifest-files.json      one JSON object per data file, one a line
 *     <prefix>/AWSDynamoDB/<export id>/manifest-files.checksum  the MD5 of that file, in base64
 *     <prefix>/AWSDynamoDB/<export id>/manifest-summary.json    what was exported
 *     <prefix>/AWSDynamoDB/<export id>/manifest-summary.checksum
 *
 * Whoever finds the summary with a right checksum finds a complete export.
 */
export interface ExportPlaces {
  readonly started: string;
  readonly summary: string;
  readonly summaryChecksum: string;
  readonly files: string;
  readonly filesChecksum: string;
  dataFile(name: string): string;
}

export type ExportKind = 'FULL_EXPORT' | 'INCREMENTAL_EXPORT';

/** A slash at the end of the prefix is the one before `AWSDynamoDB`: a folder has no place for two in a row. */
export function exportPlaces(prefix: string | undefined, exportId: string, kind: ExportKind): ExportPlaces {
  const root =
    prefix === undefined || prefix === '' ? 'AWSDynamoDB' : `${prefix.replace(/\/$/, '')}/AWSDynamoDB`;
  const own = `${root}/${exportId}`;
  return {
    started: `${own}/_started`,
    summary: `${own}/manifest-summary.json`,
    summaryChecksum: `${own}/manifest-summary.checksum`,
    files: `${own}/manifest-files.json`,
    filesChecksum: `${own}/manifest-files.checksum`,
    dataFile: (name) => `${kind === 'FULL_EXPORT' ? own : root}/data/${name}.json.gz`,
  };
}

/** A data file, as a line of `manifest-files.json` tells it. */
export interface ExportedFile {
  readonly itemCount: number;
  readonly md5Checksum: string;
  readonly etag: string;
  readonly dataFileS3Key: string;
}

export const exportedFileField = object<ExportedFile>({
  itemCount: whole,
  md5Checksum: text,
  etag: text,
  dataFileS3Key: text,
});

export function manifestFiles(files: readonly ExportedFile[]): Uint8Array {
  const lines = files.map(({ itemCount, md5Checksum, etag, dataFileS3Key }) =>
    JSON.stringify({ itemCount, md5Checksum, etag, dataFileS3Key }),
  );
  return encodeUtf8(lines.map((line) => `${line}\n`).join(''));
}

export interface ExportSummary {
  readonly exportArn: string;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly tableArn: string;
  readonly tableId: string;
  readonly time: { readonly atMs: number } | { readonly fromMs: number; readonly toMs: number };
  readonly s3Bucket: string;
  readonly s3Prefix: string | undefined;
  readonly s3SseAlgorithm: string | undefined;
  readonly s3SseKmsKeyId: string | undefined;
  readonly manifestFilesS3Key: string;
  readonly billedSizeBytes: number;
  readonly itemCount: number;
  /** Only of incremental exports. */
  readonly outputView: string | undefined;
}

export function manifestSummary(summary: ExportSummary): Uint8Array {
  const { time } = summary;
  const isFull = 'atMs' in time;
  return encodeUtf8(
    JSON.stringify({
      version: isFull ? '2020-06-30' : '2023-08-01',
      exportArn: summary.exportArn,
      startTime: isoTime(summary.startTimeMs),
      endTime: isoTime(summary.endTimeMs),
      tableArn: summary.tableArn,
      tableId: summary.tableId,
      ...(isFull
        ? { exportTime: isoTime(time.atMs) }
        : { exportFromTime: isoTime(time.fromMs), exportToTime: isoTime(time.toMs) }),
      s3Bucket: summary.s3Bucket,
      s3Prefix: summary.s3Prefix ?? null,
      s3SseAlgorithm: summary.s3SseAlgorithm ?? 'AES256',
      s3SseKmsKeyId: summary.s3SseKmsKeyId ?? null,
      manifestFilesS3Key: summary.manifestFilesS3Key,
      billedSizeBytes: summary.billedSizeBytes,
      itemCount: summary.itemCount,
      outputFormat: 'DYNAMODB_JSON',
      ...(!isFull && { outputView: summary.outputView, exportType: 'INCREMENTAL_EXPORT' }),
    }),
  );
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
