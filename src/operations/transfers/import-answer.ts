import type { ImportRecord } from '../../engine/transfers/import-record.ts';
import { partitionOf, tableArnIn } from '../../model/tables/table-arn.ts';
import { name } from '../shapes/item-shapes.ts';
import { list, long, oneOf, required, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import {
  attributeDefinitions,
  billingMode,
  globalIndexMembers,
  keySchema,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
} from '../shapes/table-shapes.ts';

export const inputFormat = oneOf('DYNAMODB_JSON', 'ION', 'CSV');
export const inputCompression = oneOf('GZIP', 'ZSTD', 'NONE');

export const bucketName = string({
  max: 255,
  pattern: {
    matches: /^[a-z0-9A-Z]+[.\-\w]*[a-z0-9A-Z]+$/,
    text: '^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$',
  },
});
export const bucketOwner = string({ pattern: { matches: /^[0-9]{12}$/, text: '[0-9]{12}' } });
export const clientToken = string({ pattern: { matches: /^[^$]+$/, text: '^[^\\$]+$' } });

export const bucketSource = structure('S3BucketSource', {
  S3BucketOwner: bucketOwner,
  S3Bucket: required(bucketName),
  S3KeyPrefix: string({ max: 1024 }),
});

export const inputFormatOptions = structure('InputFormatOptions', {
  Csv: structure('CsvOptions', {
    Delimiter: string({ min: 1, max: 1, pattern: { matches: /^[,;:|\t ]$/, text: '[,;:|\\t ]' } }),
    HeaderList: list(string({ min: 1, max: 65_536 }), { min: 1, max: 255 }),
  }),
});

export const tableCreationParameters = structure('TableCreationParameters', {
  TableName: required(name),
  AttributeDefinitions: required(attributeDefinitions),
  KeySchema: required(keySchema),
  BillingMode: billingMode,
  ProvisionedThroughput: provisionedThroughput,
  OnDemandThroughput: onDemandThroughput,
  SSESpecification: sseSpecification,
  GlobalSecondaryIndexes: list(structure('GlobalSecondaryIndex', globalIndexMembers)),
});

const importStatus = oneOf('IN_PROGRESS', 'COMPLETED', 'CANCELLING', 'CANCELLED', 'FAILED');

const anonymousDescription = structure('ImportTableDescription', {
  ImportArn: required(string()),
  ImportStatus: required(importStatus),
  TableArn: required(string()),
  TableId: string(),
  ClientToken: string(),
  S3BucketSource: required(bucketSource),
  ErrorCount: required(long()),
  CloudWatchLogGroupArn: string(),
  InputFormat: required(inputFormat),
  InputFormatOptions: inputFormatOptions,
  InputCompressionType: inputCompression,
  TableCreationParameters: required(tableCreationParameters),
  StartTime: required(timestamp),
  EndTime: timestamp,
  ProcessedSizeBytes: required(long()),
  ProcessedItemCount: required(long()),
  ImportedItemCount: required(long()),
  FailureCode: string(),
  FailureMessage: string(),
});
export interface ImportTableDescription extends OutputValue<typeof anonymousDescription> {}
export const importTableDescription: Named<ImportTableDescription, typeof anonymousDescription> =
  anonymousDescription;

const anonymousSummary = structure('ImportSummary', {
  ImportArn: required(string()),
  ImportStatus: required(importStatus),
  TableArn: required(string()),
  S3BucketSource: required(bucketSource),
  CloudWatchLogGroupArn: string(),
  InputFormat: required(inputFormat),
  StartTime: required(timestamp),
  EndTime: timestamp,
});
export interface ImportSummary extends OutputValue<typeof anonymousSummary> {}
export const importSummary: Named<ImportSummary, typeof anonymousSummary> = anonymousSummary;

function importArn({ account, region, tableName, id }: ImportRecord): string {
  return tableArnIn({ account, region }, tableName, { kind: 'import', name: id });
}

export function importSummaryAnswer(record: ImportRecord): object {
  const { request, startedAt, endedAt } = record;
  return {
    ImportArn: importArn(record),
    ImportStatus: record.status,
    TableArn: tableArnIn(record, record.tableName),
    S3BucketSource: request.S3BucketSource,
    CloudWatchLogGroupArn: logGroupArn(record),
    InputFormat: request.InputFormat,
    StartTime: startedAt / 1000,
    ...(endedAt !== undefined && { EndTime: endedAt / 1000 }),
  };
}

export function importAnswer(record: ImportRecord): object {
  const { request, clientToken: token, failure } = record;
  return {
    ...importSummaryAnswer(record),
    TableId: record.tableId,
    ...(token !== undefined && { ClientToken: token }),
    ErrorCount: record.errors,
    ...(request.InputFormatOptions && { InputFormatOptions: request.InputFormatOptions }),
    InputCompressionType: request.InputCompressionType ?? 'NONE',
    TableCreationParameters: request.TableCreationParameters,
    ProcessedSizeBytes: record.bytes,
    ProcessedItemCount: record.processed,
    ImportedItemCount: record.imported,
    ...(failure && { FailureCode: failure.code, FailureMessage: failure.message }),
  };
}

/** The group that the service logs refused rows to. Here they stand in the control API. */
function logGroupArn({ account, region }: ImportRecord): string {
  return `arn:${partitionOf(region)}:logs:${region}:${account}:log-group:/aws-dynamodb/imports:*`;
}
