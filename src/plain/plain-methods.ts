import { batchExecuteStatement } from '../operations/batch-execute-statement.ts';
import { batchGetItem } from '../operations/batch-get-item.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { createTable } from '../operations/create-table.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { describeEndpoints } from '../operations/describe-endpoints.ts';
import { describeLimits } from '../operations/describe-limits.ts';
import { describeTable } from '../operations/describe-table.ts';
import { describeTimeToLive } from '../operations/describe-time-to-live.ts';
import { executeStatement } from '../operations/execute-statement.ts';
import { executeTransaction } from '../operations/execute-transaction.ts';
import { getItem } from '../operations/get-item.ts';
import { describeKinesisStreamingDestination } from '../operations/kinesis/describe-kinesis-streaming-destination.ts';
import { disableKinesisStreamingDestination } from '../operations/kinesis/disable-kinesis-streaming-destination.ts';
import { enableKinesisStreamingDestination } from '../operations/kinesis/enable-kinesis-streaming-destination.ts';
import { updateKinesisStreamingDestination } from '../operations/kinesis/update-kinesis-streaming-destination.ts';
import { listTables } from '../operations/list-tables.ts';
import { listTagsOfResource } from '../operations/list-tags-of-resource.ts';
import type { Operation } from '../operations/operation.ts';
import { putItem } from '../operations/put-item.ts';
import { query } from '../operations/query.ts';
import { scan } from '../operations/scan.ts';
import { describeStream } from '../operations/streams/describe-stream.ts';
import { getRecords } from '../operations/streams/get-records.ts';
import { getShardIterator } from '../operations/streams/get-shard-iterator.ts';
import { listStreams } from '../operations/streams/list-streams.ts';
import { tagResource } from '../operations/tag-resource.ts';
import { transactGetItems } from '../operations/transact-get-items.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { untagResource } from '../operations/untag-resource.ts';
import { updateItem } from '../operations/update-item.ts';
import { updateTable } from '../operations/update-table.ts';
import { updateTimeToLive } from '../operations/update-time-to-live.ts';
import type * as batch from './batch-operations.ts';
import type * as item from './item-operations.ts';
import type * as kinesis from './kinesis-operations.ts';
import type { CallOptions } from './plain-call.ts';
import type * as search from './search-operations.ts';
import type * as statement from './statement-operations.ts';
import type * as stream from './stream-operations.ts';
import type * as table from './table-operations.ts';
import type * as transact from './transact-operations.ts';

/**
 * Every operation as a method, with the SDK's plain types: `db.putItem({ TableName, Item })`. A refused request
 * rejects with a `ServiceError`.
 */
export abstract class PlainMethods {
  protected abstract call<Output>(
    operation: Operation,
    input: object,
    options?: CallOptions,
  ): Promise<Output>;

  batchExecuteStatement(
    input: statement.BatchExecuteStatementInput,
    options?: CallOptions,
  ): Promise<statement.BatchExecuteStatementOutput> {
    return this.call(batchExecuteStatement, input, options);
  }

  batchGetItem(input: batch.BatchGetItemInput, options?: CallOptions): Promise<batch.BatchGetItemOutput> {
    return this.call(batchGetItem, input, options);
  }

  batchWriteItem(
    input: batch.BatchWriteItemInput,
    options?: CallOptions,
  ): Promise<batch.BatchWriteItemOutput> {
    return this.call(batchWriteItem, input, options);
  }

  createTable(input: table.CreateTableInput, options?: CallOptions): Promise<table.CreateTableOutput> {
    return this.call(createTable, input, options);
  }

  deleteItem(input: item.DeleteItemInput, options?: CallOptions): Promise<item.DeleteItemOutput> {
    return this.call(deleteItem, input, options);
  }

  deleteTable(input: table.DeleteTableInput, options?: CallOptions): Promise<table.DeleteTableOutput> {
    return this.call(deleteTable, input, options);
  }

  describeEndpoints(
    input: table.DescribeEndpointsInput = {},
    options?: CallOptions,
  ): Promise<table.DescribeEndpointsOutput> {
    return this.call(describeEndpoints, input, options);
  }

  describeKinesisStreamingDestination(
    input: kinesis.DescribeKinesisStreamingDestinationInput,
    options?: CallOptions,
  ): Promise<kinesis.DescribeKinesisStreamingDestinationOutput> {
    return this.call(describeKinesisStreamingDestination, input, options);
  }

  describeLimits(
    input: table.DescribeLimitsInput = {},
    options?: CallOptions,
  ): Promise<table.DescribeLimitsOutput> {
    return this.call(describeLimits, input, options);
  }

  describeStream(
    input: stream.DescribeStreamInput,
    options?: CallOptions,
  ): Promise<stream.DescribeStreamOutput> {
    return this.call(describeStream, input, options);
  }

  describeTable(input: table.DescribeTableInput, options?: CallOptions): Promise<table.DescribeTableOutput> {
    return this.call(describeTable, input, options);
  }

  describeTimeToLive(
    input: table.DescribeTimeToLiveInput,
    options?: CallOptions,
  ): Promise<table.DescribeTimeToLiveOutput> {
    return this.call(describeTimeToLive, input, options);
  }

  disableKinesisStreamingDestination(
    input: kinesis.DisableKinesisStreamingDestinationInput,
    options?: CallOptions,
  ): Promise<kinesis.DisableKinesisStreamingDestinationOutput> {
    return this.call(disableKinesisStreamingDestination, input, options);
  }

  enableKinesisStreamingDestination(
    input: kinesis.EnableKinesisStreamingDestinationInput,
    options?: CallOptions,
  ): Promise<kinesis.EnableKinesisStreamingDestinationOutput> {
    return this.call(enableKinesisStreamingDestination, input, options);
  }

  executeStatement(
    input: statement.ExecuteStatementInput,
    options?: CallOptions,
  ): Promise<statement.ExecuteStatementOutput> {
    return this.call(executeStatement, input, options);
  }

  executeTransaction(
    input: statement.ExecuteTransactionInput,
    options?: CallOptions,
  ): Promise<statement.ExecuteTransactionOutput> {
    return this.call(executeTransaction, input, options);
  }

  getItem(input: item.GetItemInput, options?: CallOptions): Promise<item.GetItemOutput> {
    return this.call(getItem, input, options);
  }

  getRecords(input: stream.GetRecordsInput, options?: CallOptions): Promise<stream.GetRecordsOutput> {
    return this.call(getRecords, input, options);
  }

  getShardIterator(
    input: stream.GetShardIteratorInput,
    options?: CallOptions,
  ): Promise<stream.GetShardIteratorOutput> {
    return this.call(getShardIterator, input, options);
  }

  listStreams(input: stream.ListStreamsInput = {}, options?: CallOptions): Promise<stream.ListStreamsOutput> {
    return this.call(listStreams, input, options);
  }

  listTables(input: table.ListTablesInput = {}, options?: CallOptions): Promise<table.ListTablesOutput> {
    return this.call(listTables, input, options);
  }

  listTagsOfResource(
    input: table.ListTagsOfResourceInput,
    options?: CallOptions,
  ): Promise<table.ListTagsOfResourceOutput> {
    return this.call(listTagsOfResource, input, options);
  }

  putItem(input: item.PutItemInput, options?: CallOptions): Promise<item.PutItemOutput> {
    return this.call(putItem, input, options);
  }

  query(input: search.QueryInput, options?: CallOptions): Promise<search.QueryOutput> {
    return this.call(query, input, options);
  }

  scan(input: search.ScanInput, options?: CallOptions): Promise<search.ScanOutput> {
    return this.call(scan, input, options);
  }

  tagResource(input: table.TagResourceInput, options?: CallOptions): Promise<table.EmptyOutput> {
    return this.call(tagResource, input, options);
  }

  transactGetItems(
    input: transact.TransactGetItemsInput,
    options?: CallOptions,
  ): Promise<transact.TransactGetItemsOutput> {
    return this.call(transactGetItems, input, options);
  }

  transactWriteItems(
    input: transact.TransactWriteItemsInput,
    options?: CallOptions,
  ): Promise<transact.TransactWriteItemsOutput> {
    return this.call(transactWriteItems, input, options);
  }

  untagResource(input: table.UntagResourceInput, options?: CallOptions): Promise<table.EmptyOutput> {
    return this.call(untagResource, input, options);
  }

  updateItem(input: item.UpdateItemInput, options?: CallOptions): Promise<item.UpdateItemOutput> {
    return this.call(updateItem, input, options);
  }

  updateKinesisStreamingDestination(
    input: kinesis.UpdateKinesisStreamingDestinationInput,
    options?: CallOptions,
  ): Promise<kinesis.UpdateKinesisStreamingDestinationOutput> {
    return this.call(updateKinesisStreamingDestination, input, options);
  }

  updateTable(input: table.UpdateTableInput, options?: CallOptions): Promise<table.UpdateTableOutput> {
    return this.call(updateTable, input, options);
  }

  updateTimeToLive(
    input: table.UpdateTimeToLiveInput,
    options?: CallOptions,
  ): Promise<table.UpdateTimeToLiveOutput> {
    return this.call(updateTimeToLive, input, options);
  }
}
