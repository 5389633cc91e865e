import type { BackupRecord } from '../../engine/backups/backup-record.ts';
import type { IndexListName } from '../../engine/indexes/index-behaviour.ts';
import { unitsOf } from '../../engine/tables/capacity-settings.ts';
import { backedUpIndexes } from '../../engine/tables/parts/indexes.ts';
import { tableArnIn } from '../../model/tables/table-arn.ts';
import { list, long, oneOf, required, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import {
  billingMode,
  globalIndexKeySchema,
  onDemandThroughput,
  projection,
  streamSpecification,
} from '../shapes/table-shapes.ts';
import { backupArn } from './backup-reference.ts';

const backupStatus = oneOf('CREATING', 'DELETED', 'AVAILABLE');
const backupType = oneOf('USER', 'SYSTEM', 'AWS_BACKUP');

const detailMembers = {
  BackupArn: required(string()),
  BackupName: required(string()),
  BackupStatus: required(backupStatus),
  BackupType: required(backupType),
  BackupCreationDateTime: required(timestamp),
  BackupSizeBytes: long(),
  BackupExpiryDateTime: timestamp,
};

const anonymousBackupDetails = structure('BackupDetails', detailMembers);
export interface BackupDetails extends OutputValue<typeof anonymousBackupDetails> {}
export const backupDetails: Named<BackupDetails, typeof anonymousBackupDetails> = anonymousBackupDetails;

const anonymousBackupSummary = structure('BackupSummary', {
  TableName: required(string()),
  TableId: required(string()),
  TableArn: required(string()),
  ...detailMembers,
});
export interface BackupSummary extends OutputValue<typeof anonymousBackupSummary> {}
export const backupSummary: Named<BackupSummary, typeof anonymousBackupSummary> = anonymousBackupSummary;

const throughput = structure('ProvisionedThroughput', {
  ReadCapacityUnits: required(long()),
  WriteCapacityUnits: required(long()),
});

const indexMembers = {
  IndexName: required(string()),
  KeySchema: required(globalIndexKeySchema),
  Projection: required(projection),
};

const anonymousBackupDescription = structure('BackupDescription', {
  BackupDetails: required(backupDetails),
  SourceTableDetails: required(
    structure('SourceTableDetails', {
      TableName: required(string()),
      TableId: required(string()),
      TableArn: required(string()),
      TableSizeBytes: required(long()),
      KeySchema: required(globalIndexKeySchema),
      TableCreationDateTime: required(timestamp),
      ProvisionedThroughput: required(throughput),
      OnDemandThroughput: onDemandThroughput,
      ItemCount: required(long()),
      BillingMode: required(billingMode),
    }),
  ),
  SourceTableFeatureDetails: required(
    structure('SourceTableFeatureDetails', {
      ...({
        LocalSecondaryIndexes: list(structure('LocalSecondaryIndexInfo', indexMembers)),
        GlobalSecondaryIndexes: list(
          structure('GlobalSecondaryIndexInfo', {
            ...indexMembers,
            ProvisionedThroughput: throughput,
            OnDemandThroughput: onDemandThroughput,
          }),
        ),
      } satisfies Record<IndexListName, unknown>),
      StreamDescription: streamSpecification,
      TimeToLiveDescription: structure('TimeToLiveDescription', {
        TimeToLiveStatus: string(),
        AttributeName: string(),
      }),
      SSEDescription: structure('SSEDescription', {
        Status: string(),
        SSEType: string(),
        KMSMasterKeyArn: string(),
      }),
    }),
  ),
});
export interface BackupDescription extends OutputValue<typeof anonymousBackupDescription> {}
export const backupDescription: Named<BackupDescription, typeof anonymousBackupDescription> =
  anonymousBackupDescription;

type Status = BackupRecord['status'] | 'DELETED';

/** `arn` is the ARN of the request, which is echoed whatever Region it names. */
export function detailsAnswer(backup: BackupRecord, status: Status = backup.status, arn?: string): object {
  const { name, type, createdAt, expiresAt, bytes, table } = backup;
  return {
    BackupArn: arn ?? backupArn(backup, table.tableName, backup.id),
    BackupName: name,
    BackupStatus: status,
    BackupType: type,
    BackupCreationDateTime: createdAt / 1000,
    BackupSizeBytes: bytes,
    ...(expiresAt !== undefined && { BackupExpiryDateTime: expiresAt / 1000 }),
  };
}

export function summaryAnswer(backup: BackupRecord): object {
  const { tableName, tableId } = backup.table;
  return {
    TableName: tableName,
    TableId: tableId,
    TableArn: tableArnIn(backup, tableName),
    ...detailsAnswer(backup),
  };
}

/** What a backup tells of its table. A system backup tells nothing of its features (observed: ACK DDB-BACKUP-015). */
export function descriptionAnswer(
  backup: BackupRecord,
  status: Status = backup.status,
  arn?: string,
): object {
  const { table, items, bytes, type } = backup;
  const { stream, ttl, sse, billing } = table;
  const features = {
    ...backedUpIndexes(table),
    ...(stream && { StreamDescription: { StreamEnabled: true, StreamViewType: stream.viewType } }),
    ...(ttl && {
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: ttl.attributeName },
    }),
    ...(sse && {
      SSEDescription: { Status: 'ENABLED', SSEType: sse.sseType, KMSMasterKeyArn: sse.kmsMasterKeyArn },
    }),
  };
  return {
    BackupDetails: detailsAnswer(backup, status, arn),
    SourceTableDetails: {
      TableName: table.tableName,
      TableId: table.tableId,
      TableArn: tableArnIn(backup, table.tableName),
      TableSizeBytes: bytes,
      KeySchema: table.keySchema,
      TableCreationDateTime: table.createdAt / 1000,
      ProvisionedThroughput: unitsOf(billing.throughput),
      ...(table.onDemandThroughput && { OnDemandThroughput: table.onDemandThroughput }),
      ItemCount: items,
      BillingMode: billing.mode,
    },
    SourceTableFeatureDetails: type === 'SYSTEM' ? {} : features,
  };
}
