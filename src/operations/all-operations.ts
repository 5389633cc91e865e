import { batchExecuteStatement } from './batch-execute-statement.ts';
import { batchGetItem } from './batch-get-item.ts';
import { batchWriteItem } from './batch-write-item.ts';
import { createTable } from './create-table.ts';
import { deleteItem } from './delete-item.ts';
import { deleteTable } from './delete-table.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { describeLimits } from './describe-limits.ts';
import { describeTable } from './describe-table.ts';
import { describeTimeToLive } from './describe-time-to-live.ts';
import { executeStatement } from './execute-statement.ts';
import { executeTransaction } from './execute-transaction.ts';
import { getItem } from './get-item.ts';
import { describeKinesisStreamingDestination } from './kinesis/describe-kinesis-streaming-destination.ts';
import { disableKinesisStreamingDestination } from './kinesis/disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from './kinesis/enable-kinesis-streaming-destination.ts';
import { updateKinesisStreamingDestination } from './kinesis/update-kinesis-streaming-destination.ts';
import { listTables } from './list-tables.ts';
import { listTagsOfResource } from './list-tags-of-resource.ts';
import { putItem } from './put-item.ts';
import { query } from './query.ts';
import { scan } from './scan.ts';
import { describeStream } from './streams/describe-stream.ts';
import { getRecords } from './streams/get-records.ts';
import { getShardIterator } from './streams/get-shard-iterator.ts';
import { listStreams } from './streams/list-streams.ts';
import { tagResource } from './tag-resource.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { untagResource } from './untag-resource.ts';
import { updateItem } from './update-item.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

export type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  BatchStatementRequest,
  BatchStatementResponse,
} from './batch-execute-statement.ts';
export type {
  BatchGetItemInput,
  BatchGetItemOutput,
  KeysAndAttributes,
  KeysAndAttributesInput,
} from './batch-get-item.ts';
export type {
  BatchWriteItemInput,
  BatchWriteItemOutput,
  WriteRequest,
  WriteRequestInput,
} from './batch-write-item.ts';
export type { Capacity, ConsumedCapacity } from './consumed-capacity.ts';
export type { CreateTableInput, CreateTableOutput } from './create-table.ts';
export type { DeleteItemInput, DeleteItemOutput } from './delete-item.ts';
export type { DeleteTableInput, DeleteTableOutput } from './delete-table.ts';
export type { DescribeEndpointsInput, DescribeEndpointsOutput } from './describe-endpoints.ts';
export type { DescribeLimitsInput, DescribeLimitsOutput } from './describe-limits.ts';
export type { DescribeTableInput, DescribeTableOutput } from './describe-table.ts';
export type { DescribeTimeToLiveInput, DescribeTimeToLiveOutput } from './describe-time-to-live.ts';
export type { ExecuteStatementInput, ExecuteStatementOutput } from './execute-statement.ts';
export type { ExecuteTransactionInput, ExecuteTransactionOutput } from './execute-transaction.ts';
export type { GetItemInput, GetItemOutput } from './get-item.ts';
export type { ItemCollectionMetrics } from './item-collection-metrics.ts';
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
export type { ListTablesInput, ListTablesOutput } from './list-tables.ts';
export type { ListTagsOfResourceInput, ListTagsOfResourceOutput } from './list-tags-of-resource.ts';
export type { ParameterizedStatement } from './partiql/transact-members.ts';
export type { PutItemInput, PutItemOutput } from './put-item.ts';
export type { QueryInput, QueryOutput } from './query.ts';
export type { ScanInput, ScanOutput } from './scan.ts';
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
export type {
  GlobalSecondaryIndexDescription,
  LocalSecondaryIndexDescription,
  ProvisionedThroughputDescription,
  TableDescription,
  TableStatus,
  WarmThroughputDescription,
} from './table-answer.ts';
export type { EmptyOutput, TagResourceInput, TagResourceOutput } from './tag-resource.ts';
export type { TransactWriteItemInput } from './transact-action.ts';
export type {
  TransactGetItemInput,
  TransactGetItemsInput,
  TransactGetItemsOutput,
} from './transact-get-items.ts';
export type { TransactWriteItemsInput, TransactWriteItemsOutput } from './transact-write-items.ts';
export type { UntagResourceInput, UntagResourceOutput } from './untag-resource.ts';
export type { UpdateItemInput, UpdateItemOutput } from './update-item.ts';
export type { UpdateTableInput, UpdateTableOutput } from './update-table.ts';
export type { UpdateTimeToLiveInput, UpdateTimeToLiveOutput } from './update-time-to-live.ts';
export type { WriteItemOutput } from './write-output.ts';

/**
 * Every operation, by the target prefix of its API. An entry makes an operation exist over HTTP, for SDK clients in
 * process, as a plain method, and as the `operation` of a fault; the types above are those that the package exports. A
 * request for any other operation is answered with an UnknownOperationException.
 *
 * A default export, because `index.ts` re-exports everything else.
 */
const allOperations = {
  DynamoDB_20120810: {
    batchExecuteStatement,
    batchGetItem,
    batchWriteItem,
    createTable,
    deleteItem,
    deleteTable,
    describeEndpoints,
    describeKinesisStreamingDestination,
    describeLimits,
    describeTable,
    describeTimeToLive,
    disableKinesisStreamingDestination,
    enableKinesisStreamingDestination,
    executeStatement,
    executeTransaction,
    getItem,
    listTables,
    listTagsOfResource,
    putItem,
    query,
    scan,
    tagResource,
    transactGetItems,
    transactWriteItems,
    untagResource,
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
