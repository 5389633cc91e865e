import { createBackup } from './backups/create-backup.ts';
import { deleteBackup } from './backups/delete-backup.ts';
import { describeBackup } from './backups/describe-backup.ts';
import { describeContinuousBackups } from './backups/describe-continuous-backups.ts';
import { listBackups } from './backups/list-backups.ts';
import { restoreTableFromBackup } from './backups/restore-table-from-backup.ts';
import { restoreTableToPointInTime } from './backups/restore-table-to-point-in-time.ts';
import { updateContinuousBackups } from './backups/update-continuous-backups.ts';
import { batchGetItem } from './batches/batch-get-item.ts';
import { batchWriteItem } from './batches/batch-write-item.ts';
import { describeContributorInsights } from './insights/describe-contributor-insights.ts';
import { listContributorInsights } from './insights/list-contributor-insights.ts';
import { updateContributorInsights } from './insights/update-contributor-insights.ts';
import { deleteItem } from './items/delete-item.ts';
import { getItem } from './items/get-item.ts';
import { putItem } from './items/put-item.ts';
import { updateItem } from './items/update-item.ts';
import { describeKinesisStreamingDestination } from './kinesis/describe-kinesis-streaming-destination.ts';
import { disableKinesisStreamingDestination } from './kinesis/disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from './kinesis/enable-kinesis-streaming-destination.ts';
import { updateKinesisStreamingDestination } from './kinesis/update-kinesis-streaming-destination.ts';
import { batchExecuteStatement } from './partiql/batch-execute-statement.ts';
import { executeStatement } from './partiql/execute-statement.ts';
import { executeTransaction } from './partiql/execute-transaction.ts';
import { query } from './search/query.ts';
import { scan } from './search/scan.ts';
import { describeStream } from './streams/describe-stream.ts';
import { getRecords } from './streams/get-records.ts';
import { getShardIterator } from './streams/get-shard-iterator.ts';
import { listStreams } from './streams/list-streams.ts';
import { createTable } from './tables/create-table.ts';
import { deleteTable } from './tables/delete-table.ts';
import { describeEndpoints } from './tables/describe-endpoints.ts';
import { describeLimits } from './tables/describe-limits.ts';
import { describeTable } from './tables/describe-table.ts';
import { describeTimeToLive } from './tables/describe-time-to-live.ts';
import { listTables } from './tables/list-tables.ts';
import { listTagsOfResource } from './tables/list-tags-of-resource.ts';
import { tagResource } from './tables/tag-resource.ts';
import { untagResource } from './tables/untag-resource.ts';
import { updateTable } from './tables/update-table.ts';
import { updateTimeToLive } from './tables/update-time-to-live.ts';
import { transactGetItems } from './transactions/transact-get-items.ts';
import { transactWriteItems } from './transactions/transact-write-items.ts';
import { describeExport } from './transfers/describe-export.ts';
import { describeImport } from './transfers/describe-import.ts';
import { exportTableToPointInTime } from './transfers/export-table-to-point-in-time.ts';
import { importTable } from './transfers/import-table.ts';
import { listExports } from './transfers/list-exports.ts';
import { listImports } from './transfers/list-imports.ts';

export type { BackupDescription, BackupDetails, BackupSummary } from './backups/backup-answer.ts';
export type { ContinuousBackupsDescription } from './backups/continuous-backups-answer.ts';
export type { CreateBackupInput, CreateBackupOutput } from './backups/create-backup.ts';
export type { DeleteBackupInput, DeleteBackupOutput } from './backups/delete-backup.ts';
export type { DescribeBackupInput, DescribeBackupOutput } from './backups/describe-backup.ts';
export type {
  DescribeContinuousBackupsInput,
  DescribeContinuousBackupsOutput,
} from './backups/describe-continuous-backups.ts';
export type { ListBackupsInput, ListBackupsOutput } from './backups/list-backups.ts';
export type {
  RestoreTableFromBackupInput,
  RestoreTableFromBackupOutput,
} from './backups/restore-table-from-backup.ts';
export type {
  RestoreTableToPointInTimeInput,
  RestoreTableToPointInTimeOutput,
} from './backups/restore-table-to-point-in-time.ts';
export type {
  UpdateContinuousBackupsInput,
  UpdateContinuousBackupsOutput,
} from './backups/update-continuous-backups.ts';
export type {
  BatchGetItemInput,
  BatchGetItemOutput,
  KeysAndAttributes,
  KeysAndAttributesInput,
} from './batches/batch-get-item.ts';
export type {
  BatchWriteItemInput,
  BatchWriteItemOutput,
  WriteRequest,
  WriteRequestInput,
} from './batches/batch-write-item.ts';
export type { Capacity, ConsumedCapacity } from './consumed-capacity.ts';
export type {
  DescribeContributorInsightsInput,
  DescribeContributorInsightsOutput,
} from './insights/describe-contributor-insights.ts';
export type {
  ListContributorInsightsInput,
  ListContributorInsightsOutput,
} from './insights/list-contributor-insights.ts';
export type {
  UpdateContributorInsightsInput,
  UpdateContributorInsightsOutput,
} from './insights/update-contributor-insights.ts';
export type { DeleteItemInput, DeleteItemOutput } from './items/delete-item.ts';
export type { GetItemInput, GetItemOutput } from './items/get-item.ts';
export type { ItemCollectionMetrics } from './items/item-collection-metrics.ts';
export type { PutItemInput, PutItemOutput } from './items/put-item.ts';
export type { UpdateItemInput, UpdateItemOutput } from './items/update-item.ts';
export type { WriteItemOutput } from './items/write-output.ts';
export type {
  DescribeKinesisStreamingDestinationInput,
  DescribeKinesisStreamingDestinationOutput,
} from './kinesis/describe-kinesis-streaming-destination.ts';
export type {
  DisableKinesisStreamingDestinationInput,
  DisableKinesisStreamingDestinationOutput,
} from './kinesis/disable-kinesis-streaming-destination.ts';
export type {
  EnableKinesisStreamingDestinationInput,
  EnableKinesisStreamingDestinationOutput,
} from './kinesis/enable-kinesis-streaming-destination.ts';
export type {
  UpdateKinesisStreamingDestinationInput,
  UpdateKinesisStreamingDestinationOutput,
} from './kinesis/update-kinesis-streaming-destination.ts';
export type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  BatchStatementRequest,
  BatchStatementResponse,
} from './partiql/batch-execute-statement.ts';
export type { ExecuteStatementInput, ExecuteStatementOutput } from './partiql/execute-statement.ts';
export type { ExecuteTransactionInput, ExecuteTransactionOutput } from './partiql/execute-transaction.ts';
export type { ParameterizedStatement } from './partiql/transact-members.ts';
export type { QueryInput, QueryOutput } from './search/query.ts';
export type { ScanInput, ScanOutput } from './search/scan.ts';
export type { AttributeValueUpdate, ExpectedAttributeValue } from './shapes/item-shapes.ts';
export type {
  AttributeMap,
  AttributeMapInput,
  AttributeValue,
  AttributeValueInput,
} from './shapes/plain-attribute-value.ts';
export type { Condition } from './shapes/read-shapes.ts';
export type { DescribeStreamInput, DescribeStreamOutput, Shard } from './streams/describe-stream.ts';
export type { GetRecordsInput, GetRecordsOutput, StreamRecord } from './streams/get-records.ts';
export type { GetShardIteratorInput, GetShardIteratorOutput } from './streams/get-shard-iterator.ts';
export type { ListStreamsInput, ListStreamsOutput } from './streams/list-streams.ts';
export type { CreateTableInput, CreateTableOutput } from './tables/create-table.ts';
export type { DeleteTableInput, DeleteTableOutput } from './tables/delete-table.ts';
export type { DescribeEndpointsInput, DescribeEndpointsOutput } from './tables/describe-endpoints.ts';
export type { DescribeLimitsInput, DescribeLimitsOutput } from './tables/describe-limits.ts';
export type { DescribeTableInput, DescribeTableOutput } from './tables/describe-table.ts';
export type { DescribeTimeToLiveInput, DescribeTimeToLiveOutput } from './tables/describe-time-to-live.ts';
export type { ListTablesInput, ListTablesOutput } from './tables/list-tables.ts';
export type { ListTagsOfResourceInput, ListTagsOfResourceOutput } from './tables/list-tags-of-resource.ts';
export type {
  GlobalSecondaryIndexDescription,
  LocalSecondaryIndexDescription,
  ProvisionedThroughputDescription,
  TableDescription,
  TableStatus,
  WarmThroughputDescription,
} from './tables/table-answer.ts';
export type { EmptyOutput, TagResourceInput, TagResourceOutput } from './tables/tag-resource.ts';
export type { UntagResourceInput, UntagResourceOutput } from './tables/untag-resource.ts';
export type { UpdateTableInput, UpdateTableOutput } from './tables/update-table.ts';
export type { UpdateTimeToLiveInput, UpdateTimeToLiveOutput } from './tables/update-time-to-live.ts';
export type { TransactWriteItemInput } from './transactions/transact-action.ts';
export type {
  TransactGetItemInput,
  TransactGetItemsInput,
  TransactGetItemsOutput,
} from './transactions/transact-get-items.ts';
export type {
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
} from './transactions/transact-write-items.ts';
export type { DescribeExportInput, DescribeExportOutput } from './transfers/describe-export.ts';
export type { DescribeImportInput, DescribeImportOutput } from './transfers/describe-import.ts';
export type { ExportDescription, ExportSummary } from './transfers/export-answer.ts';
export type {
  ExportTableToPointInTimeInput,
  ExportTableToPointInTimeOutput,
} from './transfers/export-table-to-point-in-time.ts';
export type { ImportSummary, ImportTableDescription } from './transfers/import-answer.ts';
export type { ImportTableInput, ImportTableOutput } from './transfers/import-table.ts';
export type { ListExportsInput, ListExportsOutput } from './transfers/list-exports.ts';
export type { ListImportsInput, ListImportsOutput } from './transfers/list-imports.ts';

/**
 * Every operation, by the target prefix of its API. An entry makes an operation available over HTTP, to SDK clients in
 * process, as a plain method, and as the `operation` of a fault. The package exports the types above. A request for any
 * other operation gets an UnknownOperationException.
 *
 * It is a default export, because `index.ts` re-exports everything else.
 */
const allOperations = {
  DynamoDB_20120810: {
    batchExecuteStatement,
    batchGetItem,
    batchWriteItem,
    createBackup,
    createTable,
    deleteBackup,
    deleteItem,
    deleteTable,
    describeBackup,
    describeContinuousBackups,
    describeContributorInsights,
    describeEndpoints,
    describeExport,
    describeImport,
    describeKinesisStreamingDestination,
    describeLimits,
    describeTable,
    describeTimeToLive,
    disableKinesisStreamingDestination,
    enableKinesisStreamingDestination,
    executeStatement,
    executeTransaction,
    exportTableToPointInTime,
    getItem,
    importTable,
    listBackups,
    listContributorInsights,
    listExports,
    listImports,
    listTables,
    listTagsOfResource,
    putItem,
    query,
    restoreTableFromBackup,
    restoreTableToPointInTime,
    scan,
    tagResource,
    transactGetItems,
    transactWriteItems,
    untagResource,
    updateContinuousBackups,
    updateContributorInsights,
    updateItem,
    updateKinesisStreamingDestination,
    updateTable,
    updateTimeToLive,
  },
  DynamoDBStreams_20120810: {
    describeStream,
    getRecords,
    getShardIterator,
    listStreams,
  },
};

export default allOperations;
