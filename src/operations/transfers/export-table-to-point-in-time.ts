import type { HeldCuts } from '../../engine/backups/backups.ts';
import { hasLag, itemCount, replacedSince, restorableTable } from '../../engine/control/recovery.ts';
import { cutAt, endOfMs } from '../../engine/history/eras.ts';
import type { RestorableWindow } from '../../engine/history/recovery.ts';
import { compareStamps } from '../../engine/history/stamp.ts';
import { prepareTable, type TableRecord } from '../../engine/tables/table-record.ts';
import { readExportFilter } from '../../engine/transfers/export-filter.ts';
import type { ExportRecord, ExportRequest } from '../../engine/transfers/export-record.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import { onArn, onBucket } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, string, timestamp } from '../shapes/shape.ts';
import {
  exportAnswer,
  exportDescription,
  exportFormat,
  exportType,
  filterSpecification,
  incrementalSpecification,
  sseAlgorithm,
} from './export-answer.ts';
import { bucketName, bucketOwner, clientToken } from './import-answer.ts';
import { noBuckets } from './no-buckets.ts';

const exportTableToPointInTimeShape = inputShape('ExportTableToPointInTime', {
  TableArn: required(string({ min: 1, max: 1024 })),
  ExportTime: timestamp,
  ClientToken: clientToken,
  S3Bucket: required(bucketName),
  S3BucketOwner: bucketOwner,
  S3Prefix: string({ max: 1024 }),
  S3SseAlgorithm: sseAlgorithm,
  S3SseKmsKeyId: string({ min: 1, max: 2048 }),
  ExportFormat: exportFormat,
  ExportType: exportType,
  IncrementalExportSpecification: incrementalSpecification,
  FilterSpecification: filterSpecification,
});
export interface ExportTableToPointInTimeInput extends InputOf<typeof exportTableToPointInTimeShape> {}

const exportTableToPointInTimeOutput = outputShape({ ExportDescription: required(exportDescription) });
export interface ExportTableToPointInTimeOutput extends OutputOf<typeof exportTableToPointInTimeOutput> {}

/**
 * Trouble with the bucket is not answered here: as on the service, the export begins and ends FAILED. The texts of the
 * refusals about times are ours.
 */
export const exportTableToPointInTime = operation<
  ExportTableToPointInTimeInput,
  ExportTableToPointInTimeOutput
>(
  exportTableToPointInTimeShape,
  exportTableToPointInTimeOutput,
  ({ TableArn, S3Bucket }, road) => [
    ...onArn(road, TableArn),
    ...onBucket(S3Bucket, [], ['PutObject', 'PutObjectAcl', 'AbortMultipartUpload']),
  ],
  async (road, input) => {
    const { engine, caller } = road;
    const wrong = requestError(input);
    if (wrong !== undefined) return wrong;
    const arn = parseTableArn(input.TableArn);
    if (arn === undefined || arn.part !== undefined || arn.region !== caller.region)
      return validationError(`Invalid TableArn: ${input.TableArn}`);
    if (arn.account !== caller.accountId) return new DynamoError('AccessDeniedException', 'Access is denied');
    const { tableName } = arn;
    const scope = { account: arn.account, region: arn.region };
    const forbidden = road.passControl(tableName);
    if (forbidden !== undefined) return forbidden;
    if (engine.transfers.tools === undefined) return noBuckets('ExportTableToPointInTime');
    const { ClientToken: token, ExportFormat: _format, ...asked } = input;
    const request = asked as ExportRequest;
    const earlier = await engine.transfers.exports.earlier(scope, request, token);
    if (earlier instanceof DynamoError) return earlier;
    if (earlier !== undefined) return { ExportDescription: exportAnswer(earlier) };
    const found = await restorableTable(engine, { scope, tableName }, input.TableArn);
    if (found instanceof DynamoError) return found;
    const { record, window } = found;
    const times = timesOf(input, window);
    if (times instanceof DynamoError) return times;
    const { schema } = prepareTable(scope, record);
    const filter = input.FilterSpecification;
    const expressions = filter && readExportFilter(filter, schema, engine.parsedExpressions);
    if (expressions instanceof DynamoError) return expressions;
    const { backups } = engine.past;
    const { fromMs, atMs } = times;
    const isNow = times.isLatest && !hasLag(engine, scope, record);
    const cutsOf = async (current: TableRecord): Promise<HeldCuts> => {
      const cut = (micros: number) => cutAt(engine.store, current, micros, current.recovery!.era);
      // A window includes its beginning and not its end.
      const at = isNow ? 'now' : await cut(fromMs === undefined ? endOfMs(atMs) : atMs * 1000 - 1);
      if (fromMs === undefined) return { at };
      const end = await engine.transfers.exports.cutOfEnd(scope, current.storageId, fromMs);
      const isKept =
        end !== undefined &&
        end.era >= current.recovery!.era &&
        (at === 'now' || compareStamps(end, at) <= 0);
      return { at, since: isKept ? end : await cut(fromMs * 1000 - 1) };
    };
    const jobId = backups.newJobId();
    const itemsExpected = await itemCount(engine, record);
    const draft = engine.transfers.exports.draft(scope, request, token);
    let begun: ExportRecord | undefined;
    const held = await backups.hold(
      scope,
      tableName,
      jobId,
      cutsOf,
      replacedSince(record),
      ({ source, since }) => {
        const drafted = draft({
          tableName,
          tableId: record.description.tableId,
          kind: input.ExportType ?? 'FULL_EXPORT',
          ...(since === undefined ? { timeMs: atMs } : { endMs: atMs, before: since }),
          jobId,
          source,
          keyNames: record.description.keySchema.map(({ AttributeName }) => AttributeName),
          ...(filter && { schema }),
          itemsExpected,
        });
        begun = drafted.record;
        return drafted.mutations;
      },
    );
    if (held instanceof DynamoError) return held;
    engine.transfers.exports.begin();
    return { ExportDescription: exportAnswer(begun!) };
  },
);

const minuteMs = 60_000;

function requestError(input: ExportTableToPointInTimeInput): DynamoError | undefined {
  if (input.ExportFormat === 'ION')
    return validationError('Stator does not write ION. Export DYNAMODB_JSON, which is also the default');
  const { ExportType: type = 'FULL_EXPORT', IncrementalExportSpecification: window } = input;
  if (type === 'FULL_EXPORT')
    return window === undefined
      ? undefined
      : validationError('IncrementalExportSpecification needs the ExportType INCREMENTAL_EXPORT');
  if (input.ExportTime !== undefined)
    return validationError('ExportTime cannot be specified for the ExportType INCREMENTAL_EXPORT');
  return window?.ExportFromTime === undefined
    ? validationError('An incremental export needs an ExportFromTime')
    : undefined;
}

interface ExportTimes {
  /** The time of a full export, or the end of the window. */
  readonly atMs: number;
  readonly fromMs?: number;
  /** Whether the request left the time out. */
  readonly isLatest: boolean;
}

function timesOf(
  input: ExportTableToPointInTimeInput,
  { earliestMs, latestMs }: RestorableWindow,
): ExportTimes | DynamoError {
  const { ExportFromTime: from, ExportToTime: to = latestMs / 1000 } =
    input.IncrementalExportSpecification ?? {};
  if (from !== undefined) {
    const lengthMs = (to - from) * 1000;
    if (lengthMs < 15 * minuteMs || lengthMs > 24 * 60 * minuteMs)
      return validationError('The window of an incremental export must be between 15 minutes and 24 hours');
  }
  const asked = [from, to, input.ExportTime].filter((each) => each !== undefined);
  const earliest = Math.floor(earliestMs / 1000) * 1000;
  const outside = asked.find((seconds) => seconds * 1000 < earliest || seconds * 1000 > latestMs);
  if (outside !== undefined)
    return new DynamoError(
      'InvalidExportTimeException',
      `The time ${isoTime(outside * 1000)} is not within the window from ${isoTime(earliestMs)} to ${isoTime(latestMs)}`,
    );
  // A time within the first second is that of the beginning: clients know it without its fraction.
  const within = (seconds: number) => Math.max(Math.floor(seconds * 1000), earliestMs);
  if (from !== undefined) {
    const isLatest = input.IncrementalExportSpecification?.ExportToTime === undefined;
    return { fromMs: within(from), atMs: within(to), isLatest };
  }
  const isLatest = input.ExportTime === undefined;
  return { atMs: isLatest ? latestMs : within(input.ExportTime!), isLatest };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
