import { isDeepStrictEqual } from 'node:util';
import { machine } from '../../runtime/machine/machine.ts';
import type { Run } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import type { Output } from '../output.ts';
import { timeOf } from '../past/past-options.ts';
import { onPast, type PastPlace, untilOver } from '../past/past-place.ts';
import { showJob } from '../past/show-job.ts';
import { figure } from '../progress-text.ts';
import { nameAttributes } from '../scan/name-attributes.ts';
import type { Settings } from '../settings.ts';
import { s3Of } from './place-buckets.ts';
import { type exportOptions, objectIn } from './transfer-options.ts';

interface Export {
  readonly ExportArn: string;
  readonly ExportStatus: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  readonly ExportType?: string;
  readonly TableArn?: string;
  /** Seconds since 1970, as all times. */
  readonly StartTime?: number;
  readonly ExportTime?: number;
  readonly S3Bucket?: string;
  readonly S3Prefix?: string;
  readonly ExportManifest?: string;
  readonly FailureCode?: string;
  readonly FailureMessage?: string;
  readonly ItemCount?: number;
  readonly BilledSizeBytes?: number;
  readonly IncrementalExportSpecification?: Readonly<Record<string, unknown>>;
  readonly FilterSpecification?: object;
}

/** Exports a table to a bucket, or lists exports. */
export const exportTable: Run<typeof exportOptions> = async (
  settings,
  { output, operand: tableName, environment },
) => {
  const { bucket, at, from, to, list } = settings;
  if (!list.value && (tableName === undefined || bucket.value === undefined))
    throw new UsageError(
      'There is no table to export, or no bucket to export it to.',
      'Write stator export <table> --bucket <bucket>.',
    );
  if (at.value !== undefined && from.value !== undefined)
    throw new UsageError('An export is of a moment or of a window.', 'Leave --at or --from out.');
  if (to.value !== undefined && from.value === undefined)
    throw new UsageError('A window has a beginning.', 'Add --from <time>.');
  const s3 = s3Of(settings);
  await onPast(
    settings,
    environment,
    (place) => (list.value ? listAll(place, tableName, output) : make(place, tableName!, settings, output)),
    s3,
  );
};

async function make(
  place: PastPlace,
  TableName: string,
  settings: Settings<typeof exportOptions>,
  output: Output,
): Promise<void> {
  const began = machine.nowMs();
  const { caller } = place;
  const { Table } = await caller.call<{ Table: { TableArn: string } }>('DescribeTable', { TableName });
  const request = requestOf(Table.TableArn, settings);
  const earlier = await begunBefore(place, request);
  if (earlier !== undefined) output.log('info', `Going on with ${earlier}, which was begun before.`);
  const ExportArn = earlier ?? (await begin(place, request)).ExportArn;
  const { ExportDescription: done } = await untilOver(
    place,
    output,
    `Export ${ExportArn}`,
    async () => {
      await showJob(place, output, 'export', TableName, began);
      return caller.call<{ ExportDescription: Export }>('DescribeExport', { ExportArn });
    },
    ({ ExportDescription: each }) => each.ExportStatus !== 'IN_PROGRESS',
  );
  if (done.ExportStatus === 'FAILED')
    throw new Failure(`The export failed: ${done.FailureCode}: ${done.FailureMessage}.`);
  const { ItemCount: items = 0, BilledSizeBytes: bytes = 0, ExportManifest: manifest } = done;
  const ms = machine.nowMs() - began;
  const fields = { table: TableName, exportArn: ExportArn, bucket: request.S3Bucket, manifest };
  output.result('exported', { ...fields, items, bytes, ms }, (style) =>
    [
      `${style('bold', TableName)}: ${figure(items)} items in ${(ms / 1000).toFixed(1)} s to ${request.S3Bucket}/${manifest}`,
      ExportArn,
    ].join('\n'),
  );
}

async function begin({ caller }: PastPlace, request: ExportRequest): Promise<Export> {
  const { ExportDescription } = await caller.call<{ ExportDescription: Export }>(
    'ExportTableToPointInTime',
    request,
  );
  return ExportDescription;
}

type ExportRequest = ReturnType<typeof requestOf>;

function requestOf(TableArn: string, settings: Settings<typeof exportOptions>) {
  const { bucket, prefix, at, from, to, view } = settings;
  const filter = filterOf(settings);
  const seconds = (given: string) => timeOf(given) / 1000;
  return {
    TableArn,
    S3Bucket: bucket.value!,
    ...(prefix.value !== undefined && { S3Prefix: prefix.value }),
    ...(at.value !== undefined && { ExportTime: seconds(at.value) }),
    ...(from.value !== undefined && {
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: {
        ExportFromTime: seconds(from.value),
        ...(to.value !== undefined && { ExportToTime: seconds(to.value) }),
        ExportViewType: view.value,
      },
    }),
    ...(Object.keys(filter).length > 0 && { FilterSpecification: filter }),
  };
}

function filterOf({ keyCondition, filter, projection, names, values }: Settings<typeof exportOptions>) {
  const named = nameAttributes({
    ...(filter.value !== undefined && { filter: filter.value }),
    ...(projection.value !== undefined && { projection: projection.value }),
    ...(keyCondition.value !== undefined && { keyCondition: keyCondition.value }),
    ...(names.value !== undefined && { names: objectIn(names.value) as Record<string, string> }),
  });
  return {
    ...(named.filter !== undefined && { FilterExpression: named.filter }),
    ...(named.projection !== undefined && { ProjectionExpression: named.projection }),
    ...(named.keyCondition !== undefined && { KeyConditionExpression: named.keyCondition }),
    ...(named.names !== undefined && { ExpressionAttributeNames: named.names }),
    ...(values.value !== undefined && { ExpressionAttributeValues: objectIn(values.value) }),
  };
}

/** The ARN of the same export, if the server is still doing it: an earlier command began it and was stopped. */
async function begunBefore(place: PastPlace, request: ExportRequest): Promise<string | undefined> {
  for (const { ExportArn, ExportStatus } of await allExports(place, request.TableArn)) {
    if (ExportStatus !== 'IN_PROGRESS') continue;
    const { ExportDescription: found } = await place.caller.call<{ ExportDescription: Export }>(
      'DescribeExport',
      { ExportArn },
    );
    const window = request.IncrementalExportSpecification;
    const isSame =
      found.S3Bucket === request.S3Bucket &&
      (found.S3Prefix ?? '') === (request.S3Prefix ?? '') &&
      (found.ExportType ?? 'FULL_EXPORT') === (request.ExportType ?? 'FULL_EXPORT') &&
      (request.ExportTime === undefined || found.ExportTime === request.ExportTime) &&
      Object.entries(window ?? {}).every(
        ([name, value]) => found.IncrementalExportSpecification?.[name] === value,
      ) &&
      isDeepStrictEqual(found.FilterSpecification, request.FilterSpecification);
    if (isSame) return ExportArn;
  }
  return undefined;
}

async function allExports({ caller }: PastPlace, TableArn: string | undefined): Promise<Export[]> {
  const exports: Export[] = [];
  for (let next: string | undefined; ; ) {
    const page: { ExportSummaries?: Export[]; NextToken?: string } = await caller.call('ListExports', {
      ...(TableArn !== undefined && { TableArn }),
      ...(next !== undefined && { NextToken: next }),
    });
    exports.push(...(page.ExportSummaries ?? []));
    next = page.NextToken;
    if (next === undefined) return exports;
  }
}

async function listAll(place: PastPlace, TableName: string | undefined, output: Output): Promise<void> {
  const TableArn =
    TableName === undefined
      ? undefined
      : (await place.caller.call<{ Table: { TableArn: string } }>('DescribeTable', { TableName })).Table
          .TableArn;
  const exports = await allExports(place, TableArn);
  output.result('exports', { exports }, (style) =>
    exports.length === 0
      ? 'There are no exports.'
      : exports
          .map(({ ExportArn, ExportStatus, ExportType = 'FULL_EXPORT' }) =>
            [ExportStatus.padEnd(11), ExportType.padEnd(18), style('bold', ExportArn)].join('  '),
          )
          .join('\n'),
  );
}
