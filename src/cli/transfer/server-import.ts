import { machine } from '../../runtime/machine/machine.ts';
import { requestsOf } from '../../tables-from/table-definition.ts';
import type { CommandContext } from '../command.ts';
import { Failure, UsageError } from '../failure.ts';
import { onPast, type PastPlace, untilOver } from '../past/past-place.ts';
import { figure, progressText } from '../progress-text.ts';
import type { Settings } from '../settings.ts';
import { s3Of } from './place-buckets.ts';
import { definitionIn } from './target-table.ts';
import type { importOptions } from './transfer-options.ts';

interface Import {
  readonly ImportArn: string;
  readonly ImportStatus: string;
  readonly TableArn?: string;
  readonly S3BucketSource?: { readonly S3Bucket: string; readonly S3KeyPrefix?: string };
  readonly ProcessedItemCount?: number;
  readonly ImportedItemCount?: number;
  readonly ErrorCount?: number;
  readonly FailureCode?: string;
  readonly FailureMessage?: string;
}

/** Lets the server import from its bucket into a new table, and waits. */
export async function serverImport(
  settings: Settings<typeof importOptions>,
  { output, environment }: CommandContext,
  tableName: string,
): Promise<void> {
  const { bucket, create, rules, merge, compression } = settings;
  for (const [name, given] of Object.entries({ rules: rules.value !== undefined, merge: merge.value }))
    if (given)
      throw new UsageError(
        `--${name} is of no use with --bucket: the server imports by itself.`,
        `Write --source s3://${bucket.value} to let the rows pass this command.`,
      );
  await onPast(
    settings,
    environment,
    async (place) => {
      const began = machine.nowMs();
      const earlier = await begunBefore(place, tableName, settings);
      if (earlier !== undefined) output.log('info', `Going on with ${earlier}, which was begun before.`);
      else if (create.value === undefined)
        throw new UsageError(
          'Nothing says what the keys of the new table are.',
          'Add --create <file> with a CreateTable request or the output of describe-table.',
        );
      const ImportArn = earlier ?? (await begin(place, tableName, settings)).ImportArn;
      const { ImportTableDescription: done } = await untilOver(
        place,
        output,
        `Import ${ImportArn}`,
        async () => {
          const found = await place.caller.call<{ ImportTableDescription: Import }>('DescribeImport', {
            ImportArn,
          });
          const { ProcessedItemCount = 0 } = found.ImportTableDescription;
          const seconds = (machine.nowMs() - began) / 1_000;
          output.progress(
            `${tableName}  ${progressText({ done: ProcessedItemCount, total: undefined, seconds, unit: 'rows' })}`,
          );
          return found;
        },
        ({ ImportTableDescription: each }) => each.ImportStatus !== 'IN_PROGRESS',
      );
      const { ProcessedItemCount: read = 0, ImportedItemCount: written = 0, ErrorCount: refused = 0 } = done;
      const ms = machine.nowMs() - began;
      if (done.ImportStatus !== 'COMPLETED' && done.FailureCode !== 'ItemValidationError')
        throw new Failure(`The import failed: ${done.FailureCode}: ${done.FailureMessage}.`);
      output.result(
        'imported',
        { table: tableName, importArn: ImportArn, read, written, refused, ms },
        (style) =>
          `${style('bold', tableName)}: ${figure(written)} items in ${(ms / 1000).toFixed(1)} s\n${ImportArn}`,
      );
      if (refused === 0) return;
      const id = ImportArn.split('/').at(-1);
      output.log(
        'warning',
        `${figure(refused)} of ${figure(read)} rows were refused; a Stator tells them at /_stator/imports/${id}/errors.`,
      );
      process.exitCode = 1;
    },
    s3Of(settings),
  );

  async function begin(place: PastPlace, TableName: string, given: typeof settings): Promise<Import> {
    const { prefix, format, delimiter, header } = given;
    if (format.value === 'auto')
      throw new UsageError('The server needs to know the format.', 'Add --format csv or dynamodb-json.');
    const { TableName: _, ...keys } = requestsOf(await definitionIn(create.value!, place.region)).create;
    const names = header.value?.split(',').map((name) => name.trim());
    const { ImportTableDescription } = await place.caller.call<{ ImportTableDescription: Import }>(
      'ImportTable',
      {
        S3BucketSource: {
          S3Bucket: bucket.value,
          ...(prefix.value !== undefined && { S3KeyPrefix: prefix.value }),
        },
        InputFormat: format.value === 'csv' ? 'CSV' : 'DYNAMODB_JSON',
        ...(format.value === 'csv' && {
          InputFormatOptions: { Csv: { Delimiter: delimiter.value, ...(names && { HeaderList: names }) } },
        }),
        ...(compression.value !== 'auto' && { InputCompressionType: compression.value.toUpperCase() }),
        TableCreationParameters: { ...keys, TableName },
      },
    );
    return ImportTableDescription;
  }
}

/** The ARN of an import into the table that a command which was stopped left to the server. */
async function begunBefore(
  { caller }: PastPlace,
  tableName: string,
  { bucket, prefix }: Settings<typeof importOptions>,
): Promise<string | undefined> {
  for (let next: string | undefined; ; ) {
    const page: { ImportSummaryList?: Import[]; NextToken?: string } = await caller.call('ListImports', {
      ...(next !== undefined && { NextToken: next }),
    });
    const found = page.ImportSummaryList?.find(
      ({ ImportStatus, TableArn, S3BucketSource: source }) =>
        ImportStatus === 'IN_PROGRESS' &&
        TableArn?.endsWith(`/${tableName}`) === true &&
        source?.S3Bucket === bucket.value &&
        (source?.S3KeyPrefix ?? '') === (prefix.value ?? ''),
    );
    if (found !== undefined) return found.ImportArn;
    next = page.NextToken;
    if (next === undefined) return undefined;
  }
}
