import { exportPlaces } from '../../engine/transfers/export-manifest.ts';
import { billedBytes, type ExportRecord } from '../../engine/transfers/export-record.ts';
import { exportArn } from '../../engine/transfers/export-steps.ts';
import { attributeMap, expressionNames } from '../shapes/item-shapes.ts';
import { long, oneOf, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';

export const exportFormat = oneOf('DYNAMODB_JSON', 'ION');
export const exportType = oneOf('FULL_EXPORT', 'INCREMENTAL_EXPORT');
export const sseAlgorithm = oneOf('AES256', 'KMS');
export const incrementalSpecification = structure('IncrementalExportSpecification', {
  ExportFromTime: timestamp,
  ExportToTime: timestamp,
  ExportViewType: oneOf('NEW_IMAGE', 'NEW_AND_OLD_IMAGES'),
});
export const filterSpecification = structure('FilterSpecification', {
  FilterExpression: string(),
  ProjectionExpression: string(),
  KeyConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
});

const exportStatus = oneOf('IN_PROGRESS', 'COMPLETED', 'FAILED');

const anonymousDescription = structure('ExportDescription', {
  ExportArn: string(),
  ExportStatus: exportStatus,
  StartTime: timestamp,
  EndTime: timestamp,
  ExportManifest: string(),
  TableArn: string(),
  TableId: string(),
  ExportTime: timestamp,
  ClientToken: string(),
  S3Bucket: string(),
  S3BucketOwner: string(),
  S3Prefix: string(),
  S3SseAlgorithm: sseAlgorithm,
  S3SseKmsKeyId: string(),
  FailureCode: string(),
  FailureMessage: string(),
  ExportFormat: exportFormat,
  BilledSizeBytes: long(),
  ItemCount: long(),
  ExportType: exportType,
  IncrementalExportSpecification: incrementalSpecification,
  FilterSpecification: filterSpecification,
});
export interface ExportDescription extends OutputValue<typeof anonymousDescription> {}
export const exportDescription: Named<ExportDescription, typeof anonymousDescription> = anonymousDescription;

const anonymousSummary = structure('ExportSummary', {
  ExportArn: string(),
  ExportStatus: exportStatus,
  ExportType: exportType,
});
export interface ExportSummary extends OutputValue<typeof anonymousSummary> {}
export const exportSummary: Named<ExportSummary, typeof anonymousSummary> = anonymousSummary;

export function exportSummaryAnswer(record: ExportRecord): object {
  return { ExportArn: exportArn(record), ExportStatus: record.status, ExportType: record.kind };
}

export function exportAnswer(record: ExportRecord): object {
  const { request, clientToken: token, failure, endedAt, timeMs } = record;
  return {
    ...exportSummaryAnswer(record),
    ...request,
    ...(request.IncrementalExportSpecification && {
      IncrementalExportSpecification: {
        ...request.IncrementalExportSpecification,
        ExportToTime: record.endMs! / 1000,
      },
    }),
    StartTime: record.startedAt / 1000,
    ...(endedAt !== undefined && { EndTime: endedAt / 1000 }),
    TableId: record.tableId,
    ...(timeMs !== undefined && { ExportTime: timeMs / 1000 }),
    ...(token !== undefined && { ClientToken: token }),
    S3SseAlgorithm: request.S3SseAlgorithm ?? 'AES256',
    ExportFormat: 'DYNAMODB_JSON',
    ...(record.status === 'COMPLETED' && {
      ExportManifest: exportPlaces(request.S3Prefix, record.id, record.kind).summary,
      BilledSizeBytes: billedBytes(record),
      ItemCount: record.items,
    }),
    ...(failure && { FailureCode: failure.code, FailureMessage: failure.message }),
  };
}
