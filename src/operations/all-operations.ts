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
import type { Operation } from './operation.ts';
import { putItem } from './put-item.ts';
import { query } from './query.ts';
import { scan } from './scan.ts';
import { tagResource } from './tag-resource.ts';
import { transactGetItems } from './transact-get-items.ts';
import { transactWriteItems } from './transact-write-items.ts';
import { untagResource } from './untag-resource.ts';
import { updateItem } from './update-item.ts';
import { updateTable } from './update-table.ts';
import { updateTimeToLive } from './update-time-to-live.ts';

/** Every DynamoDB operation there is here. One that is not in this list answers UnknownOperationException. */
export const allOperations: readonly Operation[] = [
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
];
